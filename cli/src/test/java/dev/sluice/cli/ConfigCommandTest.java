package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.config.Setting;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.config.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice config}, and the configuration of other commands. */
class ConfigCommandTest {
  @TempDir private Path directory;
  private final Map<String, String> environment = new HashMap<>();

  private Run sluice(String... args) {
    return Run.in(new Surroundings(environment, directory, directory), args);
  }

  private void project(String toml) throws IOException {
    Files.writeString(directory.resolve(".sluice.toml"), toml);
  }

  @Test
  void show_nothingConfigured_listsEverySettingWithItsDefault() {
    Run run = sluice("config", "show");
    assertThat(run.exitCode()).as(run.err()).isZero();
    for (Setting<?> setting : Settings.all()) {
      assertThat(run.out()).containsPattern(setting.key() + " +\\S+ +default");
    }
  }

  @Test
  void show_valuesOfSeveralPlaces_namesEach() throws IOException {
    project(
        """
        [worker]
        grace_secs = 2.5
        [concurrency.limits]
        "send_email/tenant=*" = 2
        [schedules.nightly]
        task = "report"
        cron = "0 3 * * *"
        """);
    environment.put("SLUICE_WORKER_QUEUES", "a, b");
    Run run = sluice("config", "show", "--schema", "other");
    assertThat(run.out())
        .containsPattern("store.schema +other +flag, --schema")
        .containsPattern("worker.queues +a,b +environment, SLUICE_WORKER_QUEUES")
        .containsPattern("worker.grace_secs +2.5 +project, .*\\.sluice\\.toml:2")
        .containsPattern("concurrency.limits.\"send_email/tenant=\\*\" +2 +project, .*:4")
        .containsPattern("schedules.nightly +cron 0 3 \\* \\* \\*: report");
    assertThat(sluice("config", "show", "--json").lines())
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith(
                        "{\"key\":\"worker.queues\",\"value\":[\"a\",\"b\"],\"from\":\"environment\""))
        .anySatisfy(
            line -> assertThat(line).startsWith("{\"key\":\"worker.grace_secs\",\"value\":2.5"));
  }

  @Test
  void show_secrets_areMaskedWhereverTheyComeFrom() throws IOException {
    project(
        """
        [store]
        url = "postgresql://ada:s3cret@host/db?sslpassword=s3cret&x=1"
        [server]
        read_tokens = ["s3cret"]
        """);
    environment.put("SLUICE_SERVER_OPERATE_TOKENS", "s3cret,s3cret2");
    for (String[] args : new String[][] {{"config", "show"}, {"config", "show", "--json"}}) {
      Run run = sluice(args);
      assertThat(run.exitCode()).isZero();
      assertThat(run.out() + run.err())
          .contains("postgresql://ada:***@host/db?sslpassword=***&x=1")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void errors_ofAStoreWithPassword_doNotPrintIt() {
    environment.put("SLUICE_STORE", "nope://ada:s3cret@host/db");
    Run run = sluice("queues", "list");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("nope://").doesNotContain("s3cret");
  }

  @Test
  void show_badFile_showsTheRestAndFails() throws IOException {
    project("[store]\nurl = 3\n");
    Run run = sluice("config", "show");
    assertThat(run.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(run.out()).contains("worker.concurrency");
    assertThat(run.err()).contains(".sluice.toml:2: The value of 'store.url'");
  }

  @Test
  void anyCommand_badFile_refusesToWork() throws IOException {
    project("[stor]\n[worker]\nconcurrency = 0\n");
    Run run = sluice("--store", "nope://x", "queues", "list");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains(".sluice.toml:1: There is no table [stor]. Did you mean store? And 1 more;")
        .hasLineCount(1);
    assertThat(sluice("--help").exitCode()).isZero();
  }

  @Test
  void validate_goodAndBad_differInTheExitCode() throws IOException {
    assertThat(sluice("config", "validate").err()).contains("There is no file");
    project("[worker]\nconcurrency = 3\n");
    Run good = sluice("config", "validate");
    assertThat(good.exitCode()).isZero();
    assertThat(good.err()).contains("Nothing is wrong with");
    Path other = Files.writeString(directory.resolve("other.toml"), "[a]\n[b]\n");
    Run bad = sluice("config", "validate", "other.toml");
    assertThat(bad.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(bad.lines()).hasSize(2).allMatch(line -> line.startsWith(other.toString()));
    assertThat(sluice("config", "validate", "--json", "other.toml").out())
        .contains("\"valid\":false", "\"where\":\"" + other + ":1\"");
  }

  @Test
  void validate_profile_isChecked() throws IOException {
    project("[profiles.staging.worker]\nconcurrency = 5\n");
    assertThat(sluice("config", "show", "--profile", "staging").out())
        .containsPattern("worker.concurrency +5 +profile staging, ");
    assertThat(sluice("config", "validate", "--profile", "nope").out())
        .contains("no profile 'nope'");
  }

  @Test
  void keys_printed_haveARowForEachSetting() {
    assertThat(sluice("config", "keys").lines()).hasSize(Settings.all().size() + 1);
    assertThat(sluice("config", "keys", "--json").lines()).hasSize(Settings.all().size());
    assertThat(sluice("config", "keys", "--markdown").out())
        .contains("| `store.url` | `embedded:` |", "`SLUICE_STORE_URL`, `SLUICE_STORE`");
  }
}
