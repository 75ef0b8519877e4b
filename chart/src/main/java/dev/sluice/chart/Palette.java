package dev.sluice.chart;

/** Colours that also people who confuse some of them can tell apart, on white. */
public final class Palette {
  private static final String[] COLOURS = {
    "#0072b2", "#d55e00", "#009e73", "#b5497f", "#a67c00", "#3d3d9e", "#56a0d3", "#6b6b6b"
  };

  private Palette() {}

  /** The colour of the line with this number; they repeat after eight. */
  public static String colour(int line) {
    return COLOURS[line % COLOURS.length];
  }
}
