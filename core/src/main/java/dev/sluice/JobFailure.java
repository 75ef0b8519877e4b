package dev.sluice;

import java.time.Instant;

/**
 * One failed attempt of a job.
 *
 * @param attempt which attempt it was, 1 = the first
 * @param at when it ended, by the store's clock
 * @param type the class of what the handler threw
 * @param message its message, bounded
 * @param stackTrace its stack trace, bounded; may be empty
 */
public record JobFailure(int attempt, Instant at, String type, String message, String stackTrace) {}
