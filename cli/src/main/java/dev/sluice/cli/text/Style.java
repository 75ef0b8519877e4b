package dev.sluice.cli.text;

import dev.sluice.JobState;

/**
 * Colours and ornaments, or their plain stand-ins.
 *
 * @param colour whether to send colour codes
 * @param unicode whether block characters and arrows can be shown; otherwise ASCII stands in
 */
public record Style(boolean colour, boolean unicode) {
  private static final String RESET = "\u001b[0m";

  /** A heading. */
  public String bold(String text) {
    return paint("1", text);
  }

  /** Something of little weight. */
  public String dim(String text) {
    return paint("2", text);
  }

  /** Something good. */
  public String green(String text) {
    return paint("32", text);
  }

  /** Something to look at. */
  public String yellow(String text) {
    return paint("33", text);
  }

  /** Something bad. */
  public String red(String text) {
    return paint("31", text);
  }

  /** Something at work. */
  public String cyan(String text) {
    return paint("36", text);
  }

  /** A job's state in its colour. */
  public String state(JobState state) {
    String word = state.toString();
    return switch (state) {
      case SUCCEEDED -> green(word);
      case FAILED -> red(word);
      case RUNNING -> cyan(word);
      case WAITING -> yellow(word);
      case CANCELLED, SCHEDULED -> dim(word);
      case READY -> word;
    };
  }

  /**
   * A bar of the given width, filled in proportion; full when {@code value} reaches {@code of}, and
   * never shown full before that.
   */
  public String bar(long value, long of, int width) {
    int filled = 0;
    if (of > 0 && value > 0) {
      filled = (int) Math.min(width, Math.max(1, value * width / of));
    }
    String full = (unicode ? "█" : "#").repeat(filled);
    String empty = (unicode ? "░" : ".").repeat(width - filled);
    String painted = value > of ? red(full) : value == of ? yellow(full) : green(full);
    return painted + dim(empty);
  }

  /** The sign for a limit that is not there. */
  public String unlimited() {
    return unicode ? "∞" : "none";
  }

  /** A horizontal rule. */
  public String rule(int width) {
    return dim((unicode ? "─" : "-").repeat(width));
  }

  /** The mark of an indented row. */
  public String branch() {
    return unicode ? "└ " : "- ";
  }

  /** The sign for more text than there is room for. */
  String ellipsis() {
    return unicode ? "…" : "~";
  }

  private String paint(String code, String text) {
    return colour && !text.isEmpty() ? "\u001b[" + code + "m" + text + RESET : text;
  }
}
