package dev.sluice.throttle;

/**
 * A throttle at a moment, in a line: for operators and logs. {@link Throttle#stats()} has what went
 * through by label.
 *
 * @param name what it is called
 * @param limit how much may be inside at once
 * @param inFlight how much is inside
 * @param queued how many wait
 * @param succeeded what ended well so far
 * @param failed what ended with an exception so far
 */
public record ThrottleFigures(
    String name, int limit, int inFlight, int queued, long succeeded, long failed) {}
