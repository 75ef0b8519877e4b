package dev.sluice.throttle;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel's way to list processors: {@code 0-3,8}. */
final class CpuList {
  private static final Pattern RANGE = Pattern.compile("([0-9]{1,6})(?:-([0-9]{1,6}))?");

  private CpuList() {}

  /**
   * How many processors a list names; 0 if it is empty.
   *
   * @throws IllegalArgumentException if it is not such a list
   */
  static int count(String list) {
    BitSet processors = new BitSet();
    if (list.isBlank()) {
      return 0;
    }
    for (String part : list.strip().split(",", -1)) {
      Matcher range = RANGE.matcher(part.strip());
      if (!range.matches()) {
        throw new IllegalArgumentException("'%s' is no list of processors".formatted(list.strip()));
      }
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (last < first) {
        throw new IllegalArgumentException("'%s' runs backwards".formatted(list.strip()));
      }
      processors.set(first, last + 1);
    }
    return processors.cardinality();
  }
}
