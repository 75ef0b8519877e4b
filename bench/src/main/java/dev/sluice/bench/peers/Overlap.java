package dev.sluice.bench.peers;

import java.util.Arrays;

/** How many spans of time cover one moment. */
final class Overlap {
  private Overlap() {}

  /** The most spans that cover one moment; one that ends where another starts is over by then. */
  static int peak(long[] started, long[] ended) {
    long[] starts = started.clone();
    long[] ends = ended.clone();
    Arrays.sort(starts);
    Arrays.sort(ends);
    int peak = 0;
    int over = 0;
    for (int begun = 0; begun < starts.length; begun++) {
      while (ends[over] <= starts[begun] && over < begun) {
        over++;
      }
      peak = Math.max(peak, begun + 1 - over);
    }
    return peak;
  }
}
