package dev.sluice.bench;

import dev.sluice.bench.scenario.Progress;
import dev.sluice.cli.text.Console;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows on standard error how far a run is: a bar on a terminal, else a line for each step. */
final class ConsoleProgress implements Progress {
  private final Console console;
  private String scenario;
  private ProgressBar bar;

  ConsoleProgress(Console console) {
    this.console = console;
  }

  @Override
  public void begin(String name, int steps) {
    scenario = name;
    if (console.terminal().err()) {
      bar =
          new ProgressBarBuilder()
              .setTaskName(name)
              .setInitialMax(steps)
              .setStyle(
                  console.style().unicode()
                      ? ProgressBarStyle.UNICODE_BLOCK
                      : ProgressBarStyle.ASCII)
              .setConsumer(
                  new ConsoleProgressBarConsumer(console.errStream(), console.terminal().width()))
              .build();
    }
  }

  @Override
  public void step(String note) {
    if (bar == null) {
      console.err().println(scenario + ": " + note);
    } else {
      bar.setExtraMessage(" " + note).step();
    }
  }

  @Override
  public void end() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
