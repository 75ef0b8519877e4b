package dev.sluice.bench.scenario;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One way to run jobs: which jobs, by how many workers, amid what. Immutable: each method returns a
 * changed copy.
 *
 * @param name what it is called in its scenario
 * @param crew the workers
 * @param lots the jobs of one batch; batches are repeated
 * @param amid holds from before the first job to the end
 * @param during holds while a batch is run, not while it is submitted
 */
record Setting(String name, Crew crew, List<Lot> lots, Circumstance amid, Circumstance during) {
  private static final int DEFAULT_WORKERS = 4;
  private static final int DEFAULT_PARALLELISM = 100;

  /**
   * The workers of a setting.
   *
   * @param workers how many
   * @param parallelism how many handlers at once, of all workers together
   * @param work how long a handler takes
   */
  record Crew(int workers, int parallelism, Duration work) {}

  /** Four workers with 100 threads in all, whose handlers do nothing. */
  static Setting of(String name, Lot... lots) {
    return of(name, List.of(lots));
  }

  static Setting of(String name, List<Lot> lots) {
    Crew crew = new Crew(DEFAULT_WORKERS, DEFAULT_PARALLELISM, Duration.ZERO);
    return new Setting(name, crew, List.copyOf(lots), Circumstance.NONE, Circumstance.NONE);
  }

  Setting workers(int workers) {
    return with(new Crew(workers, crew.parallelism, crew.work));
  }

  Setting parallelism(int parallelism) {
    return with(new Crew(crew.workers, parallelism, crew.work));
  }

  Setting work(Duration work) {
    return with(new Crew(crew.workers, crew.parallelism, work));
  }

  private Setting with(Crew changed) {
    return new Setting(name, changed, lots, amid, during);
  }

  Setting amid(Circumstance circumstance) {
    return new Setting(name, crew, lots, circumstance, during);
  }

  Setting during(Circumstance circumstance) {
    return new Setting(name, crew, lots, amid, circumstance);
  }

  Setting scaled(Plan plan) {
    List<Lot> scaled = lots.stream().map(lot -> lot.scaled(plan)).toList();
    return new Setting(name, crew, scaled, amid, during);
  }

  int jobs() {
    return lots.stream().mapToInt(Lot::jobs).sum();
  }

  /** For people to read. */
  Map<String, String> described() {
    Map<String, String> described = new LinkedHashMap<>();
    described.put("workers", Integer.toString(crew.workers));
    described.put("threads", Integer.toString(crew.parallelism));
    described.put("tasks", Integer.toString(lots.size()));
    described.put("jobs per batch", Integer.toString(jobs()));
    if (!crew.work.isZero()) {
      described.put("handler", crew.work.toMillis() + " ms");
    }
    return described;
  }
}
