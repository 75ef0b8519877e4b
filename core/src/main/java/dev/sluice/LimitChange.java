package dev.sluice;

import java.time.Instant;
import java.util.OptionalInt;

/**
 * A change of a limit, as it stands in the log: who changed which limit when.
 *
 * @param at when, by the store's clock
 * @param by who: an operator's name, or the process
 * @param group the group or family
 * @param level at which level
 * @param before the number at that level before; empty = there was none
 * @param after the number at that level from then on; empty = it was taken away
 */
public record LimitChange(
    Instant at, String by, Group group, LimitLevel level, OptionalInt before, OptionalInt after) {}
