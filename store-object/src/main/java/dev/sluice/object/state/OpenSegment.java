package dev.sluice.object.state;

import dev.sluice.Submission;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How far a segment has come, in this draft. */
final class OpenSegment {
  final String key;
  int unfinished;
  Map<Integer, Integer> cursors;
  Set<Integer> gone;
  Map<Integer, Submission> refused;
  private boolean own;

  OpenSegment(SegmentRef ref) {
    key = ref.key();
    unfinished = ref.unfinished();
    cursors = ref.cursors();
    gone = ref.gone();
    refused = ref.refused();
  }

  /** For changes: the state that the draft began with keeps its own. */
  OpenSegment writable() {
    if (!own) {
      cursors = new HashMap<>(cursors);
      gone = new HashSet<>(gone);
      refused = new HashMap<>(refused);
      own = true;
    }
    return this;
  }

  SegmentRef ref() {
    return new SegmentRef(key, unfinished, cursors, gone, refused);
  }
}
