package dev.sluice.object.state;

import dev.sluice.LimitLevel;

/** The numbers on record for a group or family, one per level; null = none. */
public record LimitRule(Integer operator, Integer config, Integer code, Integer submit) {
  /** No numbers. */
  public static final LimitRule NONE = new LimitRule(null, null, null, null);

  /** The number at this level, or null. */
  public Integer at(LimitLevel level) {
    return switch (level) {
      case OPERATOR -> operator;
      case CONFIG -> config;
      case CODE -> code;
      case SUBMIT -> submit;
    };
  }

  LimitRule with(LimitLevel level, Integer limit) {
    return new LimitRule(
        level == LimitLevel.OPERATOR ? limit : operator,
        level == LimitLevel.CONFIG ? limit : config,
        level == LimitLevel.CODE ? limit : code,
        level == LimitLevel.SUBMIT ? limit : submit);
  }
}
