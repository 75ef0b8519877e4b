package dev.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A completion script for fish, which picocli does not write. */
final class FishCompletion {
  private static final String SEEN = "__fish_seen_subcommand_from ";

  private final CommandLine commandLine;

  FishCompletion(CommandLine commandLine) {
    this.commandLine = commandLine;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("# fish completion for sluice");
    lines.add("complete -c sluice -f");
    commands(commandLine, "", lines);
    return lines;
  }

  private static void commands(CommandLine parent, String condition, List<String> lines) {
    Map<String, CommandLine> visible =
        parent.getSubcommands().entrySet().stream()
            .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    Map.Entry::getValue,
                    (a, b) -> a,
                    java.util.LinkedHashMap::new));
    options(parent.getCommandSpec(), condition, lines);
    if (visible.isEmpty()) {
      return;
    }
    String names = String.join(" ", visible.keySet());
    visible.forEach(
        (name, command) -> {
          lines.add(
              "complete -c sluice -n %s -a %s -d %s"
                  .formatted(
                      quoted(and(condition, "not " + SEEN + names)),
                      name,
                      quoted(first(command.getCommandSpec().usageMessage().description()))));
          commands(command, and(condition, SEEN + name), lines);
        });
  }

  private static void options(CommandSpec spec, String condition, List<String> lines) {
    for (OptionSpec option : spec.options()) {
      // Those that every command takes are written down once, for all of them.
      if (option.hidden() || (option.inherited() && !condition.isEmpty())) {
        continue;
      }
      StringBuilder line = new StringBuilder("complete -c sluice");
      if (!condition.isEmpty()) {
        line.append(" -n ").append(quoted(condition));
      }
      for (String name : option.names()) {
        line.append(
            name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
      }
      if (option.arity().max() > 0) {
        line.append(" -r");
        if (option.paramLabel().equals("FILE")) {
          line.append(" -F");
        }
      }
      lines.add(line.append(" -d ").append(quoted(first(option.description()))).toString());
    }
  }

  private static String and(String a, String b) {
    return a.isEmpty() ? b : a + "; and " + b;
  }

  private static String first(String[] description) {
    String text = description.length == 0 ? "" : description[0];
    int end = text.indexOf(". ");
    return (end < 0 ? text : text.substring(0, end)).replace("\n", " ");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
