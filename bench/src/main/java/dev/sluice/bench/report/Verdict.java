package dev.sluice.bench.report;

/** How a ratio stands to its goal, judged by its median. */
public enum Verdict {
  /** It reaches what it aims for. */
  EXCELS("excels"),
  /** It reaches what it must. */
  HOLDS("holds"),
  /** It does not. */
  MISSED("MISSED"),
  /** It has no goal. */
  TOLD("");

  private final String word;

  Verdict(String word) {
    this.word = word;
  }

  /** The verdict on this ratio. */
  public static Verdict of(Ratio ratio) {
    if (ratio.goal().isEmpty()) {
      return TOLD;
    }
    Ratio.Goal goal = ratio.goal().get();
    double median = ratio.value().median();
    if (!goal.reached(median)) {
      return MISSED;
    }
    return goal.excelled(median) ? EXCELS : HOLDS;
  }

  /** The word to show; empty without a goal. */
  public String word() {
    return word;
  }
}
