package dev.sluice.cli;

import dev.sluice.Sluice;
import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.ConfiguredLimits;
import dev.sluice.cli.config.ConfiguredSchedule;
import dev.sluice.cli.text.Printable;
import dev.sluice.schedule.Declared;
import dev.sluice.schedule.ScheduleSpec;
import dev.sluice.schedule.Schedules;
import java.nio.file.Path;
import java.util.List;

/** What configuration files declare for everybody: brought into the store by whoever starts. */
final class FileDeclarations {
  private final SluiceCommand root;
  private final Sluice sluice;

  FileDeclarations(SluiceCommand root, Sluice sluice) {
    this.root = root;
    this.sluice = sluice;
  }

  /** Sets limits and schedules as the files say, takes away what they say no more. */
  void apply() {
    Configuration configuration = root.configuration();
    configuration.warnings().forEach(root::warn);
    new ConfiguredLimits(sluice.concurrency())
        .apply(configuration)
        .forEach(line -> root.remark(Printable.of(line)));
    for (Path file : configuration.files()) {
      List<ScheduleSpec> specs =
          configuration.schedules().values().stream()
              .filter(schedule -> schedule.file().equals(file))
              .map(ConfiguredSchedule::spec)
              .toList();
      // Each file speaks for itself: those of two projects on one store leave each other alone.
      say(Schedules.on(sluice).declare(Schedules.CONFIG + ":" + file, specs), file);
    }
  }

  private void say(Declared declared, Path file) {
    say("is new", declared.created(), file);
    say("was changed", declared.updated(), file);
    say("is gone", declared.removed(), file);
    say("was left as an operator set it, whatever is", declared.overruled(), file);
  }

  private void say(String what, List<String> names, Path file) {
    names.forEach(
        name ->
            root.remark(Printable.of("The schedule '%s' %s in %s.".formatted(name, what, file))));
  }
}
