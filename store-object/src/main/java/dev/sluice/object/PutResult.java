package dev.sluice.object;

import java.time.Instant;

/** How a conditional put ended, if its end is known. */
sealed interface PutResult {

  /**
   * The object is written, durably.
   *
   * @param tag the tag it has now
   * @param at when, by the store's clock
   */
  record Stored(String tag, Instant at) implements PutResult {}

  /**
   * Nothing was written, because somebody else was there first: read again and decide again.
   *
   * @param reason what stood in the way
   */
  record Lost(Reason reason) implements PutResult {}

  /** What a put that wrote nothing ran into. */
  enum Reason {
    /** The object is there (for a create), or has another tag (for a replacement). */
    CHANGED,
    /** The object to be replaced is gone. */
    ABSENT,
    /** Another write to the same key was under way; its outcome decides. */
    BUSY
  }
}
