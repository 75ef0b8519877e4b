package dev.sluice.object.state;

import dev.sluice.Submission;
import java.util.Map;
import java.util.Set;

/**
 * How far the jobs of a segment have come.
 *
 * @param key where the segment is
 * @param unfinished how many of its jobs still need it: those that are not archived and have not
 *     moved to another segment
 * @param cursors how many jobs of a line are no longer in it, by line; 0 is left out
 * @param gone indexes of jobs behind a cursor that are in line no more
 * @param refused what was answered for jobs that were not admitted, by index
 */
public record SegmentRef(
    String key,
    int unfinished,
    Map<Integer, Integer> cursors,
    Set<Integer> gone,
    Map<Integer, Submission> refused) {

  /** Whether the job of this index stands in its line. */
  public boolean isInLine(Segment segment, int index) {
    return segment.positionOf(index) >= cursors.getOrDefault(segment.lineOf(index), 0)
        && !gone.contains(index);
  }
}
