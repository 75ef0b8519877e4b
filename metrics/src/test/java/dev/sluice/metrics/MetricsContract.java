package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.Alert.Kind;
import dev.sluice.AlertThresholds;
import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.PermanentFailure;
import dev.sluice.RetryPolicy;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.Worker;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What is scraped is what happened: each figure beside one that was counted independently. */
abstract class MetricsContract {
  private static final String STRANGE = "quote \" backslash \\ newline \n";

  private static final Task<Integer> WORK =
      Task.named("work", Integer.class)
          .maxConcurrent(3)
          .maxConcurrentPer("tenant", number -> number % 2 == 0 ? "even" : STRANGE, 2)
          .retry(RetryPolicy.exponential().firstDelay(Duration.ofMillis(1)).maxAttempts(2).build())
          .build();

  private static final Task<Integer> BLOCKED =
      Task.named("blocked", Integer.class).maxConcurrent(1).build();

  /** Every metric, by type. */
  private static final Map<String, Set<String>> NAMES =
      Map.of(
          "counter",
          Set.of(
              "sluice_concurrency_acquisition_total",
              "sluice_jobs_submitted_total",
              "sluice_jobs_started_total",
              "sluice_jobs_succeeded_total",
              "sluice_jobs_failed_total",
              "sluice_jobs_retried_total",
              "sluice_jobs_refiled_total",
              "sluice_jobs_cancelled_total",
              "sluice_lease_lost_total",
              "sluice_limit_violations_total"),
          "histogram",
          Set.of(
              "sluice_concurrency_wait_seconds",
              "sluice_jobs_duration_seconds",
              "sluice_claim_seconds"),
          "gauge",
          Set.of(
              "sluice_alerts",
              "sluice_concurrency_slots_active",
              "sluice_concurrency_slots_limit",
              "sluice_jobs_queue_depth",
              "sluice_jobs_oldest_age_seconds",
              "sluice_worker_alive",
              "sluice_worker_running",
              "sluice_worker_concurrency",
              "sluice_worker_buffered"));

  static Set<String> names() {
    Set<String> names = new HashSet<>();
    NAMES.values().forEach(names::addAll);
    return names;
  }

  private final Map<String, LongAdder> counted = new ConcurrentHashMap<>();
  private final CountDownLatch finish = new CountDownLatch(1);

  abstract SluiceOptions options();

  private void count(String what) {
    counted.computeIfAbsent(what, any -> new LongAdder()).increment();
  }

  private double counted(String what) {
    return counted.getOrDefault(what, new LongAdder()).sum();
  }

  private void work(int number) throws InterruptedException {
    count("started");
    long start = System.nanoTime();
    try {
      Thread.sleep(number % 5);
      if (number % 10 == 3) {
        count(counted.containsKey("first " + number) ? "failed" : "retried");
        count("first " + number);
        throw new IllegalStateException("not yet");
      }
      if (number % 10 == 7) {
        count("failed");
        throw new PermanentFailure("never");
      }
      count("succeeded");
    } finally {
      counted.computeIfAbsent("nanos", any -> new LongAdder()).add(System.nanoTime() - start);
    }
  }

  @Test
  void scrape_afterAWorkload_tellsWhatTheHandlersCounted() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    SluiceMetrics metrics = SluiceMetrics.on(registry);
    int jobs = 200;
    try (Sluice sluice = Sluice.open(options().listener(metrics));
        StoreGauges gauges = metrics.watch(sluice, Duration.ofSeconds(1));
        Worker worker =
            sluice
                .worker()
                .concurrency(8)
                .lease(Duration.ofSeconds(3))
                .poll(Duration.ofMillis(50))
                .handle(WORK, (number, context) -> work(number))
                .handle(BLOCKED, (number, context) -> finish.await())
                .start()) {
      sluice.submitAll(WORK, IntStream.range(0, jobs).boxed().toList());
      for (int i = 0; i < 3; i++) {
        sluice.submit(BLOCKED, i);
      }
      UUID cancelled =
          sluice.submit(WORK, 0, o -> o.delay(Duration.ofHours(1)).queue("later")).id();
      sluice.jobs().cancel(cancelled);
      sluice.submit(WORK, 0, o -> o.delay(Duration.ofHours(1)).queue("later"));
      Submission refused = sluice.submit(BLOCKED, 9, o -> o.onLimit(OnLimit.REJECT));
      assertThat(refused).isInstanceOf(Submission.Rejected.class);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThat(counted("succeeded") + counted("failed")).isEqualTo(jobs));

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertScrape(PrometheusText.parse(registry.scrape()), jobs));
      assertEveryNameIsThere(PrometheusText.parse(registry.scrape()));
      finish.countDown();
    }
    assertThat(PrometheusText.parse(registry.scrape()).families())
        .as("gauges of a store that nobody watches any more")
        .doesNotContainKey("sluice_worker_alive")
        .containsKey("sluice_limit_violations_total");
  }

  @Test
  void watch_moreGroupsThanNames_showsTheBusiest() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    SluiceMetrics metrics = SluiceMetrics.on(registry, 2);
    try (Sluice sluice = Sluice.open(options())) {
      for (int i = 0; i < 5; i++) {
        sluice.concurrency().setLimit(Group.of("g" + i), 1);
      }
      Group busy = Group.of("g4");
      SlotLease held =
          sluice
              .concurrency()
              .tryAcquire(busy, OptionalInt.empty(), "me", "here", Duration.ofMinutes(1))
              .orElseThrow();
      try (StoreGauges gauges = metrics.watch(sluice, Duration.ofSeconds(1))) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(
                () -> {
                  PrometheusText text = PrometheusText.parse(registry.scrape());
                  String active = "sluice_concurrency_slots_active";
                  assertThat(text.value(active, "group", "g4")).isEqualTo(1);
                  assertThat(text.labelValues(active, "group"))
                      .hasSizeLessThanOrEqualTo(2)
                      .doesNotContain("other");
                });
      }
      sluice.concurrency().release(held);
    }
  }

  @Test
  void watch_jobThatNoWorkerServesAndHeldGroup_areCountedByKind() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    AlertThresholds thresholds = AlertThresholds.DEFAULT.unserved(Duration.ZERO);
    try (Sluice sluice = Sluice.open(options());
        StoreGauges gauges =
            SluiceMetrics.on(registry).watch(sluice, Duration.ofSeconds(1), thresholds)) {
      awaitAlerts(registry, Map.of());
      sluice.submit(WORK, 1);
      sluice.concurrency().setLimit(Group.of("g"), 0);
      sluice.concurrency().setLimit(Group.of("h"), 0);
      awaitAlerts(registry, Map.of(Kind.NO_WORKER, 1.0, Kind.GROUP_HELD, 2.0));
    }
  }

  private static void awaitAlerts(PrometheusMeterRegistry registry, Map<Kind, Double> expected) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              PrometheusText text = PrometheusText.parse(registry.scrape());
              for (Kind kind : Kind.values()) {
                assertThat(text.value("sluice_alerts", "kind", kind.toString()))
                    .as(kind.toString())
                    .isEqualTo(expected.getOrDefault(kind, 0.0));
              }
            });
  }

  private void assertScrape(PrometheusText text, int jobs) {
    assertThat(text.problems()).isEmpty();
    assertThat(text.value("sluice_jobs_submitted_total", "task", "work")).isEqualTo(jobs + 2);
    assertThat(text.value("sluice_jobs_submitted_total", "task", "blocked")).isEqualTo(3);
    for (String word : List.of("started", "succeeded", "failed", "retried")) {
      assertThat(text.value("sluice_jobs_" + word + "_total", "task", "work"))
          .as(word)
          .isEqualTo(counted(word));
    }
    assertThat(text.value("sluice_jobs_cancelled_total", "task", "work")).isEqualTo(1);
    assertThat(text.value("sluice_jobs_duration_seconds_count", "task", "work"))
        .isEqualTo(counted("started"));
    assertThat(text.value("sluice_jobs_duration_seconds_sum", "task", "work"))
        .isCloseTo(counted("nanos") / 1e9, within(counted("started") * 0.005));

    assertGroups(text);
    assertGauges(text);
    assertThat(text.value("sluice_claim_seconds_count")).isPositive();
    assertThat(text.value("sluice_lease_lost_total")).isZero();
    assertThat(text.value("sluice_limit_violations_total")).isZero();
  }

  private void assertGroups(PrometheusText text) {
    String acquisitions = "sluice_concurrency_acquisition_total";
    String strange = WORK.group().dimension("tenant", STRANGE).toString();
    String even = WORK.group().dimension("tenant", "even").toString();
    assertThat(text.value(acquisitions, "group", "work", "result", "acquired"))
        .isEqualTo(counted("started"));
    assertThat(
            text.value(acquisitions, "group", strange, "result", "acquired")
                + text.value(acquisitions, "group", even, "result", "acquired"))
        .isEqualTo(counted("started"));
    assertThat(text.value(acquisitions, "group", "blocked", "result", "acquired")).isEqualTo(1);
    assertThat(text.value(acquisitions, "group", "blocked", "result", "rejected"))
        .as("the submit that was refused, and the worker that found no slot: once, not per poll")
        .isEqualTo(2);
    assertThat(text.value("sluice_concurrency_wait_seconds_count", "group", "work"))
        .isEqualTo(counted("started"));
    assertThat(text.value("sluice_concurrency_wait_seconds_sum", "group", "work")).isPositive();
  }

  private static void assertGauges(PrometheusText text) {
    assertThat(text.labelValues("sluice_concurrency_slots_active", "group")).contains("work");
    assertThat(text.value("sluice_concurrency_slots_active", "group", "blocked")).isEqualTo(1);
    assertThat(text.value("sluice_concurrency_slots_active", "group", "work")).isZero();
    assertThat(text.value("sluice_concurrency_slots_limit", "group", "blocked")).isEqualTo(1);
    assertThat(text.value("sluice_concurrency_slots_limit", "group", "work")).isEqualTo(3);
    String depth = "sluice_jobs_queue_depth";
    assertThat(text.value(depth, "queue", "default", "state", "ready")).isEqualTo(2);
    assertThat(text.value(depth, "queue", "default", "state", "running")).isEqualTo(1);
    assertThat(text.value(depth, "queue", "later", "state", "scheduled")).isEqualTo(1);
    assertThat(text.value("sluice_jobs_oldest_age_seconds", "queue", "default")).isPositive();
    assertThat(text.value("sluice_jobs_oldest_age_seconds", "queue", "later")).isZero();
    assertThat(text.value("sluice_worker_alive")).isEqualTo(1);
    assertThat(text.value("sluice_worker_running")).isEqualTo(1);
    assertThat(text.value("sluice_worker_concurrency")).isEqualTo(8);
  }

  private static void assertEveryNameIsThere(PrometheusText text) {
    NAMES.forEach(
        (type, names) ->
            names.forEach(
                name -> {
                  assertThat(text.families()).containsKey(name);
                  assertThat(text.families().get(name).type()).as(name).isEqualTo(type);
                }));
  }
}
