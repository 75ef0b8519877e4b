package dev.sluice.cli.config;

import dev.sluice.AlertThresholds;
import dev.sluice.RetryPolicy;
import dev.sluice.SubmitOptions;
import dev.sluice.WorkerBuilder;
import dev.sluice.cli.config.Setting.Secrecy;
import dev.sluice.server.SluiceServerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Every setting there is: files, environment, help and {@code sluice config} follow this list. */
public final class Settings {
  /** The table of the server's settings. */
  public static final String SERVER = "server";

  private static final int MOST = Integer.MAX_VALUE;
  private static final int LAST_PORT = 65_535;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);

  /** The first round number of days that is no shorter than a worker allows. */
  private static final Duration LEAST_RETENTION = DAY.dividedBy(100);

  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<String> STORE_URL =
      add(
          new Setting<>(
              "store.url",
              SettingType.text(
                  "a URL such as postgresql://host/db, s3://bucket/prefix or file:dir"),
              Optional.of("embedded:"),
              "--store",
              Secrecy.URL,
              "The store that everything is kept in."));
  public static final Setting<String> STORE_SCHEMA =
      open(
          "store.schema",
          SettingType.text("lower-case letters, digits and underscores"),
          "sluice",
          "--schema",
          "The schema, or the folder of a bucket or directory.");
  public static final Setting<Integer> STORE_CONNECTIONS =
      open(
          "store.connections",
          SettingType.number(2, 1_000),
          "8",
          "",
          "How many connections to the store may be open at once.");

  public static final Setting<Integer> WORKER_CONCURRENCY =
      open(
          "worker.concurrency",
          SettingType.number(1, MOST),
          String.valueOf(WorkerBuilder.DEFAULT_CONCURRENCY),
          "worker --concurrency",
          "How many jobs run at once in one worker.");
  public static final Setting<List<String>> WORKER_QUEUES =
      open(
          "worker.queues",
          SettingType.texts("names of queues"),
          SubmitOptions.DEFAULT_QUEUE,
          "worker --queue",
          "The queues that a worker serves.");
  public static final Setting<Integer> WORKER_ATTEMPTS =
      open(
          "worker.attempts",
          SettingType.number(1, MOST),
          String.valueOf(RetryPolicy.DEFAULT.maxAttempts()),
          "worker --attempts",
          "How many attempts a job gets.");
  public static final Setting<Duration> WORKER_GRACE =
      open(
          "worker.grace_secs",
          SettingType.duration("seconds", SECOND, Duration.ZERO),
          seconds(WorkerBuilder.DEFAULT_GRACE),
          "worker --grace",
          "How long running jobs may take to finish when the worker is stopped.");
  public static final Setting<Duration> WORKER_POLL =
      open(
          "worker.poll_secs",
          SettingType.duration("seconds", SECOND, Duration.ofMillis(10)),
          seconds(WorkerBuilder.DEFAULT_POLL),
          "",
          "How often an idle worker looks for work when nothing wakes it.");
  public static final Setting<Duration> WORKER_RETENTION =
      open(
          "worker.retention_days",
          SettingType.duration("days", DAY, LEAST_RETENTION),
          String.valueOf(WorkerBuilder.DEFAULT_RETENTION.toDays()),
          "",
          "How long finished jobs are kept.");
  public static final Setting<Boolean> WORKER_SCHEDULES =
      open(
          "worker.schedules",
          SettingType.flag(),
          "true",
          "worker --no-schedules",
          "Whether a worker also submits what schedules say is due.");
  public static final Setting<String> WORKER_METRICS_ADDRESS =
      open(
          "worker.metrics_address",
          SettingType.text("an address of this machine"),
          "127.0.0.1",
          "worker --metrics",
          "Where a worker serves /metrics and /healthz. Anything but the loopback address demands the"
              + " server's tokens.");
  public static final Setting<Integer> WORKER_METRICS_PORT =
      add(
          new Setting<>(
              "worker.metrics_port",
              SettingType.number(0, LAST_PORT),
              Optional.empty(),
              "worker --metrics",
              Secrecy.OPEN,
              "The port for that; 0 takes a free one. Without it nothing is served."));

  public static final Setting<String> SERVER_ADDRESS =
      open(
          "server.address",
          SettingType.text("an address of this machine"),
          SluiceServerBuilder.DEFAULT_ADDRESS,
          "server --address",
          "Where the server listens. Anything but the loopback address demands tokens.");
  public static final Setting<Integer> SERVER_PORT =
      open(
          "server.port",
          SettingType.number(0, LAST_PORT),
          String.valueOf(SluiceServerBuilder.DEFAULT_PORT),
          "server --port",
          "The port it listens on; 0 takes a free one.");
  public static final Setting<List<String>> SERVER_READ_TOKENS =
      secret(
          "server.read_tokens",
          "server --read-token",
          "Who may look: the bearers of these tokens, each SECRET or NAME=SECRET.");
  public static final Setting<String> SERVER_READ_TOKENS_FILE =
      file("server.read_tokens_file", "A file with such tokens, one a line.");
  public static final Setting<List<String>> SERVER_OPERATE_TOKENS =
      secret(
          "server.operate_tokens",
          "server --operate-token",
          "Who may also change things; the name stands in the log of changes.");
  public static final Setting<String> SERVER_OPERATE_TOKENS_FILE =
      file("server.operate_tokens_file", "A file with such tokens, one a line.");

  public static final Setting<List<String>> SERVER_HOSTS =
      add(
          new Setting<>(
              "server.hosts",
              SettingType.texts("names with ports, such as localhost:9000"),
              Optional.empty(),
              "",
              Secrecy.OPEN,
              "What browsers may call a server without tokens besides localhost, as behind a"
                  + " tunnel."));
  public static final Setting<Boolean> SERVER_SECURE_COOKIES =
      open(
          "server.secure_cookies",
          SettingType.flag(),
          "false",
          "",
          "Whether its cookies are for TLS only; set it behind something that speaks TLS.");

  public static final Setting<Duration> DEFAULT_LEASE =
      open(
          "concurrency.default_lease_duration_secs",
          SettingType.duration("seconds", SECOND, SECOND),
          seconds(WorkerBuilder.DEFAULT_LEASE),
          "worker --lease",
          "How long a worker or a permit may be silent before its slots are given to others.");

  public static final Setting<Duration> ALERTS_UNSERVED =
      open(
          "alerts.unserved_secs",
          SettingType.duration("seconds", SECOND, Duration.ZERO),
          seconds(AlertThresholds.DEFAULT.unserved()),
          "",
          "How long a job may be due that no live worker serves before an alert is raised.");
  public static final Setting<Duration> ALERTS_WAITING =
      open(
          "alerts.waiting_secs",
          SettingType.duration("seconds", SECOND, Duration.ZERO),
          seconds(AlertThresholds.DEFAULT.waiting()),
          "",
          "How long any job may be due and not started before an alert is raised.");
  public static final Setting<Integer> ALERTS_FAILURE_PERCENT =
      open(
          "alerts.failure_percent",
          SettingType.number(0, 100),
          String.valueOf(Math.round(AlertThresholds.DEFAULT.failureShare() * 100)),
          "",
          "An alert is raised when more than this share of a task's attempts of the last ten"
              + " minutes failed.");
  public static final Setting<Integer> ALERTS_FAILURE_ATTEMPTS =
      open(
          "alerts.failure_attempts",
          SettingType.number(1, MOST),
          String.valueOf(AlertThresholds.DEFAULT.failureAttempts()),
          "",
          "How many attempts must have ended for that.");
  public static final Setting<Boolean> ALERTS_HELD_GROUPS =
      open(
          "alerts.held_groups",
          SettingType.flag(),
          String.valueOf(AlertThresholds.DEFAULT.heldGroups()),
          "",
          "Whether an alert is raised for each group held at 0.");

  private Settings() {}

  /** From when on alerts are raised, by a configuration. */
  public static AlertThresholds alertThresholds(Configuration configuration) {
    return new AlertThresholds(
        configuration.get(ALERTS_UNSERVED),
        configuration.get(ALERTS_WAITING),
        configuration.get(ALERTS_FAILURE_PERCENT) / 100.0,
        configuration.get(ALERTS_FAILURE_ATTEMPTS),
        configuration.get(ALERTS_HELD_GROUPS));
  }

  /** All of them, in the order in which they are shown. */
  public static List<Setting<?>> all() {
    return List.copyOf(ALL);
  }

  /**
   * The variables of an environment that hold secrets of Sluice: a URL with a password in it, and
   * tokens.
   */
  public static Set<String> secretVariables(Map<String, String> environment) {
    Set<String> names = new HashSet<>();
    for (Setting<?> setting : ALL) {
      for (String name : setting.variables()) {
        String value = environment.get(name);
        if (value != null && setting.holdsSecret(value)) {
          names.add(name);
        }
      }
    }
    return names;
  }

  private static String seconds(Duration duration) {
    return String.valueOf(duration.toSeconds());
  }

  private static <T> Setting<T> open(
      String key, SettingType<T> type, String preset, String flag, String description) {
    return add(new Setting<>(key, type, Optional.of(preset), flag, Secrecy.OPEN, description));
  }

  private static Setting<List<String>> secret(String key, String flag, String description) {
    return add(
        new Setting<>(
            key,
            SettingType.texts("a token or a list of tokens"),
            Optional.empty(),
            flag,
            Secrecy.SECRET,
            description));
  }

  private static Setting<String> file(String key, String description) {
    return add(
        new Setting<>(
            key,
            SettingType.text("the path of a file"),
            Optional.empty(),
            "",
            Secrecy.OPEN,
            description));
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
