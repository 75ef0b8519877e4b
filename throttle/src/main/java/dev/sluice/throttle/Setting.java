package dev.sluice.throttle;

/**
 * A number, and where it came from.
 *
 * @param source a variable, a file, or the rule it was computed by; for people to read
 */
public record Setting(int value, String source) {}
