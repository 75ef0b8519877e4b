package dev.sluice.internal;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.HeldSlot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The groups in which a worker found work and no slot, each until it gets one: a store may say with
 * every exchange that a group is full, and that is news only once. One thread's own.
 */
final class Refusals {
  /** Beyond this the oldest are forgotten with all others, and may be news again. */
  static final int MOST = 10_000;

  private final Set<String> standing = new HashSet<>();

  /** The groups that were found full now and had not been before. */
  List<String> news(Answer answer) {
    if (answer.full().isEmpty() && standing.isEmpty()) {
      return List.of();
    }
    // A worker that got some of the slots it asked for was not turned away.
    Set<String> full = new HashSet<>(answer.full());
    for (HeldSlot slot : answer.slots()) {
      full.remove(slot.group());
      standing.remove(slot.group());
    }
    for (ClaimedJob job : answer.jobs()) {
      for (ClaimedJob.NamedSlot slot : job.bond().named()) {
        full.remove(slot.group());
        standing.remove(slot.group());
      }
    }
    List<String> news = new ArrayList<>();
    for (String group : full) {
      if (standing.add(group)) {
        news.add(group);
      }
    }
    if (standing.size() > MOST) {
      standing.clear();
    }
    return news;
  }
}
