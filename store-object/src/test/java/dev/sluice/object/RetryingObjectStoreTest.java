package dev.sluice.object;

import static dev.sluice.object.FailingObjectStore.Failure.BUSY;
import static dev.sluice.object.FailingObjectStore.Failure.LATE;
import static dev.sluice.object.FailingObjectStore.Failure.LOSE_REPLY;
import static dev.sluice.object.FailingObjectStore.Failure.LOSE_REQUEST;
import static dev.sluice.object.FailingObjectStore.Failure.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.FailingObjectStore.Failure;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryingObjectStoreTest {
  private static final RetrySchedule AT_ONCE =
      new RetrySchedule(
          4, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMinutes(1), () -> 0);

  private final ObjectStore objects = MemoryObjectStore.open(UUID.randomUUID().toString());
  private FailingObjectStore line;

  @AfterEach
  void close() {
    objects.close();
  }

  @Test
  void get_failsForAWhile_isRepeated() {
    objects.putIfAbsent("a", Bodies.plain("x"));

    assertThat(after(LOSE_REQUEST, LOSE_REPLY, LOSE_REQUEST).get("a")).isPresent();
  }

  @Test
  void get_failsForGood_throwsTheLastFailure() {
    ObjectStore store = after(LOSE_REQUEST, LOSE_REQUEST, LOSE_REQUEST, LOSE_REPLY);

    assertThatThrownBy(() -> store.get("a"))
        .isExactlyInstanceOf(StoreUnavailableException.class)
        .hasMessage("The reply was lost");
  }

  @Test
  void listAndDelete_failForAWhile_areRepeated() {
    objects.putIfAbsent("a", Bodies.plain("x"));
    ObjectStore store = after(LOSE_REQUEST, NONE, LOSE_REPLY);

    assertThat(store.listAll("")).hasSize(1);
    store.deleteAll(List.of("a"));

    assertThat(objects.listAll("")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"LOSE_REQUEST", "LOSE_REPLY", "BUSY", "SLOW"})
  void create_troubledOnce_isStored(Failure failure) {
    Stored stored = (Stored) after(failure).putIfAbsent("a", Bodies.unique("x"));

    assertThat(objects.get("a").orElseThrow().tag()).isEqualTo(stored.tag());
  }

  @ParameterizedTest
  @EnumSource(names = {"LOSE_REQUEST", "LOSE_REPLY", "BUSY", "SLOW"})
  void replace_troubledOnce_isStored(Failure failure) {
    String tag = ((Stored) objects.putIfAbsent("a", Bodies.unique("1"))).tag();

    Stored stored = (Stored) after(failure).putIfMatch("a", Bodies.unique("2"), tag);

    StoredObject now = objects.get("a").orElseThrow();
    assertThat(now.tag()).isEqualTo(stored.tag());
    assertThat(Bodies.text(now)).isEqualTo("2");
  }

  @Test
  void replace_lateAndRepeated_isCarriedOutOnce() {
    String tag = ((Stored) objects.putIfAbsent("a", Bodies.unique("1"))).tag();

    Stored stored = (Stored) after(LATE).putIfMatch("a", Bodies.unique("2"), tag);
    line.landLatePuts();

    assertThat(objects.get("a").orElseThrow().tag()).isEqualTo(stored.tag());
  }

  @Test
  void create_lostToAnother_isLostAtOnce() {
    objects.putIfAbsent("a", Bodies.unique("theirs"));

    assertThat(after().putIfAbsent("a", Bodies.unique("ours"))).isEqualTo(new Lost(Reason.CHANGED));
  }

  @Test
  void create_busyForGood_isLost() {
    assertThat(after(BUSY, BUSY, BUSY, BUSY).putIfAbsent("a", Bodies.unique("x")))
        .isEqualTo(new Lost(Reason.BUSY));
  }

  @Test
  void create_unansweredForGood_isUnknown() {
    ObjectStore store = after(LOSE_REQUEST, LOSE_REQUEST, LOSE_REQUEST, LOSE_REQUEST);

    assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.unique("x")))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void replace_unansweredAndThenReplacedByAnother_isUnknownAndNotOurs() {
    String first = ((Stored) objects.putIfAbsent("a", Bodies.unique("1"))).tag();
    ObjectStore meanwhile = new RetryingObjectStore(new OvertakenStore(objects), AT_ONCE);

    assertThatThrownBy(() -> meanwhile.putIfMatch("a", Bodies.unique("2"), first))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessageContaining("not what it wrote")
        .hasMessageContaining("'a'");
    assertThat(Bodies.text(objects.get("a").orElseThrow())).isEqualTo("theirs");
  }

  @Test
  void create_replyLostAndBodyWithoutToken_isUnknown() {
    ObjectStore store = after(LOSE_REPLY);

    assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("anybody's")))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void interrupt_endsTheRepeating() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> after(LOSE_REQUEST).putIfAbsent("a", Bodies.unique("x")))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void badLine_countsEveryAcknowledgedIncrementOnce(long seed) throws Exception {
    assertCountsEveryAcknowledgedIncrementOnce(
        seed, objects, 50, runner -> new FailingObjectStore(objects, seed * 100 + runner, 0.4));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void badServer_countsEveryAcknowledgedIncrementOnce(long seed) throws Exception {
    List<S3Fault> faults =
        List.of(
            S3Fault.SLOW_DOWN,
            S3Fault.ERROR_AFTERWARDS,
            S3Fault.CONFLICT,
            S3Fault.LOSE_REQUEST,
            S3Fault.LOSE_REPLY,
            S3Fault.LATE);
    Random random = new Random(seed);
    try (FaultyS3Server server = new FaultyS3Server();
        ObjectStore bucket = S3ObjectStoreTest.open(server.url("x"), Duration.ofSeconds(10))) {
      server.plan(
          method -> {
            server.landLateRequests();
            return method.equals("PUT") && random.nextDouble() < 0.4
                ? faults.get(random.nextInt(faults.size()))
                : S3Fault.NONE;
          });
      assertCountsEveryAcknowledgedIncrementOnce(seed, bucket, 15, runner -> bucket);
    }
  }

  /**
   * Every acknowledged increment is in the counter, and beyond them only increments that were
   * reported as unknown.
   */
  private static void assertCountsEveryAcknowledgedIncrementOnce(
      long seed, ObjectStore sound, int times, IntFunction<ObjectStore> line) throws Exception {
    new RetryingObjectStore(sound, AT_ONCE).putIfAbsent("counter", Bodies.unique("0"));

    List<int[]> tallies =
        Race.run(
            4,
            runner ->
                () ->
                    incrementRepeatedly(
                        new RetryingObjectStore(line.apply(runner), AT_ONCE), times));

    int acknowledged = tallies.stream().mapToInt(tally -> tally[0]).sum();
    int unknown = tallies.stream().mapToInt(tally -> tally[1]).sum();
    int counted = Integer.parseInt(Bodies.text(sound.get("counter").orElseThrow()));
    assertThat(counted).as("seed %d", seed).isBetween(acknowledged, acknowledged + unknown);
    assertThat(acknowledged).isPositive();
  }

  private static int[] incrementRepeatedly(ObjectStore store, int times) {
    int[] acknowledgedAndUnknown = new int[2];
    for (int i = 0; i < times; i++) {
      try {
        StoredObject before = store.get("counter").orElseThrow();
        int next = Integer.parseInt(Bodies.text(before)) + 1;
        if (store.putIfMatch("counter", Bodies.unique("" + next), before.tag()) instanceof Stored) {
          acknowledgedAndUnknown[0]++;
        }
      } catch (UnknownOutcomeException e) {
        acknowledgedAndUnknown[1]++;
      } catch (StoreUnavailableException nothingHappened) {
        continue;
      }
    }
    return acknowledgedAndUnknown;
  }

  private ObjectStore after(Failure... failures) {
    line = FailingObjectStore.scripted(objects, failures);
    return new RetryingObjectStore(line, AT_ONCE);
  }

  /** Its first replacement is stored, replaced by another's, and never acknowledged. */
  private static final class OvertakenStore extends ForwardingObjectStore {
    private boolean overtaken;

    OvertakenStore(ObjectStore store) {
      super(store);
    }

    @Override
    public PutResult putIfMatch(String key, ObjectBody body, String tag) {
      PutResult result = super.putIfMatch(key, body, tag);
      if (overtaken) {
        return result;
      }
      overtaken = true;
      super.putIfMatch(key, Bodies.unique("theirs"), ((Stored) result).tag());
      throw new UnknownOutcomeException("The reply was lost", null);
    }
  }
}
