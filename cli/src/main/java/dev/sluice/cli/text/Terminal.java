package dev.sluice.cli.text;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * What is known about the terminal, asked of {@code test} and {@code stty}: a library's answer took
 * most of a second, and needed standard input to be the terminal too.
 *
 * @param out whether standard output is one
 * @param err whether standard error is one
 */
public record Terminal(boolean out, boolean err) {
  /** No terminal at all. */
  public static final Terminal NONE = new Terminal(false, false);

  static final int DEFAULT_WIDTH = 100;
  private static final int OUT = 1;
  private static final int ERR = 2;
  private static final int NARROWEST = 40;
  private static final String ASK =
      "bits=0; test -t 1 && bits=1; test -t 2 && bits=$((bits + 2)); exit $bits";

  static Terminal detect() {
    try {
      Process process =
          new ProcessBuilder("sh", "-c", ASK)
              .redirectOutput(Redirect.INHERIT)
              .redirectError(Redirect.INHERIT)
              .start();
      int bits = process.waitFor();
      return new Terminal((bits & OUT) != 0, (bits & ERR) != 0);
    } catch (IOException e) {
      return NONE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return NONE;
    }
  }

  /** Its width at the moment, in columns. */
  public int width() {
    if (!out && !err) {
      return DEFAULT_WIDTH;
    }
    try {
      Process process = new ProcessBuilder("sh", "-c", "stty size </dev/tty 2>/dev/null").start();
      String size =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
      process.waitFor(1, TimeUnit.SECONDS);
      int columns = Integer.parseInt(size.substring(size.indexOf(' ') + 1));
      return columns == 0 ? DEFAULT_WIDTH : Math.max(NARROWEST, columns);
    } catch (IOException | NumberFormatException e) {
      return DEFAULT_WIDTH;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return DEFAULT_WIDTH;
    }
  }
}
