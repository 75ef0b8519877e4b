package dev.sluice.cli.text;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Where a command prints: the two streams, and what the terminal behind them can show. Text is
 * always UTF-8, so that names arrive whole in files and pipes; only ornaments mind the locale.
 */
public final class Console {
  private final PrintWriter out;
  private final PrintWriter err;
  private final Terminal terminal;
  private final Style style;

  private Console(OutputStream out, OutputStream err, Terminal terminal, Style style) {
    this.out = new PrintWriter(out, true, StandardCharsets.UTF_8);
    this.err = new PrintWriter(err, true, StandardCharsets.UTF_8);
    this.terminal = terminal;
    this.style = style;
  }

  /** The process's own streams. */
  public static Console system() {
    Terminal terminal = Terminal.detect();
    String noColour = System.getenv("NO_COLOR");
    boolean colour =
        terminal.out()
            && (noColour == null || noColour.isEmpty())
            && !"dumb".equals(System.getenv("TERM"));
    boolean unicode = Charset.forName(nativeEncoding()).equals(StandardCharsets.UTF_8);
    return new Console(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        terminal,
        new Style(colour, unicode));
  }

  /** Streams of a test or of another program: no terminal, no colours, Unicode ornaments. */
  public static Console plain(OutputStream out, OutputStream err) {
    return new Console(out, err, Terminal.NONE, new Style(false, true));
  }

  private static String nativeEncoding() {
    String encoding = System.getProperty("native.encoding");
    return encoding != null && Charset.isSupported(encoding) ? encoding : "US-ASCII";
  }

  /** Standard output. */
  public PrintWriter out() {
    return out;
  }

  /** Standard error. */
  public PrintWriter err() {
    return err;
  }

  /** Standard error as the stream that libraries ask for. */
  public PrintStream errStream() {
    return new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
  }

  /** Which of the streams are a terminal, and how wide it is. */
  public Terminal terminal() {
    return terminal;
  }

  /** Colours and ornaments. */
  public Style style() {
    return style;
  }

  /** Whether to print in colour. */
  public boolean colour() {
    return style.colour();
  }

  /** How wide a table may be: the terminal's width, or without bound where nobody looks. */
  public int tableWidth() {
    return terminal.out() ? terminal.width() : Integer.MAX_VALUE;
  }
}
