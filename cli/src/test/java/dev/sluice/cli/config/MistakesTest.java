package dev.sluice.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about configurations that are wrong. */
class MistakesTest {
  @TempDir private Path directory;

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of("[stroe]\nurl = \"x\"", ":1: There is no table [stroe]. Did you mean store?"),
        Arguments.of("[store]\nulr = \"x\"", ":2: There is no key 'store.ulr'. Did you mean url?"),
        Arguments.of("[store]\nretention_days = 1", "Did you mean 'worker.retention_days'?"),
        Arguments.of("[store]\nfrobnicate = 1", "Keys there: url, schema, connections."),
        Arguments.of(
            "[worker]\n\nconcurrency = \"many\"",
            ":3: The value of 'worker.concurrency' is 'many'; use a whole number, 1 or more."),
        Arguments.of("[worker]\nconcurrency = 0", "is '0'; use a whole number, 1 or more"),
        Arguments.of("[worker]\nconcurrency = 1.5", "is '1.5'"),
        Arguments.of("[worker]\nqueues = [1]", "use names of queues"),
        Arguments.of("[worker]\ngrace_secs = -1", "use a number of seconds, 0 or more"),
        Arguments.of("[worker]\nretention_days = 0", "use a number of days, 0.01 or more"),
        Arguments.of("[server]\nport = 70000", "from 0 to 65535"),
        Arguments.of("store = 1", "'store' is not a table; write [store]."),
        Arguments.of("[store", "This is not TOML"),
        Arguments.of("[store]\nurl = \"a\"\nurl = \"b\"", ":3: This is not TOML: Duplicate key."),
        Arguments.of("[concurrency.limits]\na = -1", "The limit of 'a' is '-1'"),
        Arguments.of("[concurrency.limits]\na.b = 1", "A name with dots needs quotes"),
        Arguments.of("[concurrency.limits]\n\"a/b/c\" = 1", "a%2Fb%2Fc"),
        Arguments.of("[concurrency.limits]\na = { limit = 1, pointer = \"/b\" }", "a/tenant=*"),
        Arguments.of("[concurrency.limits]\n\"a/b=*\" = { limit = 1, pointer = \"b\" }", "slash"),
        Arguments.of("[concurrency.limits]\n\"a/b=*\" = { limit = 1, point = \"/b\" }", "'point'"),
        Arguments.of("[concurrency.limits]\n\"a/b=*\" = { pointer = \"/b\" }", "is missing"),
        Arguments.of(
            "[concurrency.limits]\n"
                + "\"a/b=*\" = { limit = 1, pointer = \"/b\" }\n"
                + "\"a/c=*\" = { limit = 1, pointer = \"/c\" }\n"
                + "\"a/d=*\" = { limit = 1, pointer = \"/d\" }\n"
                + "\"a/e=*\" = { limit = 1, pointer = \"/e\" }",
            ":5: The task 'a' has 4 dimensions with pointers; at most 3 are allowed."),
        Arguments.of("[concurrency]\nlimit = 1", "Did you mean limits?"),
        Arguments.of("[schedules.n]\ncron = \"* * * * *\"", ":1: The schedule 'n' names no task."),
        Arguments.of(
            "[schedules.n]\ntask = \"t\"\ncron = \"99 * * * *\"", ":1: The cron expression '99"),
        Arguments.of("[schedules.n]\ntask = \"t\"\nevery = \"soon\"", "is not a duration"),
        Arguments.of("[schedules.n]\ntask = 3\nevery = \"5s\"", "task"),
        Arguments.of("[schedules.n]\ntask = \"t\"", "needs either 'cron' or 'every'"),
        Arguments.of("[schedules.n]\ntask = \"t\"\nevery = 5\ncrno = \"\"", "Did you mean cron?"),
        Arguments.of(
            "[profiles.p.stor]\nurl = \"x\"",
            "There is no table [profiles.p.stor]. Did you mean store?"),
        Arguments.of("[profiles.p.profiles.q]\n", "There is no table [profiles.p.profiles]"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("mistakes")
  void load_badFile_namesPlaceAndRemedy(String toml, String message) throws IOException {
    Path file = Files.writeString(directory.resolve("c.toml"), toml);
    assertThat(ConfigurationLoader.loadAlone(file).problems())
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.toString()).startsWith(file.toString()).contains(message));
  }

  @Test
  void load_severalMistakes_findsThemAll() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("c.toml"), "[store]\na = 1\n[worker]\nconcurrency = 0\n[x]\n");
    assertThat(ConfigurationLoader.loadAlone(file).problems()).hasSize(3);
  }

  @Test
  void load_unknownProfile_suggestsOne() throws IOException {
    Path file = Files.writeString(directory.resolve("c.toml"), "[profiles.staging.store]\n");
    assertThat(
            ConfigurationLoader.load(
                    new Surroundings(Map.of(), directory, directory),
                    new ConfigRequest(Optional.of(file), Optional.of("stagin"), Map.of()))
                .problems())
        .singleElement()
        .hasToString("--profile: There is no profile 'stagin'. Did you mean staging?");
  }

  @Test
  void load_badVariable_namesIt() {
    Configuration configuration = withEnvironment(Map.of("SLUICE_WORKER_CONCURRENCY", "many"));
    assertThat(configuration.problems())
        .singleElement()
        .hasToString(
            "SLUICE_WORKER_CONCURRENCY: The value of 'worker.concurrency' is 'many'; use a whole number, 1 or more.");
  }

  @Test
  void load_variableLikeOurs_isRemarkedOn() {
    assertThat(withEnvironment(Map.of("SLUICE_WORKER_CONCURENCY", "1")).warnings())
        .singleElement()
        .asString()
        .contains("sets nothing", "SLUICE_WORKER_CONCURRENCY");
    assertThat(withEnvironment(Map.of("SLUICE_JOB_ID", "1")).warnings()).isEmpty();
  }

  @Test
  void load_variablesOfAKubernetesService_areNotHeard() {
    Configuration configuration =
        withEnvironment(
            Map.of(
                "SLUICE_SERVER_PORT", "tcp://10.0.0.1:8484",
                "SLUICE_SERVER_SERVICE_HOST", "10.0.0.1",
                "SLUICE_SERVER_SERVICE_PORT_HTTP", "8484",
                "SLUICE_SERVER_PORT_8484_TCP_ADDR", "10.0.0.1",
                "SLUICE_STORE_PORT", "tcp://[fd00::1]:5432"));
    assertThat(configuration.problems()).isEmpty();
    assertThat(configuration.get(Settings.SERVER_PORT)).isEqualTo(8484);
    assertThat(configuration.warnings())
        .singleElement()
        .asString()
        .contains("SLUICE_SERVER_PORT is 'tcp://10.0.0.1:8484'", "enableServiceLinks: false");
  }

  @Test
  void orThrow_badValueOfAnUnusedTable_letsPass() throws IOException {
    Configuration environment = withEnvironment(Map.of("SLUICE_SERVER_PORT", "http"));
    Path file = Files.writeString(directory.resolve("c.toml"), "[server]\nport = 70000\n");
    for (Configuration bad : List.of(environment, ConfigurationLoader.loadAlone(file))) {
      assertThat(bad.problems()).hasSize(1);
      assertThat(bad.orThrow(Settings.SERVER)).isSameAs(bad);
      assertThatThrownBy(bad::orThrow).hasMessageContaining("The value of 'server.port'");
    }
    Path unknown = Files.writeString(directory.resolve("d.toml"), "[server]\nprot = 1\n");
    assertThatThrownBy(() -> ConfigurationLoader.loadAlone(unknown).orThrow(Settings.SERVER))
        .hasMessageContaining("Did you mean port?");
  }

  @Test
  void load_fileThatAnybodyCanWrite_isPassedOver() throws IOException {
    Path below = Files.createDirectories(directory.resolve("below"));
    Path planted =
        Files.writeString(below.resolve(".sluice.toml"), "[store]\nurl = \"file:/planted\"\n");
    Files.writeString(directory.resolve(".sluice.toml"), "[store]\nurl = \"file:/own\"\n");
    Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rw-rw-rw-"));
    Surroundings surroundings = new Surroundings(Map.of(), below, directory);
    Configuration configuration = ConfigurationLoader.load(surroundings, ConfigRequest.NONE);
    assertThat(configuration.get(Settings.STORE_URL)).isEqualTo("file:/own");
    assertThat(configuration.ignored())
        .singleElement()
        .asString()
        .startsWith(planted + " is not read, because it can be written by everybody.")
        .contains("--config");
    ConfigRequest named = new ConfigRequest(Optional.of(planted), Optional.empty(), Map.of());
    assertThat(ConfigurationLoader.load(surroundings, named).get(Settings.STORE_URL))
        .isEqualTo("file:/planted");
  }

  @Test
  void isForeign_fileOfSomebodyElse_isUnlessRoots() {
    assertThat(Trust.isForeign(1001, 1000)).isTrue();
    assertThat(Trust.isForeign(1001, 0)).isTrue();
    assertThat(Trust.isForeign(1000, 1000)).isFalse();
    assertThat(Trust.isForeign(0, 1000)).isFalse();
  }

  @Test
  void load_namedFileMissing_saysSo() {
    assertThat(ConfigurationLoader.loadAlone(directory.resolve("none.toml")).problems())
        .singleElement()
        .asString()
        .contains("cannot be read");
  }

  @Test
  void load_secretsOpenToAll_warns() throws IOException {
    Path file =
        Files.writeString(directory.resolve("c.toml"), "[server]\noperate_tokens = \"s3cret\"\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(ConfigurationLoader.loadAlone(file).warnings())
        .singleElement()
        .asString()
        .contains("chmod 600")
        .doesNotContain("s3cret");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(ConfigurationLoader.loadAlone(file).warnings()).isEmpty();
  }

  @Test
  void load_badValueOfASecret_isNotQuoted() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("c.toml"),
            "[server]\noperate_tokens = [\"s3cret\", 1]\n[store]\nurl = [\"x://a:s3cret@h\"]\n");
    assertThat(ConfigurationLoader.loadAlone(file).problems())
        .hasSize(2)
        .allSatisfy(problem -> assertThat(problem.toString()).doesNotContain("s3cret"));
  }

  private Configuration withEnvironment(Map<String, String> environment) {
    return ConfigurationLoader.load(
        new Surroundings(environment, directory, directory), ConfigRequest.NONE);
  }
}
