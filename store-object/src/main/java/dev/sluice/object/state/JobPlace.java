package dev.sluice.object.state;

/**
 * Where a job's record is.
 *
 * @param segment the number of the segment
 * @param index which of its jobs
 */
public record JobPlace(long segment, int index) {}
