package dev.sluice.bench.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerListener;
import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.DirectoryVenue;
import dev.sluice.bench.server.Venue;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.TickReport;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Measures what a workflow costs: a step over a list of jobs that do nothing, beside as many plain
 * jobs, each from the first call to the last end, submitting included.
 */
record WorkflowScenario(String name, String summary, boolean onPostgres) implements Scenario {
  private static final Task<JsonNode> TASK = Task.named("nothing", JsonNode.class).build();
  private static final int WORKERS = 4;
  private static final int CAP = 500;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final List<String> SUBJECTS =
      List.of("plain jobs", "a step over a list", "the same, at most " + CAP + " in flight");

  @Override
  public String family() {
    return "workflow";
  }

  /**
   * What a round found.
   *
   * @param serverCpu what the server spent; empty if there is none
   * @param looked the most jobs that a tick had to look at
   */
  private record Found(double jobsPerSecond, Optional<CpuTime> serverCpu, int ticks, int looked) {}

  @Override
  public Section run(Bench bench) throws InterruptedException {
    int jobs = bench.plan().jobs(Scenarios.BATCH);
    bench.progress().begin(name, SUBJECTS.size() * bench.plan().runs());
    List<List<Found>> found = SUBJECTS.stream().<List<Found>>map(any -> new ArrayList<>()).toList();
    try (Venue venue = onPostgres ? database(bench) : DirectoryVenue.create();
        Crew crew = new Crew(venue)) {
      crew.plain(jobs);
      for (int round = 0; round < bench.plan().runs(); round++) {
        for (int index : Alternation.order(round, SUBJECTS.size())) {
          venue.settle();
          Found each = index == 0 ? crew.plain(jobs) : crew.workflow(jobs, index == 1 ? jobs : CAP);
          found.get(index).add(each);
          bench
              .progress()
              .step(
                  String.format(
                      Locale.ROOT, "%s %.0f jobs/s", SUBJECTS.get(index), each.jobsPerSecond));
        }
      }
    } finally {
      bench.progress().end();
    }
    return section(jobs, found);
  }

  private static Venue database(Bench bench) {
    return bench.server().createDatabase("sluice_bench_workflow");
  }

  private Section section(int jobs, List<List<Found>> found) {
    List<Subject> subjects = new ArrayList<>();
    List<Ratio> ratios = new ArrayList<>();
    for (int index = 0; index < SUBJECTS.size(); index++) {
      List<Found> rounds = found.get(index);
      Map<String, Figure> figures = new LinkedHashMap<>();
      figures.put(
          Subject.JOBS_PER_SECOND,
          new Figure("jobs/s", rounds.stream().map(Found::jobsPerSecond).toList()));
      ServerCpu.put(figures, rounds.stream().map(Found::serverCpu).toList());
      if (index > 0) {
        figures.put("ticks", figure(rounds.stream().map(Found::ticks).toList()));
        figures.put("jobs a tick looks at", figure(rounds.stream().map(Found::looked).toList()));
        List<Found> plain = found.get(0);
        List<Double> quotients =
            IntStream.range(0, rounds.size())
                .mapToObj(i -> rounds.get(i).jobsPerSecond / plain.get(i).jobsPerSecond)
                .toList();
        ratios.add(
            new Ratio(
                SUBJECTS.get(index) + " vs " + SUBJECTS.get(0),
                new Figure("", quotients),
                Optional.of(index == 1 ? Goal.atLeast(0.75, 0.9) : Goal.atLeast(0.6, 0.8))));
      }
      Map<String, String> settings =
          Map.of("workers", String.valueOf(WORKERS), "jobs", String.valueOf(jobs));
      subjects.add(new Subject(SUBJECTS.get(index), settings, figures));
    }
    return new Section(
        name,
        summary,
        subjects,
        ratios,
        List.of(),
        List.of("The time of submitting is part of it, for plain jobs as for steps."));
  }

  private static Figure figure(List<Integer> numbers) {
    return new Figure("", numbers.stream().map(Integer::doubleValue).toList());
  }

  /** Workers that run plain jobs and steps alike. */
  private static final class Crew implements AutoCloseable {
    private final Venue venue;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Sluice> processes = new ArrayList<>();
    private final List<Workflows> workflows = new ArrayList<>();
    private final AtomicReference<CountDownLatch> ends =
        new AtomicReference<>(new CountDownLatch(0));
    private final List<TickReport> reports = new ArrayList<>();
    private volatile CountDownLatch over = new CountDownLatch(0);

    Crew(Venue venue) {
      this.venue = venue;
      for (int i = 0; i < WORKERS; i++) {
        Sluice sluice = Sluice.open(venue.url());
        open.push(sluice);
        processes.add(sluice);
        Workflows serving = Workflows.on(sluice).listener(this::ticked);
        open.push(serving);
        workflows.add(serving);
        WorkerListener counting =
            new WorkerListener() {
              @Override
              public void onSuccess(JobContext job, Duration took) {
                ends.get().countDown();
              }
            };
        Worker worker =
            serving
                .serve(sluice.worker().concurrency(16))
                .handle(TASK, (payload, context) -> {})
                .listener(counting)
                .start();
        open.push(worker);
      }
    }

    private void ticked(TickReport report) {
      synchronized (reports) {
        reports.add(report);
      }
      if (report.state() == RunState.SUCCEEDED) {
        over.countDown();
      }
    }

    Found plain(int jobs) throws InterruptedException {
      CountDownLatch left = new CountDownLatch(jobs);
      ends.set(left);
      List<JsonNode> payloads = payloads(jobs);
      Optional<CpuClock.Count> cpu = venue.serverCpu().map(CpuClock::start);
      long began = System.nanoTime();
      processes.get(0).submitAll(TASK, payloads);
      await(left);
      long took = System.nanoTime() - began;
      return new Found(Round.perSecond(jobs, took), cpu.map(count -> count.stop(jobs)), 0, 0);
    }

    private List<JsonNode> payloads(int jobs) {
      return IntStream.range(0, jobs)
          .<JsonNode>mapToObj(i -> processes.get(0).mapper().valueToTree(i))
          .toList();
    }

    Found workflow(int jobs, int cap) throws InterruptedException {
      WorkflowDefinition definition =
          WorkflowDefinition.named("fanout")
              .maxConcurrentSteps(cap)
              .step(StepDefinition.named("each").task(TASK.name()).over(Refs.input("")))
              .build();
      synchronized (reports) {
        reports.clear();
      }
      over = new CountDownLatch(1);
      List<JsonNode> payloads = payloads(jobs);
      Optional<CpuClock.Count> cpu = venue.serverCpu().map(CpuClock::start);
      long began = System.nanoTime();
      UUID run = workflows.get(0).start(definition, payloads);
      await(over);
      long took = System.nanoTime() - began;
      Optional<CpuTime> spent = cpu.map(count -> count.stop(jobs));
      int done =
          workflows.get(0).get(run).orElseThrow().steps().get(0).items().orElseThrow().succeeded();
      if (done != jobs) {
        throw new IllegalStateException("%d of %d steps are done".formatted(done, jobs));
      }
      synchronized (reports) {
        int looked = reports.stream().mapToInt(report -> report.work().looked()).max().orElse(0);
        return new Found(Round.perSecond(jobs, took), spent, reports.size(), looked);
      }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
      if (!latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("It has not ended after " + PATIENCE);
      }
    }

    @Override
    public void close() {
      while (!open.isEmpty()) {
        try {
          open.pop().close();
        } catch (Exception e) {
          throw new IllegalStateException("The crew could not be dismissed", e);
        }
      }
    }
  }
}
