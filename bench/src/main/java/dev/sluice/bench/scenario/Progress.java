package dev.sluice.bench.scenario;

/** Hears how far a run is. */
public interface Progress {
  /** A scenario begins, and will take so many steps. */
  void begin(String scenario, int steps);

  /** A step was made; says what came of it. */
  void step(String note);

  /** The scenario is over. */
  void end();
}
