package dev.sluice.bench.scenario;

import dev.sluice.Task;
import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.S3Venue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Counts requests, and what they would cost: of a job that is alone, of jobs among a thousand
 * others, and of workers that have nothing to do.
 */
record ObjectRequestsScenario() implements Scenario {
  private static final Duration LATENCY = Duration.ofMillis(20);
  private static final int LONE_JOBS = 20;
  private static final int IN_FLIGHT = 1_024;
  private static final int JOBS = 15_000;
  private static final int MANY_IDLE = 8;
  private static final Goal LONE = Goal.atMost(12, 10);
  private static final Goal SHARED = Goal.atMost(1, 0.1);
  private static final Goal IDLE_DOLLARS = Goal.atMost(0.5, 0.25);

  /** Jobs of a kind that are counted among many others. */
  private record Kind(String name, Task<Integer> task, List<JobsInFlight.Found> rounds) {
    Kind(String name, Task<Integer> task) {
      this(name, task, new ArrayList<>());
    }

    List<Usage> usages() {
      return rounds.stream().map(JobsInFlight.Found::usage).toList();
    }
  }

  @Override
  public String name() {
    return "object-requests";
  }

  @Override
  public String family() {
    return name();
  }

  @Override
  public String summary() {
    return "Requests and dollars per job on a store in a bucket, for a lone job and for jobs among a"
        + " thousand others, and per idle worker.";
  }

  @Override
  public boolean onPostgres() {
    return false;
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    Plan plan = bench.plan();
    List<Kind> kinds =
        List.of(
            new Kind("in flight, no limit", Scenarios.task("plain").build()),
            new Kind("in flight, limit 10", Scenarios.task("limited").maxConcurrent(10).build()),
            new Kind(
                "in flight, a key for each job",
                Scenarios.task("keyed").maxConcurrentPer("key", payload -> payload, 1).build()));
    bench.progress().begin(name(), 3 + kinds.size() * plan.runs());
    try (IdleWorkers one = new IdleWorkers(1, plan.scale());
        IdleWorkers several = new IdleWorkers(MANY_IDLE, plan.scale())) {
      CompletableFuture<Usage> idleOne = CompletableFuture.supplyAsync(() -> count(one));
      CompletableFuture<Usage> idleSeveral = CompletableFuture.supplyAsync(() -> count(several));
      List<Usage> lone;
      try (S3Venue venue = S3Venue.withLatency(LATENCY)) {
        Task<Integer> task = Scenarios.task("lone").maxConcurrent(1).build();
        lone = LoneJobs.count(venue, task, plan.jobs(LONE_JOBS));
      }
      step(bench, "lone job %.0f requests", Usage.figure("", lone, Usage::requests).median());
      for (int round = 0; round < plan.runs(); round++) {
        for (int index : Alternation.order(round, kinds.size())) {
          countShared(bench, kinds.get(index));
        }
      }
      Usage idle = idleOne.join();
      step(bench, "idle worker %.2f dollars a day", idle.dollars());
      Usage idleAmongOthers = idleSeveral.join();
      step(bench, "idle worker among others %.2f dollars a day", idleAmongOthers.dollars());
      return section(lone, kinds, idle, idleAmongOthers);
    } catch (CompletionException e) {
      throw new IllegalStateException("Idle workers could not be counted", e.getCause());
    } finally {
      bench.progress().end();
    }
  }

  private static Usage count(IdleWorkers idle) {
    try {
      return idle.count();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  private static void countShared(Bench bench, Kind kind) throws InterruptedException {
    JobsInFlight jobs = new JobsInFlight(IN_FLIGHT, bench.plan().jobs(JOBS));
    try (S3Venue venue = S3Venue.withLatency(LATENCY)) {
      JobsInFlight.Found found = jobs.count(venue, kind.task);
      kind.rounds.add(found);
      step(bench, kind.name + " %.3f requests a job", found.usage().requests());
    }
  }

  private static void step(Bench bench, String format, double figure) {
    bench.progress().step(String.format(Locale.ROOT, format, figure));
  }

  private Section section(List<Usage> lone, List<Kind> kinds, Usage idle, Usage idleAmongOthers) {
    List<Subject> subjects = new ArrayList<>();
    subjects.add(perJob("lone job", Map.of("workers", "1", "limit", "1"), lone, List.of()));
    List<Ratio> ratios = new ArrayList<>();
    Figure most = Figure.once("", Usage.figure("", lone, Usage::requests).most());
    ratios.add(new Ratio("requests of a lone job, at most", most, Optional.of(LONE)));
    for (Kind kind : kinds) {
      Map<String, String> settings =
          Map.of("workers", "4", "in flight", Integer.toString(IN_FLIGHT));
      subjects.add(perJob(kind.name, settings, kind.usages(), kind.rounds));
      Figure requests = Usage.figure("", kind.usages(), Usage::requests);
      ratios.add(new Ratio("requests per job, " + kind.name, requests, Optional.of(SHARED)));
    }
    subjects.add(perDay("idle worker, a day", idle));
    subjects.add(perDay("idle worker among %d, a day".formatted(MANY_IDLE), idleAmongOthers));
    for (Usage each : List.of(idle, idleAmongOthers)) {
      ratios.add(
          new Ratio(
              "dollars per day, idle worker" + (each == idle ? "" : " among " + MANY_IDLE),
              Figure.once("", each.dollars()),
              Optional.of(IDLE_DOLLARS)));
    }
    return new Section(name(), summary(), subjects, ratios, List.of(), remarks());
  }

  private static Subject perJob(
      String name,
      Map<String, String> settings,
      List<Usage> usages,
      List<JobsInFlight.Found> found) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    Usage.putKinds(figures, usages);
    figures.put("puts in vain", Usage.figure("", usages, Usage::lost));
    figures.put("bytes sent", Usage.figure("", usages, Usage::bytesSent));
    figures.put("dollars per million jobs", Usage.figure("", usages, Usage::dollarsPerMillion));
    if (!found.isEmpty()) {
      figures.put(
          Subject.JOBS_PER_SECOND,
          new Figure("jobs/s", found.stream().map(JobsInFlight.Found::jobsPerSecond).toList()));
    }
    return new Subject(name, settings, figures);
  }

  private static Subject perDay(String name, Usage usage) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    Usage.putKinds(figures, List.of(usage));
    figures.put("dollars per day", Figure.once("", usage.dollars()));
    return new Subject(name, Map.of("settings", "default"), figures);
  }

  private static List<String> remarks() {
    return List.of(
        "Requests are those that a bucket would see, counted below everything that repeats them;"
            + " dollars are list prices of S3 Standard in us-east-1, traffic and storage not"
            + " included.",
        "A lone job: submitted in the process of its worker, counted until its segment is deleted,"
            + " polls of the worker included. The server takes 20 ms over every request.",
        "In flight: 1,024 callers submit one job each, wait for its end and submit the next; four"
            + " workers, each with a store of its own. Everything is counted, leases and polls"
            + " included.",
        "An idle worker: default settings, counted for two minutes after it found nothing for a"
            + " minute and a half, and extrapolated to a day.");
  }
}
