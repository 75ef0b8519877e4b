package dev.sluice.object.state;

/**
 * A job that belongs to a worker.
 *
 * @param place where its record is
 * @param claim whose it is
 * @param due since when it was due, by which it takes its place in line if it is handed back
 * @param startedAt when its handler started; 0 while it is in its worker's buffer
 * @param cancelRequested whether its worker is asked to stop it
 * @param note the latest progress its handler reported, or null
 */
public record RunningJob(
    JobPlace place, Claim claim, long due, long startedAt, boolean cancelRequested, String note) {

  /**
   * Whose a job is.
   *
   * @param worker the worker's id
   * @param token the token of the commit that made the claim
   * @param heldBackBy the group that was last found full in front of the job, or null
   */
  public record Claim(String worker, long token, String heldBackBy) {}

  /** Whether a handler has started it. */
  public boolean hasStarted() {
    return startedAt != 0;
  }

  RunningJob started(long at) {
    return new RunningJob(place, claim, due, at, cancelRequested, note);
  }

  RunningJob withCancelRequest() {
    return new RunningJob(place, claim, due, startedAt, true, note);
  }

  RunningJob withNote(String text) {
    return new RunningJob(place, claim, due, startedAt, cancelRequested, text);
  }
}
