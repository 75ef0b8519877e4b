package dev.sluice;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Whether a word is another one, mistyped. */
public final class Spelling {
  private static final int SHORTEST_START = 2;
  private static final int LETTERS_PER_MISTAKE = 3;

  private Spelling() {}

  /** Whether one is the start of the known word, or differs from it in at most a third. */
  public static boolean isClose(String typed, String known) {
    int longest = Math.max(typed.length(), known.length());
    return (typed.length() >= SHORTEST_START && known.startsWith(typed))
        || distance(typed, known) <= Math.max(1, longest / LETTERS_PER_MISTAKE);
  }

  /** The most similar of the close words; empty if none is close. */
  public static Optional<String> nearest(String typed, Collection<String> known) {
    return known.stream()
        .filter(word -> isClose(typed, word))
        .min(
            Comparator.<String>comparingInt(word -> distance(typed, word))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** How many letters are missing, too many, wrong, or swapped with the next. */
  private static int distance(String a, String b) {
    int[][] steps = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          steps[i][j] = i + j;
          continue;
        }
        int wrong = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(steps[i - 1][j], steps[i][j - 1]) + 1;
        least = Math.min(least, steps[i - 1][j - 1] + wrong);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, steps[i - 2][j - 2] + 1);
        }
        steps[i][j] = least;
      }
    }
    return steps[a.length()][b.length()];
  }
}
