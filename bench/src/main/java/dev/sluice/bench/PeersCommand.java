package dev.sluice.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.util.StdConverter;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.bench.peers.Contenders;
import dev.sluice.bench.peers.PeersBenchmark;
import dev.sluice.bench.peers.PeersSection;
import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import me.tongfei.progressbar.InteractiveConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code sluice bench peers}. */
@Command(
    name = "peers",
    description = "Measures other systems on the same server, in turns with ours.",
    mixinStandardHelpOptions = true)
final class PeersCommand implements Callable<Integer> {
  private static final int CONTENDER_FAILED = 1;

  @Spec private CommandSpec spec;
  @ParentCommand private BenchCommand root;

  @Option(
      names = "--store",
      paramLabel = "URL",
      defaultValue = "embedded:",
      description = "The PostgreSQL to measure on; default ${DEFAULT-VALUE}")
  private String store;

  @Option(names = "--json", paramLabel = "FILE", description = "Where to write the report as JSON")
  private Path json;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each contender is measured; default ${DEFAULT-VALUE}")
  private int runs;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "How many jobs in each round; default: as many as suit the contender")
  private Integer jobs;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "Measure only these, separated by commas; an unknown name lists all")
  private List<String> only;

  @Override
  public Integer call() throws Exception {
    requirePositive("--runs", runs);
    if (jobs != null) {
      requirePositive("--jobs", jobs);
    }
    Console console = root.console();
    Contenders all = Contenders.all(console.err()::println);
    Contenders chosen = only == null ? all : all.only(only);
    chosen.prepare();
    Instant startedAt = Instant.now();
    try (BenchServer server = BenchServer.open(store)) {
      PeersBenchmark benchmark =
          new PeersBenchmark(
              server, chosen, runs, jobs == null ? OptionalInt.empty() : OptionalInt.of(jobs));
      Section section = run(console, benchmark);
      print(console, section);
      if (json != null) {
        write(new Report(commandLine(), startedAt, machine(server), List.of(section)));
      }
      return section.subjects().stream()
              .anyMatch(subject -> subject.settings().containsKey(PeersSection.FAILED))
          ? CONTENDER_FAILED
          : 0;
    }
  }

  private void requirePositive(String option, int number) {
    if (number < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " is " + number + "; use 1 or more");
    }
  }

  /** Shows a bar on a terminal, and a line for every step elsewhere. */
  private static Section run(Console console, PeersBenchmark benchmark)
      throws InterruptedException {
    if (!console.terminal().err()) {
      return benchmark.run(console.err()::println);
    }
    try (ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName("peers")
            .setInitialMax(benchmark.steps())
            .setConsumer(
                new InteractiveConsoleProgressBarConsumer(
                    console.errStream(), console.terminal().width() - 1))
            .build()) {
      AtomicInteger begun = new AtomicInteger();
      return benchmark.run(step -> bar.stepTo(begun.getAndIncrement()).setExtraMessage(" " + step));
    }
  }

  private static void print(Console console, Section section) {
    Table subjects =
        new Table(console.style())
            .left("contender")
            .right("jobs/s")
            .right("least")
            .right("most")
            .right("submitted/s")
            .right(PeersSection.PEAK)
            .flexible("version");
    for (Subject subject : section.subjects()) {
      Optional<Figure> rate = Optional.ofNullable(subject.figures().get(Subject.JOBS_PER_SECOND));
      subjects.row(
          subject.name(),
          rate.map(figure -> count(figure.median())).orElse(""),
          rate.map(figure -> count(figure.least())).orElse(""),
          rate.map(figure -> count(figure.most())).orElse(""),
          median(subject, "submitted/s"),
          median(subject, PeersSection.PEAK),
          note(subject));
    }
    Table ratios =
        new Table(console.style())
            .left("ratio")
            .right("median")
            .right("least")
            .right("most")
            .right("must")
            .right("aim");
    for (Ratio ratio : section.ratios()) {
      Figure value = ratio.value();
      ratios.row(
          ratio.name(),
          quotient(value.median()),
          quotient(value.least()),
          quotient(value.most()),
          ratio.goal().map(goal -> quotient(goal.must())).orElse(""),
          ratio.goal().map(goal -> quotient(goal.aim())).orElse(""));
    }
    subjects.lines(console.tableWidth()).forEach(console.out()::println);
    if (!ratios.isEmpty()) {
      console.out().println();
      ratios.lines(console.tableWidth()).forEach(console.out()::println);
    }
    console.out().println();
    section.remarks().forEach(console.out()::println);
  }

  private static String note(Subject subject) {
    String failure = subject.settings().get(PeersSection.FAILED);
    return failure == null
        ? subject.settings().getOrDefault("version", "")
        : "failed: " + failure.lines().findFirst().orElse("");
  }

  private static String median(Subject subject, String figure) {
    Figure found = subject.figures().get(figure);
    return found == null ? "" : count(found.median());
  }

  private static String count(double number) {
    return "%,.0f".formatted(number);
  }

  private static String quotient(double number) {
    return "%.2f".formatted(number);
  }

  private String commandLine() {
    return "sluice bench peers --runs "
        + runs
        + (jobs == null ? "" : " --jobs " + jobs)
        + (only == null ? "" : " --only " + String.join(",", only));
  }

  private static Map<String, String> machine(BenchServer server) {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    machine.put("java", System.getProperty("java.version"));
    server.settings().forEach((name, value) -> machine.put("postgres " + name, value));
    return machine;
  }

  private void write(Report report) throws IOException {
    ObjectMapper mapper =
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .addMixIn(Ratio.class, OptionalGoal.class)
            .build();
    mapper.writeValue(json.toFile(), report);
  }

  /** A goal in JSON is the goal, or null. */
  private interface OptionalGoal {
    @JsonSerialize(converter = GoalOrNull.class)
    Optional<Ratio.Goal> goal();
  }

  static final class GoalOrNull extends StdConverter<Optional<Ratio.Goal>, Ratio.Goal> {
    @Override
    public Ratio.Goal convert(Optional<Ratio.Goal> goal) {
      return goal.orElse(null);
    }
  }
}
