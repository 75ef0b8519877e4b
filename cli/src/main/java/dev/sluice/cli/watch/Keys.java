package dev.sluice.cli.watch;

/**
 * Makes keys of the characters that a terminal sends. An arrow comes as three of them, and on a
 * slow line or a busy machine the second may be late: however long it takes, the three are one key.
 * Escape by itself means nothing here, so nothing is lost by waiting. Not thread-safe.
 */
public final class Keys {
  /** Nothing was typed, or nothing that is a key yet. */
  public static final int NONE = 0;

  private static final int ESCAPE = 27;

  private int before = NONE;

  /** The key that this character completes, arrows up and down as k and j. */
  public int typed(int character) {
    if (character < 0) {
      return NONE;
    }
    int key = keyOf(character);
    before = startsArrow(character) ? character : NONE;
    return key;
  }

  private int keyOf(int character) {
    if (before == '[' || before == 'O') {
      return character == 'A' ? 'k' : character == 'B' ? 'j' : NONE;
    }
    return startsArrow(character) ? NONE : character;
  }

  private boolean startsArrow(int character) {
    return character == ESCAPE || (before == ESCAPE && (character == '[' || character == 'O'));
  }
}
