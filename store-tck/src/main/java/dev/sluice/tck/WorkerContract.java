package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobContext;
import dev.sluice.JobState;
import dev.sluice.RetryPolicy;
import dev.sluice.RetryableException;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The worker on this store: context, results, timeouts, listeners, draining, long handlers. */
abstract class WorkerContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  WorkerContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  record Sum(int of, int is) {}

  @Test
  void handlerResult_isStored() {
    closing(
        worker()
            .handleReturning(TASK, (payload, context) -> new Sum(payload, payload * 2))
            .start());
    UUID id = sluice.submit(TASK, 21).id();

    awaitState(id, JobState.SUCCEEDED);
    assertThat(job(id).outcome().result().orElseThrow().replace(" ", ""))
        .contains("\"of\":21")
        .contains("\"is\":42");
  }

  @Test
  void handlerWithoutResult_hasNone() {
    closing(worker().handle(TASK, (payload, context) -> {}).start());
    UUID id = submit(TASK);

    awaitState(id, JobState.SUCCEEDED);
    assertThat(job(id).outcome().result()).isEmpty();
  }

  @Test
  void context_saysWhatIsRun() throws Exception {
    Map<String, Object> seen = new ConcurrentHashMap<>();
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        closing(
            worker()
                .handle(
                    TASK,
                    (payload, context) -> {
                      seen.put("payload", payload);
                      seen.put("id", context.jobId());
                      seen.put("task", context.task());
                      seen.put("attempt", context.attempt());
                      seen.put("token", context.fencingToken());
                      seen.put("cancelled", context.cancelled());
                      seen.put("worker", context.workerId());
                      context.throwIfCancelled();
                      finish.await();
                    })
                .start());
    UUID id = sluice.submit(TASK, 9).id();
    await().until(() -> seen.size() == 7);

    assertThat(seen)
        .containsEntry("payload", 9)
        .containsEntry("id", id)
        .containsEntry("task", "t")
        .containsEntry("attempt", 1)
        .containsEntry("cancelled", false)
        .containsEntry("worker", worker.id());
    assertThat((Long) seen.get("token")).isPositive();
    assertThat(worker.running()).isEqualTo(1);
    assertThat(job(id).progress().workerId()).contains(worker.id());
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
    await().until(() -> worker.running() == 0);
  }

  @Test
  void progress_isVisibleWhileTheHandlerRuns() {
    CountDownLatch finish = new CountDownLatch(1);
    closing(
        worker()
            .handle(
                TASK,
                (payload, context) -> {
                  context.progress("a third");
                  context.progress("half way 😀");
                  finish.await();
                })
            .start());
    UUID id = submit(TASK);

    await().untilAsserted(() -> assertThat(job(id).progress().note()).contains("half way 😀"));
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
  }

  @Test
  void timeout_interruptsAndCountsAsAFailure() {
    Task<Integer> task =
        Task.named("t", Integer.class)
            .timeout(Duration.ofMillis(200))
            .retry(RetryPolicy.NONE)
            .build();
    AtomicReference<Boolean> told = new AtomicReference<>();
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    told.set(context.cancelled());
                    throw e;
                  }
                })
            .start());
    UUID id = submit(task);

    awaitState(id, JobState.FAILED);
    assertThat(told).hasValue(true);
    assertThat(job(id).failures()).hasSize(1);
    assertThat(job(id).progress().attempt()).isEqualTo(1);
  }

  @Test
  void longHandler_leaseIsRenewedByItself() {
    Task<Integer> task = task("t", 1);
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch finish = new CountDownLatch(1);
    closing(
        worker()
            .lease(shortLease())
            .handle(
                task,
                (payload, context) -> {
                  runs.incrementAndGet();
                  finish.await();
                })
            .start());
    UUID id = submit(task);
    await().until(() -> runs.get() == 1);

    // Meanwhile a session of three times the lease dies and loses its job.
    UUID lost = submit(task("other"));
    assertThat(manualWorker(shortLease().multipliedBy(3), task("other")).claim("other", 1))
        .hasSize(1);
    awaitState(lost, JobState.READY);
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
    assertThat(runs).hasValue(1);
  }

  @Test
  void extendLease_makesTheSlotLastLonger() {
    Task<Integer> task = task("t", 1);
    CountDownLatch extended = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  context.extendLease(Duration.ofHours(1));
                  extended.countDown();
                  finish.await();
                })
            .start());
    UUID id = submit(task);
    await().until(() -> extended.getCount() == 0);

    assertThat(sluice.concurrency().status("t").slots().get(0).expiresAt())
        .isAfter(job(id).spec().schedule().submittedAt().plus(Duration.ofMinutes(50)));
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
  }

  @Test
  void stop_handlersThatFinishInTime_areAwaited() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        closing(
            worker()
                .handle(
                    TASK,
                    (payload, context) -> {
                      started.countDown();
                      finish.await();
                    })
                .start());
    UUID id = submit(TASK);
    assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    AtomicReference<Boolean> inTime = new AtomicReference<>();
    Thread stopper = new Thread(() -> inTime.set(worker.stop(PATIENCE)));
    stopper.start();
    finish.countDown();
    stopper.join();

    assertThat(inTime).hasValue(true);
    assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(worker.running()).isZero();
    UUID late = submit(TASK);
    assertThat(ids(manualWorker(TASK).claim("t", 1)))
        .as("a stopped worker claims nothing")
        .containsExactly(late);
  }

  @Test
  void stop_handlersThatDoNot_areInterruptedAndHandedBackAtOnce() throws Exception {
    Task<Integer> task = task("t", 2);
    CountDownLatch started = new CountDownLatch(2);
    AtomicInteger interrupted = new AtomicInteger();
    Worker worker =
        closing(
            worker()
                .lease(LONG_LEASE)
                .handle(
                    task,
                    (payload, context) -> {
                      started.countDown();
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        throw e;
                      }
                    })
                .start());
    List<UUID> ids = submit(task, 6);
    assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

    assertThat(worker.stop(Duration.ofMillis(100))).isFalse();
    assertThat(interrupted).hasValue(2);
    assertThat(active("t")).isZero();
    for (UUID id : ids) {
      assertThat(state(id)).isEqualTo(JobState.READY);
      assertThat(job(id).progress().attempt()).as("handed back: not counted").isZero();
      assertThat(job(id).failures()).isEmpty();
    }
    assertThat(ids(manualWorker(task).claimAll("t", 9))).hasSize(2);
  }

  @Test
  void listeners_hearWhatTheStoreAccepted() {
    ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void onStart(JobContext job) {
            heard.add("start " + job.attempt());
            throw new IllegalStateException("listeners may throw");
          }

          @Override
          public void onSuccess(JobContext job, Duration took) {
            assertThat(state(job.jobId())).isEqualTo(JobState.SUCCEEDED);
            heard.add("success " + job.attempt());
          }

          @Override
          public void onFailure(JobContext job, Throwable failure, boolean willRetry) {
            heard.add("failure " + failure.getMessage() + " " + willRetry);
          }
        };
    Task<Integer> task =
        Task.named("t", Integer.class)
            .retry(
                RetryPolicy.exponential().maxAttempts(2).firstDelay(Duration.ofMillis(1)).build())
            .build();
    closing(
        worker()
            .listener(listener)
            .handle(
                task,
                (payload, context) -> {
                  if (payload == 1 || context.attempt() == 1) {
                    throw new RetryableException("boom");
                  }
                })
            .start());
    awaitState(sluice.submit(task, 0).id(), JobState.SUCCEEDED);
    await()
        .untilAsserted(
            () ->
                assertThat(heard)
                    .containsExactlyInAnyOrder(
                        "start 1", "failure boom true", "start 2", "success 2"));
    heard.clear();
    awaitState(sluice.submit(task, 1).id(), JobState.FAILED);
    await()
        .untilAsserted(
            () ->
                assertThat(heard)
                    .containsExactlyInAnyOrder(
                        "start 1", "failure boom true", "start 2", "failure boom false"));
  }

  @Test
  void localBounds_hold() {
    Task<Integer> other = task("other");
    OverlapMeter meter = new OverlapMeter();
    Semaphore finish = new Semaphore(0);
    AtomicInteger running = new AtomicInteger();
    closing(
        worker()
            .concurrency(5)
            .concurrencyOf("t", 2)
            .handle(TASK, (payload, context) -> measured(meter, "t", running, finish))
            .handle(other, (payload, context) -> measured(meter, "other", running, finish))
            .start());
    submit(TASK, 10);
    submit(other, 10);

    await().until(() -> running.get() == 5);
    finish.release(20);
    awaitCount(JobState.SUCCEEDED, 20);
    assertThat(meter.peak("t")).isBetween(1, 2);
    assertThat(meter.peak("all")).isEqualTo(5);
  }

  private static void measured(
      OverlapMeter meter, String task, AtomicInteger running, Semaphore finish)
      throws InterruptedException {
    try (OverlapMeter.Run one = meter.begin(task);
        OverlapMeter.Run all = meter.begin("all")) {
      running.incrementAndGet();
      finish.acquire();
    }
  }

  @Test
  void manyJobsManyWorkers_eachRunsOnce() {
    Map<UUID, AtomicInteger> runs = new ConcurrentHashMap<>();
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  TASK,
                  (payload, context) ->
                      runs.computeIfAbsent(context.jobId(), id -> new AtomicInteger())
                          .incrementAndGet())
              .start());
    }
    List<UUID> ids = submit(TASK, 3_000);

    awaitCount(JobState.SUCCEEDED, 3_000);
    assertThat(runs.keySet()).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(runs.values()).allMatch(count -> count.get() == 1);
  }

  @Test
  void priority_higherStartsFirst() {
    ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
    for (int priority : new int[] {1, 5, 3, 9, 7}) {
      sluice.submit(TASK, priority, o -> o.priority(priority));
    }
    closing(worker().concurrency(1).handle(TASK, (payload, context) -> order.add(payload)).start());

    awaitCount(JobState.SUCCEEDED, 5);
    assertThat(order).containsExactly(9, 7, 5, 3, 1);
  }

  @Test
  void slotTakenByForce_handlerHangs_nextJobStarts() {
    Task<Integer> limited = task("limited", 1);
    nextJobStartsAfterForce(limited, limited.group());
  }

  @Test
  void slotOfAKeyTakenByForce_handlerHangs_nextJobOfTheKeyStarts() {
    Task<Integer> perTenant =
        Task.named("limited", Integer.class).maxConcurrentPer("tenant", n -> "acme", 1).build();
    nextJobStartsAfterForce(perTenant, perTenant.group().dimension("tenant", "acme"));
  }

  private void nextJobStartsAfterForce(Task<Integer> limited, Group group) {
    AtomicInteger started = new AtomicInteger();
    CountDownLatch hang = new CountDownLatch(1);
    closing(
        worker()
            .handle(
                limited,
                (payload, context) -> {
                  started.incrementAndGet();
                  if (payload == 0) {
                    hang.await();
                  }
                })
            .start());
    sluice.submit(limited, 0);
    await().until(() -> started.get() == 1);
    sluice.submit(limited, 1);

    assertThat(sluice.concurrency().forceRelease(group, 0)).isPresent();
    await().until(() -> started.get() == 2);
    hang.countDown();
    awaitCount(JobState.SUCCEEDED, 2);
  }
}
