package dev.sluice.embedded;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unpacked PostgreSQL programs that are known to run here.
 *
 * @param home the directory that holds {@code bin}, {@code lib} and {@code share}
 * @param version the full version, such as {@code 18.6}
 */
record Binaries(Path home, String version) {

  private static final Pattern VERSION = Pattern.compile("PostgreSQL\\) (\\d+[\\w.]*)");

  /**
   * Runs the server program for its version.
   *
   * @throws IllegalStateException if it does not run, with what it printed
   */
  static Binaries probe(Path home, Privileges privileges) {
    Path postgres = home.resolve("bin/postgres");
    Command.Outcome outcome =
        Command.of(postgres.toString(), "--version").through(privileges.prefix()).run();
    Matcher matcher = VERSION.matcher(outcome.output());
    if (!outcome.succeeded() || !matcher.find()) {
      throw new IllegalStateException(
          "%s does not run here (it needs the GNU C library): %s. If it is damaged, delete %s and try again."
              .formatted(postgres, outcome.output(), home));
    }
    return new Binaries(home, matcher.group(1));
  }

  int major() {
    return Integer.parseInt(version.split("\\D", 2)[0]);
  }

  String program(String name) {
    return home.resolve("bin").resolve(name).toString();
  }
}
