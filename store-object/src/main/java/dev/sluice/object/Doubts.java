package dev.sluice.object;

import dev.sluice.object.state.ShardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The puts of one batch that got no answer. Each state that is read from then on is asked whether
 * one of them is in it, before anything is drafted on that state: a batch that has happened must
 * not happen again.
 */
final class Doubts {
  private final List<Doubt> open = new ArrayList<>();

  /**
   * A commit whose put got no answer.
   *
   * @param version the version it would make
   * @param nonce names it among the commits of that version
   * @param before the state it follows
   * @param deliveries hand out its answers
   */
  record Doubt(long version, String nonce, ShardState before, List<Runnable> deliveries) {}

  void add(Doubt doubt) {
    open.add(doubt);
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /**
   * The one that has happened, by a state that was read after it was put.
   *
   * @throws UnknownOutcomeException if that state is so much later that it does not tell
   */
  Optional<Doubt> landedIn(ShardState now) {
    Optional<Doubt> landed =
        open.stream()
            .filter(doubt -> now.edition().followed(doubt.version, doubt.nonce))
            .findFirst();
    if (landed.isEmpty() && open.stream().anyMatch(doubt -> now.forgets(doubt.version))) {
      throw new UnknownOutcomeException(
          "A commit to '%s' got no answer, and too many followed to tell whether it happened."
              .formatted(ControlObject.KEY),
          null);
    }
    return landed;
  }
}
