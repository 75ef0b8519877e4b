package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.LeaseLostException;
import dev.sluice.OnLimit;
import dev.sluice.RetryPolicy;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Submission;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.Why;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Event;
import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerInfo;
import dev.sluice.WorkerListener;
import dev.sluice.internal.Json;
import dev.sluice.internal.RegisteredTask;
import dev.sluice.internal.WorkerRuntime;
import dev.sluice.internal.WorkerSettings;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.Tracing;
import dev.sluice.spi.WorkerSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What workers on this store say about themselves. */
abstract class BulletinContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  BulletinContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private Optional<WorkerBulletin> bulletin(Worker worker) {
    return workers().stream()
        .filter(info -> info.id().equals(worker.id()))
        .findFirst()
        .flatMap(WorkerInfo::bulletin);
  }

  private WorkerBulletin said(Worker worker) {
    Optional<WorkerBulletin> bulletin = bulletin(worker);
    assertThat(bulletin).isPresent();
    return bulletin.orElseThrow();
  }

  private List<WorkerInfo> workers() {
    return sluice.workers().list();
  }

  private static TaskTally tally(WorkerBulletin bulletin, Task<?> task) {
    return bulletin.tally().tasks().get(task.name());
  }

  @Test
  void worker_whateverItDoes_isCounted() {
    Task<Integer> limited =
        Task.named("limited", Integer.class)
            .maxConcurrent(3)
            .retry(
                RetryPolicy.exponential().firstDelay(Duration.ofMillis(1)).maxAttempts(2).build())
            .build();
    Worker worker =
        closing(
            worker()
                .handle(
                    limited,
                    (payload, context) -> {
                      if (payload < 0) {
                        throw new IllegalStateException("unlucky");
                      }
                    })
                .start());
    submit(limited, 20);
    UUID unlucky = sluice.submit(limited, -1).id();

    await()
        .untilAsserted(
            () -> {
              WorkerBulletin bulletin = said(worker);
              assertThat(bulletin.tally().tasks()).containsKey("limited");
              TaskTally tally = tally(bulletin, limited);
              assertThat(tally.succeeded()).isEqualTo(20);
              assertThat(tally.failed()).isEqualTo(1);
              assertThat(tally.retried()).isEqualTo(1);
              assertThat(tally.started()).isEqualTo(22);
              assertThat(tally.times().total()).isPositive();
              GroupTally group = bulletin.tally().groups().get("limited");
              assertThat(group.acquired()).isEqualTo(22);
              assertThat(group.waits().stream().mapToLong(Long::longValue).sum()).isEqualTo(22);
              assertThat(bulletin.events())
                  .filteredOn(event -> event.job().equals(Optional.of(unlucky)))
                  .extracting(Event::what)
                  .contains("retried", "failed");
            });
  }

  @Test
  void worker_busy_saysHowMuch() {
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        closing(worker().concurrency(5).handle(TASK, (payload, context) -> finish.await()).start());
    submit(TASK, 2);

    await()
        .untilAsserted(
            () ->
                assertThat(bulletin(worker).map(WorkerBulletin::load))
                    .contains(new WorkerBulletin.Load(5, 2, 0, false)));
    finish.countDown();
  }

  /**
   * A worker that stopped was silent while it drained, and still passed for one that takes jobs.
   */
  @Test
  void worker_draining_saysSoAndIsNoLongerOneThatCouldRunAJob() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        closing(
            worker()
                .concurrency(2)
                .handle(
                    TASK,
                    (payload, context) -> {
                      started.countDown();
                      finish.await();
                    })
                .start());
    submit(TASK);
    // On record as running it is from its claim on; what has not started goes back at once.
    started.await();
    ExecutorService operator = Executors.newSingleThreadExecutor();
    try {
      Future<Boolean> stopped = operator.submit(() -> worker.stop(PATIENCE));

      await()
          .untilAsserted(
              () ->
                  assertThat(bulletin(worker).map(WorkerBulletin::load))
                      .contains(new WorkerBulletin.Load(2, 1, 0, true)));
      UUID next = submit(TASK);
      assertThat(sluice.why(next).orElseThrow().reasons())
          .first()
          .isInstanceOf(Why.NoWorkerForQueue.class);
      finish.countDown();
      assertThat(stopped.get()).isTrue();
    } finally {
      finish.countDown();
      operator.shutdownNow();
    }
  }

  @Test
  void groupThatStaysFull_isRejectedOnce() throws Exception {
    Task<Integer> single = task("single", 1);
    assertThat(sluice.concurrency().groups()).isEmpty();
    ManualWorker holder = manualWorker(single);
    submit(single);
    assertThat(holder.claim("single", 1)).hasSize(1);
    UUID waiting = submit(single);

    Worker worker =
        closing(
            worker().poll(Duration.ofMillis(20)).handle(single, (payload, context) -> {}).start());
    await().untilAsserted(() -> assertThat(rejected(worker, "single")).isEqualTo(1));
    long at = bulletin(worker).orElseThrow().at().toEpochMilli();
    // It has looked dozens of times by the time of another bulletin.
    submit(TASK);
    await().until(() -> bulletin(worker).filter(b -> b.at().toEpochMilli() > at + 500).isPresent());

    assertThat(rejected(worker, "single")).isEqualTo(1);
    assertThat(state(waiting)).isNotEqualTo(JobState.RUNNING);
  }

  @Test
  void refusedSubmitsAndPermits_areCountedOnceAmongTheWorkersOfTheSameSluice() {
    Group full = Group.of("full");
    sluice.concurrency().setLimit(full, 0);
    UnaryOperator<SubmitOptions> orRefuse = o -> o.concurrencyGroup("full").onLimit(OnLimit.REJECT);
    assertThat(sluice.submit(TASK, 1, orRefuse)).isInstanceOf(Submission.Rejected.class);
    assertThat(sluice.concurrency().refusals()).isEqualTo(Map.of("full", 1L));

    List<Worker> workers =
        List.of(closing(refusalsWorker().start()), closing(refusalsWorker().start()));
    for (int i = 0; i < 3; i++) {
      assertThat(sluice.submit(TASK, i, orRefuse)).isInstanceOf(Submission.Rejected.class);
    }
    assertThat(sluice.concurrency().tryAcquire(full, OptionalInt.empty(), "h", "p", LONG_LEASE))
        .isEmpty();
    await()
        .untilAsserted(
            () ->
                assertThat(workers.stream().mapToLong(worker -> rejected(worker, "full")).sum())
                    .isEqualTo(4));
    assertThat(sluice.concurrency().refusals()).isEqualTo(Map.of("full", 1L));
  }

  private WorkerBuilder refusalsWorker() {
    return worker().handle(TASK, (payload, context) -> {});
  }

  private long rejected(Worker worker, String group) {
    GroupTally none = new GroupTally(0, 0, List.of());
    return bulletin(worker)
        .map(bulletin -> bulletin.tally().groups().getOrDefault(group, none).rejected())
        .orElse(0L);
  }

  @Test
  void notices_areInTheBulletin() {
    Worker worker =
        closing(
            worker()
                .handle(TASK, (payload, context) -> {})
                .notice("throttle", () -> Map.of("limit", 7))
                .notice(
                    "broken",
                    () -> {
                      throw new IllegalStateException("not to be had");
                    })
                .start());

    await()
        .untilAsserted(
            () -> {
              WorkerBulletin bulletin = said(worker);
              assertThat(bulletin.notices()).containsOnlyKeys("throttle");
              assertThat(bulletin.notices().get("throttle").get("limit").asInt()).isEqualTo(7);
            });
  }

  @Test
  void bulletinThatNobodyUnderstands_isLeftOut() {
    ManualWorker strange = manualWorker(TASK);
    strange.session().publish("{\"mood\":\"excellent\"}");

    WorkerInfo info = workers().get(0);

    assertThat(info.id()).isEqualTo(strange.id());
    assertThat(info.tasks()).containsExactly("t");
    assertThat(info.bulletin()).isEmpty();
  }

  /** The seam, except that publishing always fails in this way. */
  private static JobStore unableToPublish(JobStore store, Supplier<RuntimeException> failure) {
    return forwarding(
        JobStore.class,
        (method, arguments) -> {
          Object result = method.invoke(store, arguments);
          return !(result instanceof WorkerSession session)
              ? result
              : forwarding(
                  WorkerSession.class,
                  (call, values) -> {
                    if (call.getName().equals("publish")) {
                      throw failure.get();
                    }
                    return call.invoke(session, values);
                  });
        });
  }

  private interface Call {
    Object apply(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T forwarding(Class<T> type, Call call) {
    Object forwarding =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return call.apply(method, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(forwarding);
  }

  private Worker workerOn(JobStore store, WorkerListener listener, Runnable handler) {
    WorkerSettings settings =
        new WorkerSettings(
            "mute",
            Set.of("default"),
            4,
            Map.of(),
            new WorkerSettings.Timing(
                LONG_LEASE, Duration.ofSeconds(2), Duration.ofMillis(50), LONG_LEASE),
            new WorkerSettings.Reporting(List.of(listener), Tracing.NONE, Map.of()));
    RegisteredTask<Integer> task =
        new RegisteredTask<>(
            TASK,
            (payload, context) -> {
              handler.run();
              return null;
            });
    return closing(
        WorkerRuntime.start(
            store, new Json(Json.newMapper(), 1 << 20), settings, Map.of("t", task)));
  }

  @Test
  void publishingFails_jobsGoOn() {
    AtomicInteger failures = new AtomicInteger();
    JobStore mute =
        unableToPublish(
            store,
            () -> {
              failures.incrementAndGet();
              return new StoreUnavailableException("not now", null);
            });
    workerOn(mute, new WorkerListener() {}, () -> {});
    await().until(() -> failures.get() >= 3);

    UUID id = submit(TASK);
    awaitState(id, JobState.SUCCEEDED);
    assertThat(workers()).singleElement().satisfies(w -> assertThat(w.bulletin()).isEmpty());
  }

  @Test
  void publishingSaysThatTheLeaseIsLost_workerGoesOnUnderAnother() {
    AtomicInteger failures = new AtomicInteger();
    List<String> lost = new CopyOnWriteArrayList<>();
    JobStore fencing =
        unableToPublish(
            store,
            () ->
                failures.getAndIncrement() == 0
                    ? new LeaseLostException("gone")
                    : new StoreUnavailableException("not now", null));
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void onLeaseLost(String workerId, int interruptedJobs) {
            lost.add(workerId);
          }
        };
    Worker worker = workerOn(fencing, listener, () -> {});
    await().until(() -> lost.size() == 1);

    await().until(() -> !worker.id().equals(lost.get(0)));
    awaitState(submit(TASK), JobState.SUCCEEDED);
    assertThat(lost).hasSize(1);
  }
}
