package dev.sluice.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which of the places that name a setting is heard. */
class PrecedenceTest {
  /** For each setting a value for each place: flag, environment, profile, project, user. */
  private static final Map<String, List<String>> VALUES = values();

  @TempDir private Path home;
  private Path project;
  private final Map<String, String> environment = new HashMap<>();

  private static Map<String, List<String>> values() {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (Setting<?> setting : Settings.all()) {
      String type = setting.type().allowed();
      List<String> some =
          type.startsWith("a whole number") || type.startsWith("a number")
              ? List.of("11", "12", "13", "14", "15")
              : type.startsWith("true")
                  ? List.of("false", "true", "false", "true", "false")
                  : Stream.of("a", "b", "c", "d", "e").map(s -> "/x/" + s).toList();
      values.put(setting.key(), some);
    }
    return values;
  }

  static Stream<Setting<?>> settings() {
    return Settings.all().stream();
  }

  @BeforeEach
  void project() throws IOException {
    project = Files.createDirectories(home.resolve("work/app"));
  }

  private Configuration load(ConfigRequest request) {
    return ConfigurationLoader.load(
        new Surroundings(environment, project.resolve("src"), home), request);
  }

  private static String toml(String prefix, Setting<?> setting, String value) {
    String table = setting.path().get(0);
    boolean bare = value.matches("\\d+|true|false");
    return "[%s%s]\n%s = %s\n"
        .formatted(prefix, table, setting.path().get(1), bare ? value : "\"" + value + "\"");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("settings")
  <T> void find_namedEverywhere_takesTheStrongest(Setting<T> setting) throws IOException {
    List<String> values = VALUES.get(setting.key());
    T flag = setting.type().parse(values.get(0)).orElseThrow();
    environment.put(setting.variables().get(0), values.get(1));
    Path file = project.resolve(".sluice.toml");
    Files.writeString(
        file, toml("", setting, values.get(3)) + toml("profiles.staging.", setting, values.get(2)));
    Path user = home.resolve(".config/sluice/config.toml");
    Files.createDirectories(user.getParent());
    Files.writeString(user, toml("", setting, values.get(4)));

    Optional<String> staging = Optional.of("staging");
    Optional<Path> none = Optional.empty();
    assertFound(
        load(new ConfigRequest(none, staging, Map.of(setting, flag))), setting, values, 0, "flag");
    assertFound(
        load(new ConfigRequest(none, staging, Map.of())), setting, values, 1, "environment");
    environment.clear();
    assertFound(
        load(new ConfigRequest(none, staging, Map.of())), setting, values, 2, "profile staging");
    environment.put("SLUICE_PROFILE", "staging");
    assertFound(load(ConfigRequest.NONE), setting, values, 2, "profile staging");
    environment.clear();
    assertFound(load(ConfigRequest.NONE), setting, values, 3, "project");
    Files.delete(file);
    assertFound(load(ConfigRequest.NONE), setting, values, 4, "user");
    Files.delete(user);
    Optional<Configuration.Found<T>> preset = load(ConfigRequest.NONE).find(setting);
    assertThat(preset.map(found -> setting.type().show(found.value()))).isEqualTo(setting.preset());
    assertThat(preset.map(Configuration.Found::kind))
        .isIn(Optional.empty(), Optional.of("default"));
  }

  private static <T> void assertFound(
      Configuration configuration,
      Setting<T> setting,
      List<String> values,
      int index,
      String kind) {
    assertThat(configuration.problems()).isEmpty();
    Configuration.Found<T> found = configuration.find(setting).orElseThrow();
    assertThat(setting.type().show(found.value())).isEqualTo(values.get(index));
    assertThat(found.kind()).isEqualTo(kind);
  }

  @Test
  void find_shortVariableOfTheStore_isHeardAfterTheOneByRule() {
    environment.put("SLUICE_STORE", "file:/a");
    assertThat(load(ConfigRequest.NONE).get(Settings.STORE_URL)).isEqualTo("file:/a");
    environment.put("SLUICE_STORE_URL", "file:/b");
    assertThat(load(ConfigRequest.NONE).get(Settings.STORE_URL)).isEqualTo("file:/b");
  }

  @Test
  void load_fileAboveTheRepository_isNotRead() throws IOException {
    Files.writeString(home.resolve("work/.sluice.toml"), "[store]\nurl = \"file:/above\"\n");
    assertThat(load(ConfigRequest.NONE).get(Settings.STORE_URL)).isEqualTo("file:/above");
    Files.createDirectory(project.resolve(".git"));
    assertThat(load(ConfigRequest.NONE).get(Settings.STORE_URL)).isEqualTo("embedded:");
  }

  @Test
  void load_fileAboveHome_isNotRead() throws IOException {
    Path deeper = Files.createDirectories(home.resolve("deep/home"));
    Files.writeString(home.resolve(".sluice.toml"), "[store]\nurl = \"file:/above\"\n");
    Configuration configuration =
        ConfigurationLoader.load(new Surroundings(Map.of(), deeper, deeper), ConfigRequest.NONE);
    assertThat(configuration.files()).isEmpty();
  }

  @Test
  void load_xdgConfigHome_isWhereTheUsersFileIs() throws IOException {
    Path xdg = Files.createDirectories(home.resolve("xdg/sluice"));
    Files.writeString(xdg.resolve("config.toml"), "[worker]\nconcurrency = 3\n");
    environment.put("XDG_CONFIG_HOME", home.resolve("xdg").toString());
    assertThat(load(ConfigRequest.NONE).get(Settings.WORKER_CONCURRENCY)).isEqualTo(3);
    environment.put("XDG_CONFIG_HOME", "relative");
    assertThat(load(ConfigRequest.NONE).get(Settings.WORKER_CONCURRENCY)).isEqualTo(64);
  }

  @Test
  void load_relativePathsInAFile_startFromIt() throws IOException {
    Files.writeString(
        project.resolve(".sluice.toml"),
        "[store]\nurl = \"file:./data?shards=2\"\n[server]\nread_tokens_file = \"tokens\"\n");
    Configuration configuration = load(ConfigRequest.NONE);
    assertThat(configuration.get(Settings.STORE_URL))
        .isEqualTo("file:" + project + "/data?shards=2");
    assertThat(configuration.get(Settings.SERVER_READ_TOKENS_FILE)).isEqualTo(project + "/tokens");
  }

  @Test
  void limits_ofSeveralFiles_areMergedByGroup() throws IOException {
    Files.writeString(
        project.resolve(".sluice.toml"),
        """
        [concurrency.limits]
        call_external_api = 10
        "send_email/tenant=*" = 2
        [profiles.staging.concurrency.limits]
        call_external_api = 1
        """);
    Path user = home.resolve(".config/sluice/config.toml");
    Files.createDirectories(user.getParent());
    Files.writeString(user, "[concurrency.limits]\ncall_external_api = 99\nmine = 0\n");
    environment.put("SLUICE_PROFILE", "staging");
    Map<Group, Configuration.Limit> limits = load(ConfigRequest.NONE).limits();
    assertThat(limits.keySet().stream().map(Group::toString))
        .containsExactlyInAnyOrder("call_external_api", "mine", "send_email/tenant=*");
    assertThat(limits.get(Group.of("call_external_api")).limit()).isEqualTo(1);
    assertThat(limits.get(Group.of("call_external_api")).where()).endsWith(".sluice.toml:5");
    assertThat(limits.get(Group.of("mine")).kind()).isEqualTo("user");
  }
}
