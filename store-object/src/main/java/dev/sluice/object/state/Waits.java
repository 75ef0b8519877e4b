package dev.sluice.object.state;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a worker's session remembers, from one claim to the next, of what it waits for. A step may
 * run several times before its commit happens: what the latest run found counts once {@link
 * #committed} says so. Used by one exchange at a time.
 */
public final class Waits {
  /**
   * A job that was first in line and could not start.
   *
   * @param since when that was first seen
   * @param seen when it was last seen
   * @param full the groups that had no room at one time or another
   */
  record Front(long since, long seen, Set<String> full) {}

  /** How long a job is first in line, and passed over, until slots are kept for it. */
  public static final Duration PASSED_OVER = Duration.ofSeconds(5);

  private final long patience;
  private Map<JobPlace, Front> fronts = Map.of();
  private Map<JobPlace, Front> found = Map.of();
  private boolean mayAsk;
  private boolean asked;
  private boolean freed;
  private long lookIn;

  /**
   * Nothing is waited for yet.
   *
   * @param patience how long a job is passed over until slots are kept for it
   */
  public Waits(Duration patience) {
    this.patience = Micros.of(patience);
  }

  /**
   * Begins an exchange.
   *
   * @param freely whether a commit may be made for nothing but what this worker asks for
   */
  public void begin(boolean freely) {
    mayAsk = freely;
    reset();
  }

  private void reset() {
    found = new HashMap<>(fronts);
    asked = false;
    freed = false;
    lookIn = 0;
  }

  /** The commit of the exchange has happened. */
  public void committed() {
    fronts = found;
  }

  /** Whether the exchange changed what this worker asks for. */
  public boolean hasAsked() {
    return asked;
  }

  /** Whether the exchange gave back slots that something else waits for. */
  public boolean hasFreed() {
    return freed;
  }

  /** In how many microseconds it is worth looking again for what is asked for; 0 = not at all. */
  public long lookIn() {
    return lookIn;
  }

  // For the step

  /** A run of the step begins: what an earlier one found does not count. */
  void restart() {
    reset();
  }

  long patience() {
    return patience;
  }

  boolean mayAsk() {
    return mayAsk;
  }

  void asked() {
    asked = true;
  }

  void freed() {
    freed = true;
  }

  void lookWithin(long micros) {
    lookIn = lookIn == 0 ? micros : Math.min(lookIn, micros);
  }

  Map<JobPlace, Front> fronts() {
    return found;
  }
}
