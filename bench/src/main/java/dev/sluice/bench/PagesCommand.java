package dev.sluice.bench;

import dev.sluice.bench.pages.PagesBenchmark;
import dev.sluice.bench.pages.Size;
import dev.sluice.bench.report.TextFile;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Times what the dashboard asks for. */
@Command(
    name = "pages",
    description = {
      "Times every call of the API that a page makes, with a great many jobs and groups on record,",
      "and fails if one takes longer than 300 ms. With --docs the plans of the slowest are written",
      "to DIR/plans as well."
    },
    mixinStandardHelpOptions = true)
final class PagesCommand implements Callable<Integer> {
  @ParentCommand private BenchCommand parent;

  @Mixin private RunOptions options;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "How many unfinished jobs there are; default ${DEFAULT-VALUE}.")
  private int jobs;

  @Option(
      names = "--finished",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "How many finished jobs there are; default ${DEFAULT-VALUE}.")
  private int finished;

  @Option(
      names = "--groups",
      paramLabel = "N",
      defaultValue = "100000",
      description = "How many keys have a limit; default ${DEFAULT-VALUE}.")
  private int groups;

  @Override
  public Integer call() throws InterruptedException {
    String words = "pages --jobs %d --finished %d --groups %d".formatted(jobs, finished, groups);
    PagesBenchmark pages = new PagesBenchmark(new Size(jobs, finished, groups));
    int exitCode =
        new Run(parent.console(), options)
            .measure(words, PagesBenchmark.DEFAULT_RUNS, List.of(pages));
    options
        .docs()
        .ifPresent(
            directory ->
                TextFile.write(
                    directory.resolve("plans").resolve("pages.md"),
                    pages.plansPage(options.command(words))));
    return exitCode;
  }
}
