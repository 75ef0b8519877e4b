package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobContext;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.spi.JobStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What schedulers do side by side, on any store, seen from the handlers and from the jobs. */
abstract class SchedulersContract {
  private static final int PROCESSES = 4;
  private static final int SCHEDULERS_EACH = 2;
  private static final int SCHEDULES = 3;
  private static final int OCCURRENCES = 5;
  private static final Task<JsonNode> TICK = Task.named("tick", JsonNode.class).build();

  private final Map<UUID, Integer> runs = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
  private final Set<String> overlapping = ConcurrentHashMap.newKeySet();
  private Stage stage;

  abstract String url();

  @BeforeEach
  void open() {
    stage = new Stage(url());
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private void tick(JsonNode payload, JobContext context) throws InterruptedException {
    String schedule = payload.path("schedule").asText();
    AtomicInteger count = running.computeIfAbsent(schedule, any -> new AtomicInteger());
    runs.merge(context.jobId(), 1, Integer::sum);
    if (count.incrementAndGet() > 1) {
      overlapping.add(schedule);
    }
    // Long enough to overlap, if that were possible.
    Thread.sleep(ThreadLocalRandom.current().nextLong(50, 400));
    count.decrementAndGet();
  }

  private static ScheduleSpec every(int number) {
    String name = "tick-" + number;
    return ScheduleSpec.every(name, "tick", Duration.ofSeconds(1))
        .payload(Map.of("schedule", name));
  }

  private static List<Instant> occurrences(Sluice sluice, int number) {
    return Stage.jobs(sluice, "tick").stream()
        .filter(job -> job.spec().payload().contains("\"tick-" + number + "\""))
        .map(job -> job.spec().schedule().runAt())
        .toList();
  }

  private void exercise(UnaryOperator<JobStore> between) throws Exception {
    Sluice observer = stage.open();
    List<Scheduler> schedulers = new ArrayList<>();
    for (int process = 0; process < PROCESSES; process++) {
      Sluice sluice = stage.open();
      Schedules schedules =
          new Schedules(between.apply(sluice.store()), sluice.mapper(), sluice.maxPayloadBytes());
      for (int i = 0; i < SCHEDULERS_EACH; i++) {
        schedulers.add(stage.closing(schedules.start(Duration.ofMillis(100))));
      }
      stage.closing(
          sluice
              .worker()
              .concurrency(8)
              .poll(Duration.ofMillis(200))
              .handle(TICK, this::tick)
              .start());
    }
    IntStream.range(0, SCHEDULES).forEach(i -> Schedules.on(observer).create(every(i)));
    for (int i = 0; i < SCHEDULES; i++) {
      int number = i;
      Stage.await().until(() -> occurrences(observer, number).size() >= OCCURRENCES);
    }
    schedulers.forEach(Scheduler::close);
    Stage.await()
        .until(
            () ->
                Stage.jobs(observer, "tick").stream()
                    .allMatch(job -> job.state() == JobState.SUCCEEDED));

    List<JobInfo> jobs = Stage.jobs(observer, "tick");
    assertThat(runs.keySet())
        .containsExactlyInAnyOrderElementsOf(jobs.stream().map(JobInfo::id).toList());
    assertThat(runs.values()).containsOnly(1);
    assertThat(overlapping).isEmpty();
    for (int i = 0; i < SCHEDULES; i++) {
      List<Instant> found = occurrences(observer, i);
      Instant first = found.get(0);
      assertThat(found)
          .as("every second from the first to the last, each once")
          .containsExactlyElementsOf(
              IntStream.range(0, found.size()).mapToObj(n -> first.plusSeconds(n)).toList());
      Instant created = Schedules.on(observer).get("tick-" + i).orElseThrow().createdAt();
      assertThat(Duration.between(created, first)).isBetween(Duration.ZERO, Duration.ofSeconds(1));
    }
  }

  @Test
  void manySideBySide_eachOccurrenceRunsOnceAndNoneOverlap() throws Exception {
    exercise(store -> store);
  }

  @Test
  void answersGetLost_eachOccurrenceRunsOnceAndNoneOverlap() throws Exception {
    AtomicInteger lost = new AtomicInteger();
    exercise(
        store ->
            FailingJobStore.of(
                store,
                method -> {
                  boolean loses =
                      Set.of("submit", "replace", "due", "list").contains(method)
                          && ThreadLocalRandom.current().nextInt(4) == 0;
                  lost.addAndGet(loses ? 1 : 0);
                  return loses;
                }));
    assertThat(lost).hasPositiveValue();
  }

  @Test
  void manyDeclareAtOnce_allAgree() throws Exception {
    List<Callable<Declared>> calls = new ArrayList<>();
    for (int process = 0; process < PROCESSES; process++) {
      Schedules schedules = Schedules.on(stage.open());
      calls.add(() -> schedules.declare(every(0), every(1), every(2)));
      calls.add(() -> schedules.declare(every(0), every(1), every(2)));
    }
    ExecutorService threads = Executors.newFixedThreadPool(calls.size());
    try {
      List<String> created = new ArrayList<>();
      for (Future<Declared> each : threads.invokeAll(calls)) {
        created.addAll(each.get().created());
        assertThat(each.get().removed()).isEmpty();
      }
      assertThat(created).containsExactlyInAnyOrder("tick-0", "tick-1", "tick-2");
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void changedHere_schedulerKnowsAtOnce() {
    Sluice sluice = stage.open();
    Schedules schedules = Schedules.on(sluice);
    stage.closing(schedules.start(Duration.ofMinutes(10)));
    schedules.create(every(0));
    Stage.await().until(() -> occurrences(sluice, 0).size() >= 2);
    schedules.pause("tick-0");
    int count = occurrences(sluice, 0).size();
    schedules.resume("tick-0");
    Stage.await().until(() -> occurrences(sluice, 0).size() >= count + 2);
  }
}
