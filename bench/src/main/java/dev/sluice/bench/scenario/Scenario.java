package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Section;

/** Something to measure. */
public interface Scenario {
  /** What it is called on the command line. */
  String name();

  /** Which page of the documentation shows it. */
  String family();

  /** What it does, in a sentence. */
  String summary();

  /** Whether it needs a database. */
  default boolean onPostgres() {
    return true;
  }

  /** Measures it. */
  Section run(Bench bench) throws InterruptedException;
}
