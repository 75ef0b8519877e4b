package dev.sluice.object.state;

/** Where the segments are that a control object refers to. */
@FunctionalInterface
public interface SegmentSource {
  /** The segment at this key, which exists. */
  Segment get(String key);
}
