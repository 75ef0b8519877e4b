package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobContext;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.PermanentFailure;
import dev.sluice.Permit;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.SluiceListener;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.internal.Audience;
import dev.sluice.internal.CallerRefusals;
import dev.sluice.internal.HeardJobStore;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.Tracing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What listeners and tracing hear of a process on this store. */
abstract class ListenerContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  ListenerContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private static final class Log implements SluiceListener {
    final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<Duration> waits = new ConcurrentLinkedQueue<>();

    @Override
    public void onSubmit(String task, Submission submission) {
      lines.add(task + " " + submission.getClass().getSimpleName());
    }

    @Override
    public void onWithdraw(String task, UUID job) {
      lines.add(task + " withdrawn");
    }

    @Override
    public void onFailure(JobContext job, Throwable failure, boolean willRetry) {
      lines.add(job.task() + " failed");
    }

    @Override
    public void onCancel(JobContext job) {
      lines.add(job.task() + " cancelled");
    }

    @Override
    public void onAcquired(Group group, Duration waited) {
      lines.add("acquired " + group);
      waits.add(waited);
    }

    @Override
    public void onRejected(Group group) {
      lines.add("rejected " + group);
    }

    @Override
    public void onClaim(int jobs, Duration took) {
      if (jobs > 0) {
        lines.add("claimed");
      }
    }

    @Override
    public void onEnded(JobContext job, Duration ran) {
      lines.add("ended");
    }

    long count(String line) {
      return lines.stream().filter(line::equals).count();
    }
  }

  private final Log log = new Log();

  private Sluice heard() {
    return closing(Sluice.open(fixture.options().listener(log)));
  }

  @Test
  void submit_isHeardWithItsAnswer() {
    Sluice process = heard();
    process.submit(TASK, 1, o -> o.dedupeKey("once"));
    process.submit(TASK, 1, o -> o.dedupeKey("once"));
    process.submitAll(TASK, List.of(1, 2));
    process.submit(
        TASK, 1, o -> o.concurrencyGroup("g").concurrencyLimit(0).onLimit(OnLimit.REJECT));

    assertThat(log.lines)
        .containsExactly(
            "t Submitted", "t Duplicate", "t Submitted", "t Submitted", "t Rejected", "rejected g");
  }

  @Test
  void cancel_isHeardOnce_whoeverHadTheJob() {
    Sluice process = heard();
    UUID waiting = process.submit(TASK, 1).id();
    assertThat(process.jobs().cancel(waiting)).isTrue();
    assertThat(process.jobs().cancel(waiting)).isFalse();
    closing(
        worker(process).handle(TASK, (payload, context) -> new CountDownLatch(1).await()).start());
    UUID running = process.submit(TASK, 2).id();
    awaitState(running, JobState.RUNNING);
    assertThat(process.jobs().cancel(running)).isTrue();
    awaitState(running, JobState.CANCELLED);

    await().until(() -> log.count("t cancelled") == 1);
    assertThat(log.count("t withdrawn")).isEqualTo(1);
  }

  /** Asked to stop a moment before it failed, a job was told as one that is tried again. */
  @Test
  void cancel_whileTheHandlerFails_isHeardAsCancelled() {
    Sluice process = heard();
    closing(
        worker(process)
            .handle(
                TASK,
                (payload, context) -> {
                  assertThat(process.jobs().cancel(context.jobId())).isTrue();
                  throw new IllegalStateException("fails before its worker hears of it");
                })
            .start());
    UUID id = process.submit(TASK, 1).id();

    awaitState(id, JobState.CANCELLED);
    await().until(() -> log.count("t cancelled") == 1);
    assertThat(log.count("t failed")).isZero();
  }

  @Test
  void cancelAll_ofAWorkflow_isHeardForThoseThatNoWorkerHad() {
    Set<UUID> withdrawn = ConcurrentHashMap.newKeySet();
    SluiceListener listener =
        new SluiceListener() {
          @Override
          public void onWithdraw(String task, UUID job) {
            withdrawn.add(job);
          }
        };
    JobStore heard =
        HeardJobStore.hearing(
            store, new Audience<>(List.of(listener)), Tracing.NONE, new CallerRefusals());
    UUID running = submit(TASK);
    assertThat(manualWorker(TASK).claim("t", 1)).hasSize(1);
    List<UUID> waiting = submit(TASK, 3);
    assertThat(store.jobs().cancel(waiting.get(2))).isTrue();
    List<UUID> all = new ArrayList<>(waiting);
    all.add(running);

    assertThat(heard.jobs().cancelAll(all)).isEqualTo(3);
    assertThat(withdrawn).containsExactlyInAnyOrder(waiting.get(0), waiting.get(1));
  }

  @Test
  void permits_areHeard() throws Exception {
    Sluice process = heard();
    Group group = Group.of("stripe");
    process.concurrency().setLimit(group, 1);
    Permit first = process.concurrency().acquire(group, Duration.ofSeconds(10));
    assertThat(
            process
                .concurrency()
                .tryAcquire(group, OptionalInt.empty(), "me", "here", Duration.ofSeconds(5)))
        .isEmpty();
    assertThat(log.lines).containsExactly("acquired stripe", "rejected stripe");
    log.lines.clear();
    log.waits.clear();

    var executor = Executors.newSingleThreadExecutor();
    try {
      var second = executor.submit(() -> process.concurrency().acquire(group, PATIENCE));
      await().until(() -> log.count("rejected stripe") == 1);
      first.close();
      second.get().close();
    } finally {
      executor.shutdownNow();
    }
    assertThat(log.lines).containsExactly("rejected stripe", "acquired stripe");
    assertThat(log.waits).singleElement().satisfies(wait -> assertThat(wait).isPositive());
  }

  @Test
  void job_inTwoLimitedGroups_acquiresBothOnceWithItsWait() {
    Task<Integer> limited =
        Task.named("limited", Integer.class)
            .maxConcurrent(1)
            .maxConcurrentPer("tenant", payload -> "acme", 2)
            .build();
    CountDownLatch finish = new CountDownLatch(1);
    Sluice process = heard();
    closing(
        worker(process)
            .handle(
                limited,
                (payload, context) -> {
                  if (payload == 1) {
                    finish.await();
                  }
                })
            .start());
    UUID first = process.submit(limited, 1).id();
    awaitState(first, JobState.RUNNING);
    UUID second = process.submit(limited, 2).id();
    await().until(() -> log.count("rejected limited") == 1);
    Instant due = store.jobs().get(second).orElseThrow().spec().schedule().runAt();
    awaitStoreTime(due.plusSeconds(2));
    finish.countDown();
    awaitState(second, JobState.SUCCEEDED);
    await().until(() -> log.count("ended") == 2);

    assertThat(log.count("acquired limited")).isEqualTo(2);
    assertThat(log.count("acquired limited/tenant=acme")).isEqualTo(2);
    assertThat(log.count("rejected limited")).isEqualTo(1);
    assertThat(log.count("claimed")).isPositive();
    assertThat(log.waits).hasSize(4);
    // Two seconds in the line of both, by a clock that may go in whole seconds.
    assertThat(log.waits.stream().sorted().skip(2))
        .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(1), PATIENCE));
  }

  /** A failed assertion in a tracer once took a handler's thread, and with it the slot. */
  @Test
  void tracing_throwsErrors_costsNeitherJobNorSlot() {
    Tracing tracing =
        new Tracing() {
          @Override
          public Submitting submitting(String task, String queue) {
            throw new AssertionError("submitting");
          }

          @Override
          public Running running(JobContext job, Optional<String> trace) {
            if (job.attempt() == 1) {
              throw new AssertionError("running");
            }
            return (verdict, failure) -> {
              throw new StackOverflowError("ended");
            };
          }
        };
    Task<Integer> limited =
        Task.named("limited", Integer.class)
            .maxConcurrent(1)
            .retry(
                RetryPolicy.exponential().maxAttempts(2).firstDelay(Duration.ofMillis(10)).build())
            .build();
    Sluice process = closing(Sluice.open(fixture.options().tracing(tracing)));
    closing(
        worker(process)
            .concurrency(1)
            .handle(
                limited,
                (payload, context) -> {
                  if (context.attempt() < payload) {
                    throw new IllegalStateException("once more");
                  }
                })
            .start());
    List<UUID> ids =
        process.submitAll(limited, List.of(1, 2, 1, 2)).stream().map(Submission::id).toList();

    ids.forEach(id -> awaitState(id, JobState.SUCCEEDED));
    await().until(() -> store.limits().status(limited.group()).active() == 0);
  }

  @Test
  void trace_travelsWithTheJob() {
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    Tracing tracing =
        new Tracing() {
          @Override
          public Submitting submitting(String task, String queue) {
            return new Submitting() {
              @Override
              public Optional<String> trace() {
                return Optional.of("trace of " + task + " in " + queue);
              }
            };
          }

          @Override
          public Running running(JobContext job, Optional<String> trace) {
            Thread handler = Thread.currentThread();
            return (verdict, failure) ->
                seen.add(
                    "%s %s %s %s"
                        .formatted(
                            trace.orElse("none"),
                            verdict,
                            failure == null ? "" : failure.getMessage(),
                            handler == Thread.currentThread()));
          }
        };
    Sluice process = closing(Sluice.open(fixture.options().tracing(tracing)));
    closing(
        worker(process)
            .handle(
                TASK,
                (payload, context) -> {
                  if (payload < 0) {
                    throw new PermanentFailure("negative");
                  }
                })
            .start());
    process.submit(TASK, 1);
    process.submit(TASK, -1);
    submit(TASK);

    await().until(() -> seen.size() == 3);
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "trace of t in default succeeded  true",
            "trace of t in default failed negative true",
            "none succeeded  true");
  }
}
