package dev.sluice.bench;

import dev.sluice.bench.explain.Explainer;
import dev.sluice.bench.explain.Explanation;
import dev.sluice.bench.explain.ExplanationPage;
import dev.sluice.bench.explain.SetUp;
import dev.sluice.bench.report.TextFile;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.cli.text.Console;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Shows what the claim and the completion read, and fails if that grows with the backlog. */
@Command(
    name = "explain",
    description = {
      "Shows the plans of every statement in a claim and a completion behind many waiting jobs:",
      "which index each uses and how many rows it reads, without limits, with one limited task,",
      "and with every task limited. Fails if a statement reads much more than the batch, scans a",
      "large table, or touches the tables of the limits where nothing is limited."
    },
    mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final long REPORT_EVERY = 100_000;

  @ParentCommand private BenchCommand parent;

  @Spec private CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "URL",
      defaultValue = "embedded:",
      description = "The server: embedded: (default) or postgresql://superuser@host/database.")
  private String store;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "How many jobs wait; default 1000000.")
  private int jobs;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "200",
      description = "How many jobs a claim asks for; default 200.")
  private int batch;

  @Option(
      names = "--docs",
      paramLabel = "DIR",
      description = "Writes the plans to DIR/plans as well.")
  private Path docs;

  @Override
  public Integer call() {
    if (jobs < 1 || batch < 1) {
      throw new ParameterException(spec.commandLine(), "--jobs and --batch are at least 1");
    }
    List<String> complaints = new ArrayList<>();
    try (BenchServer server = BenchServer.open(store)) {
      Explainer explainer = new Explainer(server, jobs, batch);
      for (SetUp setUp : SetUp.values()) {
        Explanation explanation = explainer.explain(setUp, progress(setUp));
        show(explanation);
        explanation.complaints().forEach(c -> complaints.add(setUp.title() + ", " + c));
      }
    }
    complaints.forEach(complaint -> console().err().println("sluice bench: " + complaint));
    return complaints.isEmpty() ? 0 : FAILED;
  }

  private LongConsumer progress(SetUp setUp) {
    return submitted -> {
      if (submitted % REPORT_EVERY == 0) {
        console().err().printf("%s: %,d jobs submitted%n", setUp.title(), submitted);
      }
    };
  }

  private void show(Explanation explanation) {
    ExplanationPage page = new ExplanationPage(explanation);
    console().out().println(console().style().bold(page.heading()));
    console().out().println();
    console().out().println(page.plans());
    console().out().println(page.summary(console().style()));
    if (docs != null) {
      String name = explanation.setUp().title() + ".md";
      TextFile.write(docs.resolve("plans").resolve(name), page.markdown());
    }
  }

  private Console console() {
    return parent.console();
  }
}
