package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a claim says about waiting: for how long, for what, and what comes along with the job. */
abstract class WaitContract extends ContractTopic {
  private static final Task<Integer> FREE = task("free");
  private static final Task<Integer> LIMITED = task("limited", 1);
  private static final Task<Integer> KEYED =
      Task.named("keyed", Integer.class).maxConcurrentPerKey(1).build();
  private static final JobOutcome.Failure BOOM = new JobOutcome.Failure("Boom", "boom", "");

  /** Some stores know the time to the second only. */
  private static final Duration PRECISION = Duration.ofMillis(1_100);

  WaitContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private Optional<Group> heldBackBy(UUID id) {
    return job(id).progress().heldBackBy();
  }

  private void awaitTwoSecondsDue(UUID id) {
    awaitStoreTime(job(id).spec().schedule().runAt().plusSeconds(2));
  }

  @Test
  void waited_countsFromWhenItWasDue() {
    long start = System.nanoTime();
    UUID plain = submit(FREE);
    UUID limited = submit(LIMITED);
    UUID delayed = submit(FREE, o -> o.delay(Duration.ofSeconds(1)));
    awaitTwoSecondsDue(plain);
    awaitTwoSecondsDue(delayed);
    ManualWorker worker = manualWorker(FREE, LIMITED);
    List<ClaimedJob> claimed = worker.claimAll("free", 2);
    claimed.addAll(worker.claimAll("limited", 1));
    Duration all = Duration.ofNanos(System.nanoTime() - start);

    assertThat(ids(claimed)).containsExactlyInAnyOrder(plain, limited, delayed);
    for (ClaimedJob job : claimed) {
      Duration most = job.id().equals(delayed) ? all.minusSeconds(1) : all;
      assertThat(job.run().waited())
          .as(job.task())
          .isBetween(Duration.ofSeconds(2).minus(PRECISION), most.plus(PRECISION));
    }
  }

  @Test
  void waited_startsAnewWithARetry() {
    UUID id = submit(FREE);
    awaitTwoSecondsDue(id);
    ManualWorker worker = manualWorker(FREE);
    ClaimedJob first = worker.claim("free", 1).get(0);
    assertThat(first.run().waited()).isGreaterThan(Duration.ofMillis(800));
    long start = System.nanoTime();
    worker.report(first, new JobOutcome.Retry(BOOM, Duration.ZERO));

    ClaimedJob second = worker.claim("free", 1).get(0);
    assertThat(second.run().waited())
        .isBetween(Duration.ZERO, Duration.ofNanos(System.nanoTime() - start).plus(PRECISION));
  }

  private UUID submitTraced(String task, String trace) {
    NewJob job =
        new NewJob(
            new NewJob.Identity(
                UUID.randomUUID(), false, Optional.empty(), Optional.empty(), Optional.of(trace)),
            task,
            new NewJob.Place(SubmitOptions.DEFAULT_QUEUE, 0),
            new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
            new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
            "0");
    assertThat(store.submit(List.of(job)).get(0).accepted()).isTrue();
    return job.identity().id();
  }

  @Test
  void trace_comesAlongWithEveryClaim() {
    String trace = "{\"traceparent\": \"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}";
    UUID traced = submitTraced("free", trace);
    submitTraced("limited", "é 'x' \\ %\n" + "y".repeat(900));
    ManualWorker worker = manualWorker(FREE, LIMITED);

    ClaimedJob claimed = worker.claim("free", 1).get(0);
    assertThat(claimed.run().trace()).contains(trace);
    worker.report(claimed, new JobOutcome.Retry(BOOM, Duration.ZERO));
    ClaimedJob retried = worker.claim("free", 1).get(0);
    assertThat(retried.id()).isEqualTo(traced);
    assertThat(retried.run().trace()).contains(trace);
    worker.report(retried, new JobOutcome.Failed(BOOM));
    assertThat(sluice.jobs().retry(traced)).isTrue();
    assertThat(worker.claim("free", 1).get(0).run().trace()).contains(trace);

    assertThat(worker.claim("limited", 1).get(0).run().trace().orElseThrow()).startsWith("é 'x'");
    submit(FREE);
    assertThat(worker.claim("free", 1).get(0).run().trace()).isEmpty();
  }

  /** A store need not say it more than once a second or so. */
  private static void awaitTold(ManualWorker worker, String task, String full) {
    await().until(() -> worker.look(task, 9).full().equals(Set.of(full)));
  }

  @Test
  void full_taskGroup_isNamedWhileJobsWaitForIt() {
    ManualWorker worker = manualWorker(LIMITED, FREE);
    ManualWorker other = manualWorker(LIMITED);
    assertThat(worker.look("limited", 5).full()).as("no work").isEmpty();
    submit(LIMITED, 1);
    ManualWorker.Look first = worker.look("limited", 5);
    assertThat(first.jobs()).hasSize(1);
    assertThat(first.full()).as("nobody is left waiting").isEmpty();
    assertThat(worker.look("limited", 5).full()).as("full, but no work").isEmpty();

    submit(LIMITED, 2);
    awaitTold(worker, "limited", "limited");
    awaitTold(other, "limited", "limited");
    assertThat(worker.look("free", 5).full()).as("not asked for").isEmpty();

    // Else it would be the other's turn.
    other.close();
    worker.succeedAll(first.jobs());
    assertThat(worker.look("limited", 1).full()).as("all that was asked for").isEmpty();
  }

  @Test
  void full_moreJobsThanPlaces_isNamedAtOnce() {
    submit(LIMITED, 3);
    ManualWorker.Look look = manualWorker(LIMITED).look("limited", 5);

    assertThat(look.jobs()).hasSize(1);
    assertThat(look.full()).containsExactly("limited");
  }

  @Test
  void full_heldGroup_isNamed() throws Exception {
    ManualWorker worker = manualWorker(FREE);
    setLimit(FREE.group(), 0, worker);
    submit(FREE);

    assertThat(worker.look("free", 5).full()).containsExactly("free");
  }

  @Test
  void full_keyedGroup_isNamed() {
    ManualWorker worker = manualWorker(KEYED);
    ManualWorker other = manualWorker(KEYED);
    submit(KEYED, 3, o -> o.concurrencyKey("red"));
    UUID blue = submit(KEYED, o -> o.concurrencyKey("blue"));

    ManualWorker.Look look = worker.look("keyed", 9);
    assertThat(ids(look.jobs())).hasSize(2).contains(blue);
    assertThat(look.full()).containsExactly("keyed/red");
    awaitTold(other, "keyed", "keyed/red");
  }

  @Test
  void full_namedGroup_isNamed() {
    ManualWorker worker = manualWorker(FREE);
    submit(FREE, 3, o -> o.concurrencyGroup("named").concurrencyLimit(2));

    ManualWorker.Look look = worker.look("free", 9);
    assertThat(look.jobs()).hasSize(2);
    assertThat(look.full()).containsExactly("named");
  }

  @Test
  void heldBackBy_neverWaited_isEmpty() {
    UUID free = submit(FREE);
    UUID limited = submit(LIMITED);
    UUID keyed = submit(KEYED, o -> o.concurrencyKey("red"));
    awaitTwoSecondsDue(keyed);
    ManualWorker worker = manualWorker(FREE, LIMITED, KEYED);
    for (String task : List.of("free", "limited", "keyed")) {
      assertThat(worker.succeedAll(worker.claimAll(task, 1))).hasSize(1);
    }

    for (UUID id : List.of(free, limited, keyed)) {
      assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
      assertThat(heldBackBy(id)).isEmpty();
    }
  }

  @Test
  void heldBackBy_takenAtOnceUnderASlotHeld_isEmpty() {
    ManualWorker worker = manualWorker(LIMITED);
    submit(LIMITED);
    assertThat(worker.claim(1, new TaskDemand("limited", 1, 0))).hasSize(1);
    Exchange another =
        new Exchange(
            List.of(),
            Set.of(),
            Map.of(),
            List.of(),
            new Demand(1, List.of(new TaskDemand("limited", 1, 100)), Map.of("limited", 1)));
    await()
        .until(
            () -> {
              UUID id = submit(LIMITED);
              List<ClaimedJob> claimed = worker.exchangeRaw(another).jobs();
              assertThat(ids(claimed)).containsExactly(id);
              if (claimed.get(0).run().waited().toMillis() >= 50) {
                return false;
              }
              assertThat(heldBackBy(id)).isEmpty();
              return true;
            });
  }

  private void assertRunsHeldBackBy(Group by, UUID id) {
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(heldBackBy(id)).contains(by);
  }

  @Test
  void heldBackBy_taskGroup_isKept() {
    List<UUID> ids = submit(LIMITED, 2);
    ManualWorker worker = manualWorker(LIMITED);
    List<ClaimedJob> first = worker.claimAll("limited", 2);
    assertThat(ids(first)).containsExactly(ids.get(0));
    awaitTwoSecondsDue(ids.get(1));
    assertThat(worker.claim("limited", 2)).isEmpty();
    worker.succeedAll(first);

    List<ClaimedJob> second = worker.claimAll("limited", 2);
    assertRunsHeldBackBy(LIMITED.group(), ids.get(1));
    worker.succeedAll(second);
    JobInfo done = job(ids.get(1));
    assertThat(done.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(done.progress().heldBackBy()).contains(LIMITED.group());
    assertThat(heldBackBy(ids.get(0))).isEmpty();
  }

  @Test
  void heldBackBy_keyedGroup_isKept() {
    Group red = KEYED.group().key("red");
    List<UUID> ids = submit(KEYED, 2, o -> o.concurrencyKey("red"));
    ManualWorker worker = manualWorker(KEYED);
    List<ClaimedJob> first = worker.claimAll("keyed", 2);
    awaitTwoSecondsDue(ids.get(1));
    assertThat(worker.claim("keyed", 2)).isEmpty();
    worker.succeedAll(first);

    List<ClaimedJob> second = worker.claimAll("keyed", 2);
    assertRunsHeldBackBy(red, ids.get(1));
    worker.succeedAll(second);
    assertThat(heldBackBy(ids.get(1))).contains(red);
    assertThat(heldBackBy(ids.get(0))).isEmpty();
  }

  @Test
  void heldBackBy_zero_isKept() throws Exception {
    ManualWorker worker = manualWorker(FREE);
    setLimit(FREE.group(), 0, worker);
    UUID id = submit(FREE);
    Instant due = job(id).spec().schedule().runAt();
    assertThat(worker.claim("free", 2)).isEmpty();
    awaitStoreTime(due.plusSeconds(2));
    setLimit(FREE.group(), 3, worker);

    assertThat(worker.claimAll("free", 2)).hasSize(1);
    assertRunsHeldBackBy(FREE.group(), id);
  }
}
