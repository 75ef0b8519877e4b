package dev.sluice.throttle;

/**
 * What was tried again under one label.
 *
 * @param retryAttempts attempts after the first
 * @param retrySuccessAfterAttempt calls that succeeded, but not at the first attempt
 * @param retryExhausted calls whose last attempt failed in a way that would have been tried again;
 *     not those that failed for good
 */
public record RetryStats(long retryAttempts, long retrySuccessAfterAttempt, long retryExhausted) {}
