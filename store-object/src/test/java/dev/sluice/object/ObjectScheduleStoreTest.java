package dev.sluice.object;

import static dev.sluice.object.FailingObjectStore.Failure.LOSE_REPLY;
import static dev.sluice.object.FailingObjectStore.Failure.LOSE_REQUEST;
import static dev.sluice.object.FailingObjectStore.Failure.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.spi.ScheduleStore;
import dev.sluice.spi.ScheduleStore.Entry;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Schedules on a bad line, and what it costs to ask which are due. */
class ObjectScheduleStoreTest {
  private static final Entry NIGHTLY =
      new Entry("nightly", "at night", Optional.of(Instant.parse("2020-01-01T00:00:00Z")));
  private static final Entry PAUSED = new Entry("nightly", "paused", Optional.empty());

  private final MemoryObjectStore memory = MemoryObjectStore.open(UUID.randomUUID().toString());
  private final RequestMeter meter = new RequestMeter();
  private long passed;

  @AfterEach
  void close() {
    memory.close();
  }

  private ObjectScheduleStore schedules(ObjectStore store) {
    StoreEnvironment environment =
        new StoreEnvironment(
            () -> System.nanoTime() + passed,
            new Random(),
            pause -> {},
            CompletableFuture::get,
            Runnable::run,
            Runnable::run,
            Runnable::run,
            Runnable::run);
    StoreClock clock = new StoreClock(environment.nanoTime());
    clock.heard(Instant.now(), clock.ticks());
    return new ObjectScheduleStore(new TimekeepingObjectStore(store, clock), environment, clock);
  }

  /** As on a bucket. */
  private ObjectScheduleStore paidFor() {
    return schedules(
        new ForwardingObjectStore(new InstrumentedObjectStore(memory, meter)) {
          @Override
          public boolean isPaidFor() {
            return true;
          }
        });
  }

  private long version(ScheduleStore schedules) {
    return schedules.get("nightly").orElseThrow().version();
  }

  @Test
  void create_answerLost_isCreated() {
    assertThat(schedules(FailingObjectStore.scripted(memory, NONE, LOSE_REPLY)).create(NIGHTLY))
        .isTrue();
    assertThat(schedules(memory).get("nightly")).map(StoredSchedule::entry).contains(NIGHTLY);
  }

  @Test
  void create_requestLost_isNotSaidToBeRefused() {
    ObjectScheduleStore failing =
        schedules(FailingObjectStore.scripted(memory, NONE, LOSE_REQUEST));
    assertThatThrownBy(() -> failing.create(NIGHTLY)).isInstanceOf(UnknownOutcomeException.class);
  }

  /** Others have replaced it since; its history still says who wrote which version. */
  @Test
  void replace_answerLost_isReplaced() {
    ObjectScheduleStore failing =
        schedules(FailingObjectStore.scripted(memory, NONE, NONE, LOSE_REPLY));
    failing.create(NIGHTLY);
    assertThat(failing.replace(PAUSED, 1)).isTrue();
    assertThat(version(failing)).isEqualTo(2);
  }

  @Test
  void deletedAndCreatedAgain_versionsGoOn() {
    ObjectScheduleStore schedules = schedules(memory);
    schedules.create(NIGHTLY);
    long first = version(schedules);
    assertThat(schedules.delete("nightly", first)).isTrue();
    assertThat(schedules.create(NIGHTLY)).isTrue();

    assertThat(version(schedules)).isGreaterThan(first);
    assertThat(schedules(memory).replace(PAUSED, first)).isFalse();
  }

  @Test
  void damaged_othersAreStillDue() {
    ObjectScheduleStore schedules = schedules(memory);
    schedules.create(NIGHTLY);
    memory.putIfAbsent(
        "schedules/odd.json", ObjectBody.withoutToken("?".getBytes(StandardCharsets.UTF_8)));

    assertThat(schedules.due(10)).extracting(StoredSchedule::entry).containsExactly(NIGHTLY);
    assertThatThrownBy(schedules::list)
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("schedules/odd.json");
  }

  @Test
  void due_wherePaidFor_nothingChanged_isOneRead() {
    ObjectScheduleStore schedules = paidFor();
    schedules.create(NIGHTLY);
    schedules.due(10);
    RequestReport before = meter.report();

    assertThat(schedules.due(10)).hasSize(1);

    RequestReport taken = meter.report().since(before);
    assertThat(taken.of(RequestKind.GET).requests()).isEqualTo(1);
    assertThat(taken.requests()).isEqualTo(1);
  }

  @Test
  void due_wherePaidFor_changedByAnother_isSeenAtOnce() {
    ObjectScheduleStore one = paidFor();
    ObjectScheduleStore other = paidFor();
    assertThat(one.due(10)).isEmpty();
    other.create(NIGHTLY);
    assertThat(one.due(10)).hasSize(1);
    other.replace(PAUSED, version(other));
    assertThat(one.due(10)).isEmpty();
  }

  /** Its writer died before it could say so. */
  @Test
  void due_wherePaidFor_changedInSilence_isSeenInTime() {
    ObjectScheduleStore one = paidFor();
    assertThat(one.due(10)).isEmpty();
    schedules(memory).create(NIGHTLY);
    assertThat(one.due(10)).isEmpty();
    passed += Duration.ofSeconds(31).toNanos();
    assertThat(one.due(10)).extracting(StoredSchedule::entry).isEqualTo(List.of(NIGHTLY));
  }
}
