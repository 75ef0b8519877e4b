package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.watch.Keys;
import dev.sluice.cli.watch.Lookout;
import dev.sluice.cli.watch.TopScreen;
import dev.sluice.cli.watch.TopView;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A full-screen view of groups, slots and rates. */
@Command(
    name = "top",
    description = {
      "Watch groups, slots and rates on the whole screen.",
      "",
      "Keys: up and down (or k and j) choose a group, whose slots are shown below if there is room;"
          + " space looks again at once; q or Ctrl-C ends it."
    },
    footer = {
      "Examples:",
      "  sluice top",
      "  sluice top --every 5s --store postgresql://localhost/app"
    })
final class TopCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofMillis(200);
  private static final Duration KEY_WAIT = Duration.ofMillis(100);
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);
  private static final int CTRL_C = 3;

  private final SluiceCommand root;

  @Option(names = "--every", paramLabel = "D", description = "How often to look. Default: 2s")
  private Duration every = Duration.ofSeconds(2);

  TopCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (every.compareTo(SHORTEST) < 0) {
      throw new InvalidRequestException(
          "--every is %s; use 200ms or more.".formatted(Durations.format(every)));
    }
    if (!root.console().terminal().out() || root.json()) {
      throw new InvalidRequestException(
          "'sluice top' draws on a terminal, and standard output is none. For scripts there are 'sluice stats' and 'sluice concurrency status', also with --json.");
    }
    StopSignal stop = StopSignal.install();
    Sluice sluice = root.openToRead();
    Lookout lookout = new Lookout(new TopView(sluice, root.storeName())::look);
    try {
      watch(lookout, stop);
    } finally {
      lookout.leave(sluice, CLOSE_WAIT);
    }
    return ExitCode.OK;
  }

  private void watch(Lookout lookout, StopSignal stop) throws IOException, InterruptedException {
    // Signals are ours: with handlers of its own, the terminal would be left as it is now.
    try (Terminal terminal =
        TerminalBuilder.builder().system(true).dumb(false).nativeSignals(false).build()) {
      // Reading keys wants a terminal as well; a pipe there would end it at once.
      Attributes before = terminal.enterRawMode();
      terminal.puts(Capability.enter_ca_mode);
      terminal.puts(Capability.cursor_invisible);
      try {
        show(lookout, terminal, stop);
      } finally {
        terminal.puts(Capability.cursor_visible);
        terminal.puts(Capability.exit_ca_mode);
        terminal.flush();
        terminal.setAttributes(before);
      }
    }
  }

  private void show(Lookout lookout, Terminal terminal, StopSignal stop)
      throws IOException, InterruptedException {
    TopScreen screen = new TopScreen(root.console().style(), root.times());
    Keys keys = new Keys();
    long lookedAt = 0;
    String drawn = "";
    boolean stale = true;
    while (!stop.await(Duration.ZERO)) {
      if (lookedAt == 0 || System.nanoTime() - lookedAt >= every.toNanos()) {
        lookout.look(screen.selected());
        lookedAt = System.nanoTime();
      }
      stale |= lookout.report(screen);
      Size size = terminal.getSize();
      if (stale || !size.toString().equals(drawn)) {
        draw(terminal, screen, size);
        drawn = size.toString();
        stale = false;
      }
      int typed = terminal.reader().read(KEY_WAIT.toMillis());
      if (typed == NonBlockingReader.EOF) {
        return;
      }
      switch (keys.typed(typed)) {
        case 'q', 'Q', CTRL_C -> {
          return;
        }
        case 'k' -> stale = screen.select(-1);
        case 'j' -> stale = screen.select(1);
        case ' ' -> lookedAt = 0;
        default -> {
          // Nothing was typed, or nothing that means anything.
        }
      }
    }
  }

  private static void draw(Terminal terminal, TopScreen screen, Size size) {
    StringBuilder frame = new StringBuilder("\u001b[H");
    String gap = "";
    for (String line : screen.lines(size.getColumns(), size.getRows())) {
      frame.append(gap).append(line).append("\u001b[K");
      gap = "\r\n";
    }
    terminal.writer().print(frame.append("\u001b[J"));
    terminal.writer().flush();
  }
}
