package dev.sluice.object.state;

import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;

/**
 * The numbers on record for a group or family, one per level; null = none.
 *
 * @param operator an operator's
 * @param config a configuration file's
 * @param code what tasks declare
 * @param submit what submits bring along
 * @param operatorChange how the operator's number came about; null if there is none
 * @param configChange how the configuration file's came about; null if there is none
 */
public record LimitRule(
    Integer operator,
    Integer config,
    Integer code,
    Integer submit,
    LimitChange operatorChange,
    LimitChange configChange) {
  /** No numbers. */
  public static final LimitRule NONE = new LimitRule(null, null, null, null, null, null);

  /** The number at this level, or null. */
  public Integer at(LimitLevel level) {
    return switch (level) {
      case OPERATOR -> operator;
      case CONFIG -> config;
      case CODE -> code;
      case SUBMIT -> submit;
    };
  }

  /** How the number at this level came about; null if it is not a level that is logged. */
  public LimitChange changeOf(LimitLevel level) {
    return switch (level) {
      case OPERATOR -> operatorChange;
      case CONFIG -> configChange;
      case CODE, SUBMIT -> null;
    };
  }

  /** This one with another number at a level that is not logged. */
  LimitRule with(LimitLevel level, Integer limit) {
    return new LimitRule(
        operator,
        config,
        level == LimitLevel.CODE ? limit : code,
        level == LimitLevel.SUBMIT ? limit : submit,
        operatorChange,
        configChange);
  }

  /** This one after a change that is logged. */
  LimitRule with(LimitChange change) {
    Integer limit = change.after().isPresent() ? (Integer) change.after().getAsInt() : null;
    LimitChange kept = limit == null ? null : change;
    return change.level() == LimitLevel.OPERATOR
        ? new LimitRule(limit, config, code, submit, kept, configChange)
        : new LimitRule(operator, limit, code, submit, operatorChange, kept);
  }
}
