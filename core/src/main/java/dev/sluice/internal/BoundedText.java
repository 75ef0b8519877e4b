package dev.sluice.internal;

import dev.sluice.spi.JobOutcome.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Text from user code made fit for storage: bounded, without NUL and halves of characters. */
final class BoundedText {
  static final int LONGEST_MESSAGE = 1_000;
  static final int LONGEST_STACK_TRACE = 8 * 1_024;
  private static final char REPLACEMENT = '\uFFFD';

  private BoundedText() {}

  static String of(String text, int longest) {
    if (text == null) {
      return "";
    }
    StringBuilder bounded = new StringBuilder(Math.min(text.length(), longest));
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      boolean storable = c != 0 && !(c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
      if (bounded.length() + Character.charCount(c) > longest) {
        break;
      }
      bounded.appendCodePoint(storable ? c : REPLACEMENT);
    }
    return bounded.toString();
  }

  /** What is kept of an exception. */
  static Failure failure(Throwable thrown) {
    String message;
    StringWriter trace = new StringWriter();
    try {
      message = thrown.getMessage();
      thrown.printStackTrace(new PrintWriter(trace, true));
    } catch (Throwable unprintable) {
      // An exception whose own methods throw must not cost the outcome of its job.
      message = "(its message cannot be read: " + unprintable.getClass().getName() + ")";
    }
    return new Failure(
        thrown.getClass().getName(),
        of(message, LONGEST_MESSAGE),
        of(trace.toString(), LONGEST_STACK_TRACE));
  }
}
