package dev.sluice.object;

import static dev.sluice.object.FailingObjectStore.Failure.BUSY;
import static dev.sluice.object.FailingObjectStore.Failure.LOSE_REPLY;
import static dev.sluice.object.FailingObjectStore.Failure.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.FailingObjectStore.Failure;
import dev.sluice.spi.RunStore.Run;
import dev.sluice.spi.RunStore.Texts;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Creating a run: a look whether it is there, then its charter, its marker and its document. */
class ObjectRunStoreTest {
  private static final Run RUN =
      new Run(UUID.randomUUID(), "w", "running", true, Optional.empty(), new Texts("one", "{}"));

  private final MemoryObjectStore memory = MemoryObjectStore.open(UUID.randomUUID().toString());
  private final StoreEnvironment environment =
      new StoreEnvironment(
          System::nanoTime,
          new Random(1),
          pause -> {},
          CompletableFuture::get,
          Runnable::run,
          Runnable::run,
          Runnable::run);

  @AfterEach
  void close() {
    memory.close();
  }

  private ObjectRunStore runs(ObjectStore store) {
    StoreClock clock = new StoreClock(environment.nanoTime());
    ObjectStore timed = new TimekeepingObjectStore(store, clock);
    timed.get("any");
    return new ObjectRunStore(timed, environment, clock);
  }

  private FailingObjectStore failing(Failure... failures) {
    Failure[] script = new Failure[failures.length + 2];
    script[0] = NONE;
    script[1] = NONE;
    System.arraycopy(failures, 0, script, 2, failures.length);
    return FailingObjectStore.scripted(memory, script);
  }

  /** A run could not be created because the put of its charter had met its own first try. */
  @Test
  void create_answerToTheCharterLost_isCreated() {
    ObjectStore store = new RetryingObjectStore(failing(LOSE_REPLY), RetrySchedule.standard());
    assertThat(runs(store).create(RUN, "text")).isTrue();
    assertThat(runs(memory).charter(RUN.id(), "one")).contains("text");
  }

  /** A run without a charter cannot be read by anybody. */
  @Test
  void create_charterNotWritten_isNotCreated() {
    ObjectRunStore runs = runs(failing(BUSY));
    assertThatThrownBy(() -> runs.create(RUN, "text"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("runs/charters/" + RUN.id());
    assertThat(runs(memory).get(RUN.id())).isEmpty();
  }

  /** A live run without a marker is found by no sweeper, and retention takes its jobs. */
  @Test
  void create_markerNotWritten_isNotCreated() {
    ObjectRunStore runs = runs(failing(NONE, BUSY));
    assertThatThrownBy(() -> runs.create(RUN, "text"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("runs/live/" + RUN.id());
    assertThat(runs(memory).get(RUN.id())).isEmpty();
  }
}
