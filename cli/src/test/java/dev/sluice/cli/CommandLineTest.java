package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be said about a command line without a store. */
class CommandLineTest {
  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake("No command was given", ""),
        mistake("Did you mean submit?", "sumbit"),
        mistake("Did you mean list?", "jobs", "lst"),
        mistake("needs a command", "concurrency"),
        mistake("has no option '--nope'", "submit", "t", "--nope"),
        mistake("takes no argument 'b'", "submit", "a", "b"),
        mistake("--limit is -1", "submit", "t", "--limit", "-1"),
        mistake("--limit: 'x' is not a whole number", "submit", "t", "--limit", "x"),
        mistake("from -2147483648 to 2147483647", "submit", "t", "--limit", "99999999999"),
        mistake("--count is 0", "submit", "t", "--count", "0"),
        mistake("line 1, column 2", "submit", "t", "--payload", "{a"),
        mistake("A string needs its quotes", "submit", "t", "--payload", "hello"),
        mistake("is empty", "submit", "t", "--payload", ""),
        mistake("not JSON", "submit", "t", "--payload", "{} {}"),
        mistake("is not there", "submit", "t", "--payload", "@/no/such/file.json"),
        mistake("The task name is empty", "submit", " "),
        mistake("--key is empty", "submit", "t", "--key="),
        mistake("at most 512", "submit", "t", "--group", "g".repeat(10_240)),
        mistake("at most 512", "concurrency", "status", "g".repeat(10_240)),
        mistake("as one plain name: a%2Fb%2Fc", "concurrency", "status", "a/b/c"),
        mistake("The limit -1 of group 'a'", "concurrency", "set", "a", "--limit", "-1"),
        mistake("--limit=N | --remove", "concurrency", "set", "a"),
        mistake("mutually exclusive", "concurrency", "set", "a", "--limit", "1", "--remove"),
        mistake("numbered from 0", "concurrency", "release", "a", "-1", "--force"),
        mistake("is not a job id", "jobs", "show", "abc"),
        mistake("is not a job state", "jobs", "list", "--state", "done"),
        mistake("use 1 to 1000", "jobs", "list", "--limit", "0"),
        mistake("is not a duration", "demo", "--for", "5x"),
        mistake("needs some time", "demo", "--for", "0s"),
        mistake("Missing required option", "worker"),
        mistake("write it as TASK=COMMAND", "worker", "--exec", "foo"),
        mistake("given twice", "worker", "--exec", "a=b", "--exec", "a=c"),
        mistake("no --exec here", "worker", "--exec", "a=b", "--max-concurrent", "c=1"),
        mistake("use a whole number", "worker", "--exec", "a=b", "--max-concurrent", "a=x"),
        mistake("--worker needs something to run", "server", "--worker"),
        mistake("0 to 2147483647", "worker", "--exec", "a=b", "--max-concurrent", "a=9999999999"),
        mistake("add --worker", "server", "--exec", "a=b"),
        mistake("is not an address to listen on", "worker", "--exec", "a=b", "--metrics", "x"),
        mistake("is not the id of a job or run", "why", "abc"),
        mistake("draws on a terminal", "top"),
        mistake("use 200ms or more", "top", "--every", "1ms"),
        mistake("use 1s or more", "stats", "--interval", "1ms"),
        mistake("'a' is one group", "concurrency", "status", "a", "--all"),
        mistake("use 1 to 1000", "concurrency", "status", "--limit", "0"),
        mistake("--limit is 0", "concurrency", "log", "--limit", "0"),
        mistake("No completion is written for", "completion", "tcsh"),
        mistake("No store is known for", "--store", "nope://x", "queues", "list"),
        mistake("begin with pg_", "--schema", "pg_temp", "--store", "file:x", "queues", "list"),
        mistake("keeps its own", "--schema", "information_schema", "--store", "file:x", "doctor"),
        mistake("is not allowed", "--schema", "Bad Name", "--store", "file:x", "queues", "list"));
  }

  private static Arguments mistake(String message, String... args) {
    return Arguments.of(message, args.length == 1 && args[0].isEmpty() ? new String[0] : args);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void run_badCommandLine_saysWhatIsWrongInOneLine(String message, String[] args) {
    Run run = Run.of(args);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("sluice: ").contains(message).hasLineCount(1);
    assertThat(run.err().length()).isLessThan(500);
  }

  @Test
  void run_wordLikeNoCommand_suggestsNone() {
    assertThat(Run.of("frobnicate").err()).contains("not a command").doesNotContain("Did you mean");
  }

  @Test
  void run_unknownStoreWithPassword_doesNotPrintIt() {
    Run run = Run.of("--store", "nope://ada:s3cret@host/db?password=s3cret", "queues", "list");
    assertThat(run.err()).contains("nope://").doesNotContain("s3cret");
  }

  @Test
  void run_withDebug_showsTheStackTrace() {
    Run run = Run.of("--debug", "submit", "t", "--payload", "{a");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("\tat dev.sluice.cli.Payload");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "server",
        "worker",
        "submit",
        "schedule",
        "jobs",
        "jobs list",
        "jobs show",
        "jobs cancel",
        "jobs retry",
        "queues",
        "queues list",
        "queues pause",
        "queues resume",
        "concurrency",
        "concurrency status",
        "concurrency set",
        "concurrency release",
        "concurrency log",
        "concurrency audit",
        "workflow",
        "why",
        "workers",
        "tail",
        "stats",
        "top",
        "doctor",
        "config",
        "config show",
        "config validate",
        "config keys",
        "cpu",
        "bench",
        "completion"
      })
  void help_ofEveryCommand_hasExitCodesAndFits(String command) {
    Run run = Run.of((command + " --help").split(" "));
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("Usage: sluice " + command, "--store", "Exit codes:");
    assertThat(run.lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void help_ofTheRoot_hidesTheDemosOwnWorker() {
    assertThat(Run.of("--help").out()).contains("demo ").doesNotContain("demo-worker");
  }

  @Test
  void bench_withoutTheLauncher_saysWhereItIs() {
    assertThat(Run.of("--help").out()).containsPattern("bench +Measure");
    Run run = Run.of("bench", "concurrency-enabled", "--runs", "5");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("run './sluice bench'");
  }

  @Test
  void version_printed_namesSluice() {
    assertThat(Run.of("--version").out()).startsWith("sluice ");
  }

  @Test
  void completion_printed_isAScriptForTheCommand() {
    for (String[] args : new String[][] {{"completion"}, {"completion", "zsh"}}) {
      Run run = Run.of(args);
      assertThat(run.exitCode()).isZero();
      assertThat(run.out()).contains("complete -F", "concurrency");
    }
  }

  @Test
  void completion_forFish_hasEveryVisibleCommandAndBalancedQuotes() {
    Run run = Run.of("completion", "fish");
    assertThat(run.lines())
        .allMatch(line -> line.startsWith("complete -c sluice") || line.startsWith("#"))
        .allMatch(
            line ->
                line.replace("\\\\", "").replace("\\'", "").chars().filter(c -> c == '\'').count()
                        % 2
                    == 0)
        .anyMatch(line -> line.contains(" -a jobs "))
        .anyMatch(line -> line.contains("from jobs; and __fish_seen_subcommand_from list' -l task"))
        .noneMatch(line -> line.contains("demo-worker"));
  }

  @Test
  void payload_readFromFile_keepsEveryDigit(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("payload.json");
    Files.writeString(file, "{\"amount\": 1.10, \"big\": 12345678901234567890.123456789}");
    assertThat(Payload.read("@" + file, System.in).toString())
        .isEqualTo("{\"amount\":1.10,\"big\":12345678901234567890.123456789}");
  }

  @Test
  void arguments_typedInALocaleWithoutUtf8_areReadFromTheCommandLine() {
    byte[] typed = "java\0-jar\0x.jar\0submit\0żółć\0".getBytes(StandardCharsets.UTF_8);
    assertThat(dev.sluice.cli.Arguments.fromCommandLine(typed, new String[] {"submit", "????????"}))
        .containsExactly("submit", "żółć");
    assertThat(dev.sluice.cli.Arguments.fromCommandLine(typed, new String[] {"other", "x"}))
        .containsExactly("other", "x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jobs list",
        "jobs show 01890a5d-ac96-774b-bcce-b302099a8057",
        "queues list",
        "concurrency status",
        "concurrency status mail",
        "concurrency log",
        "concurrency audit",
        "workers",
        "stats",
        "tail",
        "why 01890a5d-ac96-774b-bcce-b302099a8057",
        "schedule list",
        "schedule show nightly",
        "workflow list",
        "workflow show 01890a5d-ac96-774b-bcce-b302099a8057"
      })
  void reading_whereNoEmbeddedServerEverWas_startsNone(String command, @TempDir Path directory) {
    Path server = directory.resolve("server");
    List<String> args = new ArrayList<>(List.of("--store", "embedded:" + server));
    args.addAll(List.of(command.split(" ")));
    Run run = Run.of(args.toArray(new String[0]));

    assertThat(server).doesNotExist();
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("sluice: There is no embedded PostgreSQL in " + server)
        .contains("only reads", "sluice worker", "--store")
        .hasLineCount(1);
  }
}
