package dev.sluice;

import java.util.Optional;

/**
 * A group that nothing on record has used: no job, no slot, no worker's task, and no limit. A limit
 * for it is valid, and holds once a job names the group; but the name may be mistyped.
 *
 * @param group the group
 * @param nearest the most similar name of a group, family or task on record; empty if none is
 *     similar
 */
public record UnusedGroup(Group group, Optional<String> nearest) {
  /** What to tell the operator, in a sentence or two. */
  public String message() {
    return "Nothing on record uses the group '%s'.".formatted(group)
        + nearest.map(" Did you mean '%s'?"::formatted).orElse("");
  }
}
