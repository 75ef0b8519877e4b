package dev.sluice.object;

import static dev.sluice.object.FailingObjectStore.Failure.BUSY;
import static dev.sluice.object.FailingObjectStore.Failure.LOSE_REPLY;
import static dev.sluice.object.FailingObjectStore.Failure.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.FailingObjectStore.Failure;
import dev.sluice.object.RunDocuments.RunDocument;
import dev.sluice.spi.RunStore.Run;
import dev.sluice.spi.RunStore.Texts;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs on a bad line. Creating one is a look whether it is there, then its charter, its marker and
 * its document.
 */
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

  /** A line on which one put gets no answer, while others replace the run. */
  private final class DoubtfulLine extends ForwardingObjectStore {
    private final boolean arrives;
    private int others;

    DoubtfulLine(boolean arrives, int others) {
      super(memory);
      this.arrives = arrives;
      this.others = others;
    }

    @Override
    public PutResult putIfMatch(String key, ObjectBody body, String tag) {
      if (others == 0) {
        return super.putIfMatch(key, body, tag);
      }
      if (arrives) {
        super.putIfMatch(key, body, tag);
      }
      for (; others > 0; others--) {
        ObjectRunStore other = runs(memory);
        other.replace(RUN, other.get(RUN.id()).orElseThrow().version(), Optional.empty());
      }
      throw new UnknownOutcomeException("The reply was lost", null);
    }
  }

  private boolean replaceOn(DoubtfulLine line) {
    runs(memory).create(RUN, "text");
    return runs(new RetryingObjectStore(line, RetrySchedule.standard()))
        .replace(RUN, 1, Optional.empty());
  }

  /** A writer was told "unknown" when its answer was lost and somebody wrote after it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9})
  void replace_writtenAndReplacedBeforeTheAnswer_isKnown(int others) {
    assertThat(replaceOn(new DoubtfulLine(true, others))).isTrue();
    assertThat(runs(memory).get(RUN.id()).orElseThrow().version()).isEqualTo(2 + others);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9})
  void replace_lostAndOthersWereFaster_isKnown(int others) {
    assertThat(replaceOn(new DoubtfulLine(false, others))).isFalse();
    assertThat(runs(memory).get(RUN.id()).orElseThrow().version()).isEqualTo(1 + others);
  }

  @Test
  void replace_longAgo_isUnknown() {
    DoubtfulLine line = new DoubtfulLine(true, RunDocument.WRITES);
    assertThatThrownBy(() -> replaceOn(line)).isInstanceOf(StoreUnavailableException.class);
  }
}
