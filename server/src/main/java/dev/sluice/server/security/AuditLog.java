package dev.sluice.server.security;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line for every change: who, what, of which thing, and what came of it. */
public final class AuditLog {
  private static final Logger log = LoggerFactory.getLogger("dev.sluice.server.audit");
  private static final int LONGEST = 300;

  private AuditLog() {}

  /** Writes a line. */
  public static void write(Caller caller, String what, String subject, int status) {
    log.info(
        "actor=\"{}\" role={} change=\"{}\" subject=\"{}\" status={}",
        printable(caller.actor()),
        caller.role(),
        what,
        printable(subject),
        status);
  }

  /** On one line, and unable to look like another field, whatever a caller named things. */
  static String printable(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .limit(LONGEST)
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                out.append('\\').appendCodePoint(c);
              } else if (Character.isISOControl(c)
                  || Character.getType(c) == Character.LINE_SEPARATOR
                  || Character.getType(c) == Character.PARAGRAPH_SEPARATOR
                  || Character.getType(c) == Character.FORMAT
                  || Character.getType(c) == Character.SURROGATE) {
                out.append("\\u%04x".formatted(c));
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.toString();
  }
}
