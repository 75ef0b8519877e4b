package dev.sluice;

import java.util.List;
import java.util.Set;

/** The workers that are signed on, wherever they run. Thread-safe. */
public interface Workers {
  /** Every worker, longest signed on first; one that died is listed until it is given up. */
  List<WorkerInfo> list();

  /**
   * Gives up workers whose lease is over: their jobs go back in line, their slots come free.
   * Workers do so by themselves every now and then; this is for when none is left.
   */
  Recovered recover();

  /**
   * What became of workers that were given up.
   *
   * @param workers the ids of these workers
   * @param jobs how many of their jobs are back in line
   * @param slots how many slots came free
   */
  record Recovered(Set<String> workers, int jobs, int slots) {}
}
