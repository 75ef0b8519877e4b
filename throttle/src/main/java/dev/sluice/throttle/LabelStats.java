package dev.sluice.throttle;

/**
 * What went through a throttle under one label.
 *
 * @param inFlight inside now
 * @param peakInFlight the most that were inside at once
 * @param queueDepth waiting now
 * @param successTotal ended well
 * @param failureTotal ended with an exception
 * @param refusedTotal never started: time was over, the line was full, or it was interrupted
 * @param latency from start to end, without the wait
 * @param waitTime from arrival to start, of those that started
 */
public record LabelStats(
    int inFlight,
    int peakInFlight,
    int queueDepth,
    long successTotal,
    long failureTotal,
    long refusedTotal,
    Timing latency,
    Timing waitTime) {}
