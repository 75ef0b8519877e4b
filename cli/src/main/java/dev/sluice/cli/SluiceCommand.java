package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.SluiceListener;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.cli.config.ConfigRequest;
import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.ConfigurationLoader;
import dev.sluice.cli.config.Setting;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.config.Surroundings;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Times;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command: the options that every subcommand takes, and what all of them need. */
@Command(
    name = "sluice",
    description = "Background jobs whose concurrency limits hold across every worker.",
    mixinStandardHelpOptions = true,
    versionProvider = SluiceCommand.Version.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    parameterListHeading = "%n",
    descriptionHeading = "%n",
    footerHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:done, and the answer is no: a job failed, a submit was rejected, nothing was found, the doctor"
          + " found something wrong",
      "2:the command line is wrong; nothing was changed",
      "69:the store cannot be reached, or cannot be used by this version, or the address to listen on is"
          + " taken",
      "70:an internal error"
    },
    subcommands = {
      DemoCommand.class,
      ServerCommand.class,
      WorkerCommand.class,
      SubmitCommand.class,
      JobsCommand.class,
      QueuesCommand.class,
      ConcurrencyCommand.class,
      WorkflowCommand.class,
      WhyCommand.class,
      WorkersCommand.class,
      TailCommand.class,
      StatsCommand.class,
      TopCommand.class,
      ScheduleCommand.class,
      DoctorCommand.class,
      ConfigCommand.class,
      CpuCommand.class,
      BenchCommand.class,
      CompletionCommand.class,
      DemoWorkerCommand.class
    })
final class SluiceCommand implements Runnable {
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS).build();

  private final Console console;
  private final Surroundings surroundings;
  private Configuration configuration;

  @Spec private CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = {
        "The store: postgresql://user@host/database; s3://bucket/prefix, with ?endpoint=https://host and"
            + " &region=name where needed; file:directory; or embedded: for a PostgreSQL of its own.",
        "Default: what is configured (see 'sluice config'), as with SLUICE_STORE, else embedded:"
      })
  private String store;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      scope = ScopeType.INHERIT,
      description =
          "The schema, or the folder of a bucket or directory, that everything is kept in. Default:"
              + " sluice")
  private String schema;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      scope = ScopeType.INHERIT,
      description = "Prefer what the configuration files say under [profiles.NAME].")
  private String profile;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "Read this file in place of the project's .sluice.toml.")
  private Path configFile;

  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Print JSON for machines, an object a line.")
  private boolean json;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of errors.")
  private boolean debug;

  SluiceCommand(Console console, Surroundings surroundings) {
    this.console = console;
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command was given.");
  }

  /** Where to print. */
  Console console() {
    return console;
  }

  /** Moments in the reader's zone. */
  Times times() {
    return new Times(Clock.systemDefaultZone());
  }

  /** Whether machines read the output. */
  boolean json() {
    return json;
  }

  boolean debug() {
    return debug;
  }

  /** What this process finds around it. */
  Surroundings surroundings() {
    return surroundings;
  }

  /**
   * The configuration, with the options of the command line above everything. Whoever uses values
   * of {@code [server]} asks {@link #serverConfiguration}: a wrong one there stops nobody else.
   *
   * @throws InvalidRequestException if something is wrong with it
   */
  Configuration configuration() {
    return uncheckedConfiguration().orThrow(Settings.SERVER);
  }

  /**
   * The configuration for those who serve.
   *
   * @throws InvalidRequestException if something is wrong with it
   */
  Configuration serverConfiguration() {
    return uncheckedConfiguration().orThrow();
  }

  /** The configuration, whatever may be wrong with it. */
  Configuration uncheckedConfiguration() {
    if (configuration == null) {
      Map<Setting<?>, Object> flags = new LinkedHashMap<>();
      if (store != null) {
        flags.put(Settings.STORE_URL, store);
      }
      if (schema != null) {
        flags.put(Settings.STORE_SCHEMA, schema);
      }
      configuration =
          ConfigurationLoader.load(
              surroundings,
              new ConfigRequest(
                  Optional.ofNullable(configFile), Optional.ofNullable(profile), flags));
      configuration.ignored().forEach(this::warn);
    }
    return configuration;
  }

  /** The store's URL. */
  String storeUrl() {
    return configuration().get(Settings.STORE_URL);
  }

  /** The store's URL as it may be printed. */
  String storeName() {
    return Settings.STORE_URL.shown(storeUrl());
  }

  /** The schema that everything is kept in. */
  String schema() {
    return configuration().get(Settings.STORE_SCHEMA);
  }

  /** The schema of the command line, or this one: whatever files say of everyday work. */
  String schemaOr(String fallback) {
    return schema == null ? fallback : schema;
  }

  /** Whether nobody but this process can see the store, so that it ends with the command. */
  boolean isOfThisProcess() {
    return storeUrl().startsWith("memory:");
  }

  /** Opens the store that was asked for. */
  Sluice open() {
    return open(new SluiceListener() {});
  }

  /**
   * Opens the store that was asked for, for a command that only reads. An embedded PostgreSQL or a
   * directory is not created for that: an empty one would have nothing to read.
   *
   * @throws StoreUnavailableException if the store is an embedded one that was never started, or in
   *     a directory that is not there
   */
  Sluice openToRead() {
    requireLasting();
    return open(options(schema()).existing());
  }

  /** Opens the store that was asked for; this one hears what is done there. */
  Sluice open(SluiceListener listener) {
    requireLasting();
    return open(options(schema()).listener(listener));
  }

  private void requireLasting() {
    if (isOfThisProcess()) {
      throw new InvalidRequestException(
          "The store '%s' is gone when this command ends: nobody would ever see what it holds. It serves 'sluice demo' and tests; name one that lasts, such as file:./data."
              .formatted(storeUrl()));
    }
  }

  /** What was asked for, in this schema. */
  SluiceOptions options(String schema) {
    return SluiceOptions.url(storeUrl())
        .schema(schema)
        .connections(configuration().get(Settings.STORE_CONNECTIONS))
        .lease(configuration().get(Settings.DEFAULT_LEASE));
  }

  /** Opens the store that was asked for, in this schema. */
  Sluice open(String schema) {
    return open(options(schema));
  }

  /** Opens a store; whatever keeps it from being opened, there is none to work with. */
  Sluice open(SluiceOptions options) {
    try {
      return Sluice.open(options);
    } catch (InvalidRequestException | StoreIncompatibleException e) {
      throw e;
    } catch (SluiceException e) {
      throw new StoreUnavailableException(e.getMessage(), e);
    }
  }

  /** Prints a line on standard output. */
  void say(String line) {
    console.out().println(line);
  }

  /** Prints a remark on standard error, where it does not disturb what is piped on. */
  void remark(String line) {
    console.err().println(line);
  }

  /** Prints a remark on something that works and should be looked at. */
  void warn(String line) {
    console.err().println(console.style().yellow(Printable.of("sluice: " + line)));
  }

  /** Prints a value as one line of JSON. */
  void sayJson(Object value) {
    try {
      console.out().println(JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The version in the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SluiceCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "sluice " + (version == null ? "(unpackaged)" : version),
        "Java " + System.getProperty("java.version") + ", " + System.getProperty("os.name")
      };
    }
  }
}
