package dev.sluice.cli.config;

/**
 * Something that is wrong with a configuration.
 *
 * @param where the file with its line, or the environment variable
 * @param what what is wrong and what is allowed, as sentences; no secrets
 * @param table the table whose setting has a wrong value; empty = more is wrong than a value
 */
public record Problem(String where, String what, String table) {
  /** Something that is wrong whatever is used of the configuration. */
  Problem(String where, String what) {
    this(where, what, "");
  }

  @Override
  public String toString() {
    return where + ": " + what;
  }
}
