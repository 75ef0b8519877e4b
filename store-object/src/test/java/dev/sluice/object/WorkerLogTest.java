package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** What a worker writes into the log, and what handlers find in the MDC. */
class WorkerLogTest {
  private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

  /** Everything that was logged meanwhile, by whatever test. */
  private static final class Recorder extends AppenderBase<ILoggingEvent> {
    final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      event.prepareForDeferredProcessing();
      events.add(event);
    }
  }

  private final Logger sluiceLogger = (Logger) LoggerFactory.getLogger("dev.sluice");
  private final Recorder recorder = new Recorder();
  private final String task = "t" + UUID.randomUUID();
  private final String name = "host-" + UUID.randomUUID();
  private Sluice sluice;

  @BeforeEach
  void open() {
    recorder.setContext(sluiceLogger.getLoggerContext());
    recorder.start();
    sluiceLogger.addAppender(recorder);
    sluiceLogger.setLevel(Level.INFO);
    sluice = Sluice.open("memory:" + UUID.randomUUID());
  }

  @AfterEach
  void close() {
    sluice.close();
    sluiceLogger.detachAppender(recorder);
    sluiceLogger.setLevel(null);
  }

  private Task<Integer> twice() {
    return Task.named(task, Integer.class)
        .retry(RetryPolicy.exponential().maxAttempts(2).firstDelay(Duration.ofMillis(1)).build())
        .build();
  }

  private UUID submit(Task<Integer> task) {
    return sluice.submit(task, 1).id();
  }

  private void awaitState(UUID id, JobState state) {
    await().until(() -> sluice.jobs().get(id).orElseThrow().state() == state);
  }

  private List<ILoggingEvent> lines(Level level, String... parts) {
    return recorder.events.stream()
        .filter(event -> event.getLevel() == level)
        .filter(event -> List.of(parts).stream().allMatch(event.getFormattedMessage()::contains))
        .toList();
  }

  @Test
  void failingHandler_isLoggedWithItsStackAndWhatItWas() {
    UUID id = submit(twice());
    try (Worker worker =
        sluice
            .worker()
            .name(name)
            .handle(
                twice(),
                (payload, context) -> {
                  throw new IllegalStateException("no such mailbox");
                })
            .start()) {
      awaitState(id, JobState.FAILED);
    }

    assertThat(lines(Level.WARN, id.toString(), task, name))
        .singleElement()
        .satisfies(this::failed);
    assertThat(lines(Level.ERROR, id.toString(), task, name))
        .singleElement()
        .satisfies(this::failed)
        .satisfies(
            line ->
                assertThat(line.getMDCPropertyMap())
                    .containsEntry("sluice.job", id.toString())
                    .containsEntry("sluice.task", task)
                    .containsEntry("sluice.attempt", "2")
                    .containsEntry("sluice.worker", name));
  }

  private void failed(ILoggingEvent line) {
    assertThat(line.getLoggerName()).isEqualTo("dev.sluice.job");
    assertThat(line.getThrowableProxy().getMessage()).isEqualTo("no such mailbox");
    assertThat(line.getThrowableProxy().getStackTraceElementProxyArray()).isNotEmpty();
  }

  @Test
  void handler_findsItsJobInTheMdcAndNothingOfTheJobBefore() {
    List<Map<String, String>> seen = new CopyOnWriteArrayList<>();
    List<UUID> ids = List.of(submit(twice()), submit(twice()), submit(twice()));
    try (Worker worker =
        sluice
            .worker()
            .name(name)
            .concurrency(1)
            .handle(
                twice(),
                (payload, context) -> {
                  seen.add(MDC.getCopyOfContextMap());
                  MDC.put("mailbox", "left behind");
                })
            .start()) {
      ids.forEach(id -> awaitState(id, JobState.SUCCEEDED));
    }

    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            ids.stream()
                .map(
                    id ->
                        Map.of(
                            "sluice.job",
                            id.toString(),
                            "sluice.task",
                            task,
                            "sluice.attempt",
                            "1",
                            "sluice.worker",
                            name))
                .toList());
  }

  @Test
  void draining_saysWhichWorkerAndHowManyJobsOfWhichTask() throws Exception {
    CountDownLatch atWork = new CountDownLatch(2);
    List<UUID> ids = List.of(submit(twice()), submit(twice()));
    Worker worker =
        sluice
            .worker()
            .name(name)
            .handle(
                twice(),
                (payload, context) -> {
                  atWork.countDown();
                  new CountDownLatch(1).await();
                })
            .start();
    atWork.await();
    String id = worker.id();
    assertThat(worker.stop(Duration.ZERO)).isFalse();

    assertThat(lines(Level.INFO, "serves", name, id)).hasSize(1);
    assertThat(lines(Level.INFO, "drains", name, id, "2 of '" + task + "'")).hasSize(1);
    assertThat(lines(Level.WARN, "interrupted", name, id, "2 of '" + task + "'")).hasSize(1);
    // Handed back is not failed.
    ids.forEach(job -> assertThat(lines(Level.WARN, job.toString())).isEmpty());
  }

  @Test
  void rescue_saysWhichWorkerAndHowManyJobsOfWhichTaskAndSlotsOfWhichGroup() {
    Group group = Group.of(task);
    submit(twice());
    submit(twice());
    sluice.concurrency().setLimit(group, 5);
    WorkerSession dead =
        sluice
            .store()
            .openSession(
                new WorkerRegistration(
                    name, Set.of("default"), Set.of(task), Map.of(), SHORT_LEASE));
    assertThat(dead.exchange(StoreCalls.ask(task, 2)).jobs()).hasSize(2);

    try (Worker worker =
        sluice.worker().lease(SHORT_LEASE).handle(twice(), (payload, context) -> {}).start()) {
      await().until(() -> sluice.jobs().counts().get(JobState.SUCCEEDED) == 2);
    }
    assertThat(lines(Level.WARN, name, dead.workerId(), "2 of '" + task + "'")).hasSize(1);
    assertThat(lines(Level.WARN, "Freed 2 slots of '" + task + "'")).hasSize(1);
  }

  @Test
  void expiredSlots_areLoggedByGroupOnce() {
    Group group = Group.of(task);
    for (String holder : List.of("a", "b")) {
      sluice
          .concurrency()
          .tryAcquire(group, OptionalInt.of(2), holder, "w", SHORT_LEASE)
          .orElseThrow();
    }
    await().until(() -> sluice.concurrency().cleanupExpired(group) == 2);
    assertThat(sluice.concurrency().cleanupExpired()).isEmpty();

    assertThat(lines(Level.WARN, "Freed 2 slots of '" + task + "'")).hasSize(1);
  }
}
