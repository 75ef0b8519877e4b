package dev.sluice.bench.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One way to run jobs: which jobs, by which workers, amid what. Immutable: most methods return a
 * changed copy.
 *
 * @param name what it is called in its scenario
 * @param crew the workers
 * @param lots the jobs of one batch; batches are repeated
 * @param amid holds from before the first job to the end
 * @param jobsFirst whether jobs are there before any worker is, and before any limit
 */
record Setting(String name, Crew crew, List<Lot> lots, Circumstance amid, boolean jobsFirst) {
  private static final int DEFAULT_WORKERS = 4;
  private static final int DEFAULT_PARALLELISM = 100;
  private static final double WARM_UP_SHARE = 0.1;
  private static final double WARM_UP_JOBS = 10_000;

  /**
   * The workers of a setting.
   *
   * @param workers how many
   * @param parallelism how many handlers at once, of all workers together
   * @param work what handlers do
   * @param together whether they share one open store, as workers of one process do
   */
  record Crew(int workers, int parallelism, Work work, boolean together) {}

  /** Four workers with 100 threads in all, whose handlers do nothing. */
  static Setting of(String name, Lot... lots) {
    return of(name, List.of(lots));
  }

  static Setting of(String name, List<Lot> lots) {
    Crew crew = new Crew(DEFAULT_WORKERS, DEFAULT_PARALLELISM, Work.NONE, false);
    return new Setting(name, crew, List.copyOf(lots), Circumstance.NONE, false);
  }

  Setting crew(int workers, int parallelism) {
    return new Setting(
        name, new Crew(workers, parallelism, crew.work, crew.together), lots, amid, jobsFirst);
  }

  Setting work(Work work) {
    Crew changed = new Crew(crew.workers, crew.parallelism, work, crew.together);
    return new Setting(name, changed, lots, amid, jobsFirst);
  }

  Setting named(String other) {
    return new Setting(other, crew, lots, amid, jobsFirst);
  }

  /** The same with workers that share one open store, as those of one process do. */
  Setting together() {
    Crew changed = new Crew(crew.workers, crew.parallelism, crew.work, true);
    return new Setting(name, changed, lots, amid, jobsFirst);
  }

  Setting amid(Circumstance circumstance) {
    return new Setting(name, crew, lots, circumstance, jobsFirst);
  }

  /** The same in a new store for each batch, whose jobs are there before the first worker. */
  Setting beforeWorkers() {
    return new Setting(name, crew, lots, amid, true);
  }

  Setting scaled(double scale) {
    List<Lot> scaled = lots.stream().map(lot -> lot.scaled(scale)).toList();
    return new Setting(name, crew, scaled, amid, jobsFirst);
  }

  /** The same with no more jobs than it takes to warm up. */
  Setting warmUp() {
    return scaled(Math.min(1, Math.max(WARM_UP_SHARE, WARM_UP_JOBS / jobs())));
  }

  /** How many jobs a batch has. */
  int jobs() {
    return lots.stream().mapToInt(Lot::jobs).sum();
  }

  /** For people to read. */
  Map<String, String> described() {
    Map<String, String> described = new LinkedHashMap<>();
    described.put("workers", Integer.toString(crew.workers));
    described.put("threads", Integer.toString(crew.parallelism));
    described.put("handlers", crew.work.described());
    described.put("tasks", Integer.toString(lots.size()));
    described.put("jobs per batch", Integer.toString(jobs()));
    return described;
  }
}
