package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Times;
import java.time.Clock;
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
      "69:the store cannot be reached, or cannot be used by this version",
      "70:an internal error"
    },
    subcommands = {
      DemoCommand.class,
      WorkerCommand.class,
      SubmitCommand.class,
      JobsCommand.class,
      QueuesCommand.class,
      ConcurrencyCommand.class,
      WorkflowCommand.class,
      DoctorCommand.class,
      CpuCommand.class,
      BenchCommand.class,
      CompletionCommand.class,
      DemoWorkerCommand.class
    })
final class SluiceCommand implements Runnable {
  static final String DEFAULT_SCHEMA = "sluice";

  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS).build();

  private final Console console;

  @Spec private CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      defaultValue = "${env:SLUICE_STORE:-embedded:}",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = {
        "The store: postgresql://user@host/database; s3://bucket/prefix, with ?endpoint=https://host and"
            + " &region=name where needed; file:directory; or embedded: for a PostgreSQL of its own.",
        "Default: the environment variable SLUICE_STORE, else embedded:"
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
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Print JSON for machines, an object a line.")
  private boolean json;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of errors.")
  private boolean debug;

  SluiceCommand(Console console) {
    this.console = console;
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

  /** The store's URL. */
  String storeUrl() {
    return store;
  }

  /** The schema, or this one if none was given. */
  String schemaOr(String fallback) {
    return schema == null ? fallback : schema;
  }

  /** Whether nobody but this process can see the store, so that it ends with the command. */
  boolean isOfThisProcess() {
    return store.startsWith("memory:");
  }

  /** Opens the store that was asked for. */
  Sluice open() {
    if (isOfThisProcess()) {
      throw new InvalidRequestException(
          "The store '%s' is gone when this command ends: nobody would ever see what it holds. It serves 'sluice demo' and tests; name one that lasts, such as file:./data."
              .formatted(store));
    }
    return open(DEFAULT_SCHEMA);
  }

  /** What was asked for, with this schema if none was. */
  SluiceOptions options(String defaultSchema) {
    return SluiceOptions.url(store).schema(schemaOr(defaultSchema));
  }

  /** Opens the store that was asked for, with this schema if none was asked for. */
  Sluice open(String defaultSchema) {
    SluiceOptions options = options(defaultSchema);
    try {
      return Sluice.open(options);
    } catch (InvalidRequestException | StoreIncompatibleException e) {
      throw e;
    } catch (SluiceException e) {
      // Whatever it was, there is no store to work with.
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
