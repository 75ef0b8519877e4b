package dev.sluice.cli;

import dev.sluice.cli.config.ConfigLocations;
import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.ConfigurationLoader;
import dev.sluice.cli.config.Problem;
import dev.sluice.cli.text.Printable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what is configured and from where, and checks files. */
@Command(
    name = "config",
    description = {
      "Show and check the configuration.",
      "",
      "A setting comes from the first of: its flag; its environment variable; the chosen profile; the"
          + " project's .sluice.toml, in this directory or above it up to the root of the repository or"
          + " your home; your own ~/.config/sluice/config.toml; its default. The variable is SLUICE_,"
          + " the table and the key in capitals: worker.grace_secs is SLUICE_WORKER_GRACE_SECS.",
      "",
      "'sluice worker' and 'sluice server' set the limits of [concurrency.limits] when they start,"
          + " weaker than an operator's and stronger than those in code. A limit that is taken out of a"
          + " file is taken away at the next start, if the log says that this file had set it."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "Example of a file:",
      "  [store]",
      "  url = \"postgresql://localhost/app\"",
      "  [concurrency.limits]",
      "  call_external_api = 10",
      "  \"send_email/tenant=*\" = 2",
      "  [profiles.staging.store]",
      "  url = \"postgresql://staging/app\"      with --profile staging or SLUICE_PROFILE"
    })
final class ConfigCommand implements Runnable {
  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  ConfigCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "'sluice config' needs a command.");
  }

  @Command(
      name = "show",
      description = "Show each setting with where it comes from. Secrets are masked.")
  int show() {
    Configuration configuration = root.uncheckedConfiguration();
    new ConfigSheet(root).print(configuration);
    configuration.warnings().forEach(root::warn);
    configuration.problems().forEach(p -> root.remark(Printable.message("sluice: " + p)));
    return configuration.problems().isEmpty() ? ExitCode.OK : ExitCode.NEGATIVE;
  }

  @Command(
      name = "validate",
      description =
          "Check everything that would be read, or one file by itself, and list what is wrong.")
  int validate(@Parameters(paramLabel = "FILE", arity = "0..1") Path file) {
    Configuration configuration =
        file == null
            ? root.uncheckedConfiguration()
            : ConfigurationLoader.loadAlone(root.surroundings().directory().resolve(file));
    List<Problem> problems = configuration.problems();
    if (root.json()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("valid", problems.isEmpty());
      map.put("files", configuration.files().stream().map(Path::toString).toList());
      map.put("problems", problems);
      map.put("warnings", configuration.warnings());
      root.sayJson(map);
    } else {
      problems.forEach(problem -> root.say(Printable.of(problem.toString())));
      configuration.warnings().forEach(root::warn);
      root.remark(Printable.of(verdict(configuration, problems.size())));
    }
    return problems.isEmpty() ? ExitCode.OK : ExitCode.NEGATIVE;
  }

  private String verdict(Configuration configuration, int problems) {
    if (problems > 0) {
      return problems == 1 ? "One thing is wrong." : problems + " things are wrong.";
    }
    return configuration.files().isEmpty()
        ? "There is no file: neither a %s here or above, nor %s."
            .formatted(ConfigLocations.PROJECT_FILE, ConfigLocations.user(root.surroundings()))
        : "Nothing is wrong with "
            + String.join(" and ", configuration.files().stream().map(Path::toString).toList())
            + ".";
  }

  @Command(
      name = "keys",
      description = "List every setting there is, with its default, its variable and its flag.")
  void keys(
      @Option(names = "--markdown", description = "As a table for a document.") boolean markdown) {
    new ConfigSheet(root).keys(markdown);
  }
}
