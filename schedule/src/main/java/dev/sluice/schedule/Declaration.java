package dev.sluice.schedule;

import dev.sluice.InvalidRequestException;
import dev.sluice.schedule.ScheduleEditor.Read;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what a source declares so. An operator has more say than a configuration file, and that
 * more than code; who has less leaves alone what the other has made.
 */
final class Declaration {
  private static final Logger log = LoggerFactory.getLogger(Declaration.class);
  private static final Pattern SOURCE = Pattern.compile("(code|config)(:[^\\p{Cntrl}]{1,100})?");

  private final ScheduleEditor editor;
  private final String source;
  private final List<String> created = new ArrayList<>();
  private final List<String> updated = new ArrayList<>();
  private final List<String> removed = new ArrayList<>();
  private final List<String> unchanged = new ArrayList<>();
  private final List<String> overruled = new ArrayList<>();

  Declaration(ScheduleEditor editor, String source) {
    if (!SOURCE.matcher(source).matches()) {
      throw new InvalidRequestException(
          "'%s' is not a source of schedules. Use code or config, or one of them with a name, as in code:billing."
              .formatted(source));
    }
    this.editor = editor;
    this.source = source;
  }

  Declared of(Collection<ScheduleSpec> specs) {
    Map<String, ScheduleSpec> byName = new LinkedHashMap<>();
    for (ScheduleSpec spec : specs) {
      if (byName.put(spec.name(), editor.written(spec)) != null) {
        throw new InvalidRequestException(
            "The schedule '%s' is declared twice; give each its own name.".formatted(spec.name()));
      }
    }
    byName.values().forEach(this::declare);
    for (Read read : editor.all()) {
      String name = read.schedule().spec().name();
      if (!byName.containsKey(name) && read.schedule().source().equals(source)) {
        remove(name);
      }
    }
    return new Declared(
        List.copyOf(created),
        List.copyOf(updated),
        List.copyOf(removed),
        List.copyOf(unchanged),
        List.copyOf(overruled));
  }

  private void declare(ScheduleSpec spec) {
    boolean[] same = new boolean[1];
    boolean[] hasSay = new boolean[1];
    Optional<ScheduleInfo> known = Optional.empty();
    // Gone again right after it was found to be there: then it can be created.
    while (known.isEmpty()) {
      known =
          editor.change(
              spec.name(),
              (schedule, now) -> {
                hasSay[0] = rank(source) >= rank(schedule.source());
                same[0] =
                    source.equals(schedule.source())
                        && ScheduleJson.spec(schedule.spec())
                            .toString()
                            .equals(ScheduleJson.spec(spec).toString());
                return hasSay[0] && !same[0] ? schedule.change(spec, source, now) : schedule;
              });
      if (known.isEmpty() && editor.create(spec, source).isPresent()) {
        created.add(spec.name());
        return;
      }
    }
    if (!hasSay[0]) {
      overruled.add(spec.name());
      log.info(
          "The schedule '{}' stays as it is: it belongs to {}. Delete it to have it declared by {}.",
          spec.name(),
          known.get().source(),
          source);
    } else {
      (same[0] ? unchanged : updated).add(spec.name());
    }
  }

  private void remove(String name) {
    if (editor.delete(
        name, stored -> ScheduleEditor.read(stored).schedule().source().equals(source))) {
      removed.add(name);
      log.info("The schedule '{}' was removed: {} does not declare it any more.", name, source);
    }
  }

  private static int rank(String source) {
    return source.equals(Schedules.OPERATOR) ? 2 : source.startsWith(Schedules.CONFIG) ? 1 : 0;
  }
}
