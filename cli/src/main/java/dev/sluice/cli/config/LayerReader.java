package dev.sluice.cli.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.Spelling;
import dev.sluice.Task;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes layers of a file, and finds everything in it that should not be there. */
final class LayerReader {
  private static final String PROFILES = "profiles";
  private static final String SCHEDULES = "schedules";
  private static final Pattern RELATIVE_URL =
      Pattern.compile("(file:|embedded:)([^/?][^?]*)(\\?.*)?");
  private static final List<String> LIMITS = List.of("concurrency", "limits");
  private static final String LIMIT_OF_EACH = "limit";
  private static final String POINTER = "pointer";
  private static final SettingType<Integer> LIMIT = SettingType.number(0, Integer.MAX_VALUE);
  private static final List<String> SCHEDULE_KEYS =
      List.of(
          "task",
          "cron",
          "every",
          "zone",
          "anchor",
          "payload",
          "queue",
          "priority",
          "timeout",
          "misfire",
          "overlap",
          "groups",
          "per");

  private final ConfigFile file;
  private final Consumer<Problem> problems;

  LayerReader(ConfigFile file, Consumer<Problem> problems) {
    this.file = file;
    this.problems = problems;
  }

  /** What the file says to everybody. */
  Layer base(String kind) {
    Layer layer = new Layer(kind, Optional.of(file.path()));
    tables(file.tree(), List.of(), layer);
    return layer;
  }

  /** What the file says under each profile, by the profile's name. */
  Map<String, Layer> profiles() {
    Map<String, Layer> profiles = new LinkedHashMap<>();
    JsonNode tables = file.tree().path(PROFILES);
    if (!tables.isMissingNode() && !tables.isObject()) {
      problem(
          List.of(PROFILES), "'profiles' is not a table; write [profiles.NAME.store] and so on.");
    }
    tables
        .properties()
        .forEach(
            profile -> {
              List<String> path = List.of(PROFILES, profile.getKey());
              Layer layer = new Layer("profile " + profile.getKey(), Optional.of(file.path()));
              table(profile.getValue(), path).ifPresent(t -> tables(t, path, layer));
              profiles.put(profile.getKey(), layer);
            });
    return profiles;
  }

  private void tables(ObjectNode tree, List<String> above, Layer layer) {
    Set<String> known = new LinkedHashSet<>();
    Settings.all().forEach(setting -> known.add(setting.path().get(0)));
    known.add(SCHEDULES);
    if (above.isEmpty()) {
      known.add(PROFILES);
    }
    for (Map.Entry<String, JsonNode> field : tree.properties()) {
      List<String> path = plus(above, field.getKey());
      if (!known.contains(field.getKey())) {
        problem(
            path, "There is no table [%s].%s".formatted(dotted(path), hint(field.getKey(), known)));
      } else if (field.getKey().equals(SCHEDULES)) {
        table(field.getValue(), path).ifPresent(table -> schedules(table, path, layer));
      } else if (!field.getKey().equals(PROFILES)) {
        table(field.getValue(), path).ifPresent(table -> settings(table, above, path, layer));
      }
    }
  }

  private void settings(ObjectNode table, List<String> above, List<String> path, Layer layer) {
    String name = path.get(above.size());
    List<String> known = new ArrayList<>();
    Settings.all().stream()
        .filter(setting -> setting.path().get(0).equals(name))
        .forEach(setting -> known.add(setting.path().get(1)));
    for (Map.Entry<String, JsonNode> field : table.properties()) {
      List<String> key = plus(path, field.getKey());
      List<String> inLayer = key.subList(above.size(), key.size());
      Optional<Setting<?>> setting =
          Settings.all().stream().filter(s -> s.path().equals(inLayer)).findFirst();
      if (inLayer.equals(LIMITS)) {
        table(field.getValue(), key).ifPresent(limits -> limits(limits, key, layer));
      } else if (setting.isEmpty()) {
        List<String> all = new ArrayList<>(known);
        if (name.equals(LIMITS.get(0))) {
          all.add(LIMITS.get(1));
        }
        problem(key, "There is no key '%s'.%s".formatted(dotted(key), keyHint(inLayer, all)));
      } else {
        value(setting.get(), field.getValue(), key, layer);
      }
    }
  }

  private <T> void value(Setting<T> setting, JsonNode node, List<String> key, Layer layer) {
    Optional<T> value = setting.type().read(node);
    if (value.isPresent()) {
      layer.values().put(setting, new Layer.Given(anchored(setting, value.get()), file.where(key)));
    } else {
      String text = node.isTextual() ? node.textValue() : node.toString();
      problems.accept(
          new Problem(
              file.where(key),
              "The value of '%s' is %s; use %s."
                  .formatted(dotted(key), setting.shownBad(text), setting.type().allowed()),
              setting.table()));
    }
  }

  /** Paths in a file start from the directory it is in, wherever the process works. */
  private Object anchored(Setting<?> setting, Object value) {
    Path directory = file.path().toAbsolutePath().getParent();
    if (setting == Settings.STORE_URL) {
      Matcher relative = RELATIVE_URL.matcher(value.toString());
      return relative.matches()
          ? relative.group(1)
              + directory.resolve(relative.group(2)).normalize()
              + Objects.requireNonNullElse(relative.group(3), "")
          : value;
    }
    return setting.key().endsWith("_file")
        ? directory.resolve(value.toString()).normalize().toString()
        : value;
  }

  private void limits(ObjectNode table, List<String> path, Layer layer) {
    for (Map.Entry<String, JsonNode> field : table.properties()) {
      List<String> key = plus(path, field.getKey());
      JsonNode given = field.getValue();
      boolean withPointer = given.has(LIMIT_OF_EACH);
      if (given.has(POINTER) && !withPointer) {
        problem(
            key,
            "The limit of '%1$s' is missing: \"%1$s\" = { limit = 10, pointer = \"/tenant\" }."
                .formatted(field.getKey()));
        continue;
      }
      if (given.isObject() && !withPointer) {
        problem(
            key,
            "A name with dots needs quotes: \"%1$s.…\" = 10; a limit with a pointer is written as \"%1$s\" = { limit = 10, pointer = \"/tenant\" }."
                .formatted(field.getKey()));
        continue;
      }
      JsonNode number = withPointer ? given.get(LIMIT_OF_EACH) : given;
      Optional<Integer> limit = LIMIT.read(number);
      if (limit.isEmpty()) {
        problem(
            key,
            "The limit of '%s' is '%s'; use %s."
                .formatted(field.getKey(), number.asText(), LIMIT.allowed()));
        continue;
      }
      try {
        Group group = Group.parse(field.getKey());
        Optional<String> pointer = withPointer ? pointer(group, given, key) : Optional.empty();
        layer.limits().put(group, new Layer.GivenLimit(limit.get(), pointer, file.where(key)));
        if (pointer.isPresent()) {
          requireRoomFor(group, key, layer);
        }
      } catch (InvalidRequestException e) {
        problem(key, e.getMessage());
      }
    }
  }

  /** A task whose dimensions leave no group for the submit side is refused by the store as well. */
  private void requireRoomFor(Group family, List<String> key, Layer layer) {
    long pointers =
        layer.limits().entrySet().stream()
            .filter(given -> given.getKey().plainName().equals(family.plainName()))
            .filter(given -> given.getValue().pointer().isPresent())
            .count();
    if (pointers > Task.MAX_EXTRA_GROUPS - 1) {
      problem(
          key,
          "The task '%s' has %d dimensions with pointers; at most %d are allowed."
              .formatted(family.plainName(), pointers, Task.MAX_EXTRA_GROUPS - 1));
    }
  }

  private Optional<String> pointer(Group group, JsonNode table, List<String> key) {
    for (Map.Entry<String, JsonNode> field : table.properties()) {
      if (!List.of(LIMIT_OF_EACH, POINTER).contains(field.getKey())) {
        problem(
            plus(key, field.getKey()),
            "There is no key '%s' of a limit; known are %s and %s."
                .formatted(field.getKey(), LIMIT_OF_EACH, POINTER));
      }
    }
    if (!table.has(POINTER)) {
      return Optional.empty();
    }
    Task.byName(group.plainName(), Map.of(group, table.get(POINTER).asText()));
    return Optional.of(table.get(POINTER).asText());
  }

  private void schedules(ObjectNode table, List<String> path, Layer layer) {
    for (Map.Entry<String, JsonNode> field : table.properties()) {
      List<String> key = plus(path, field.getKey());
      table(field.getValue(), key).ifPresent(s -> schedule(field.getKey(), s, key, layer));
    }
  }

  private void schedule(String name, ObjectNode table, List<String> path, Layer layer) {
    boolean known = true;
    for (Map.Entry<String, JsonNode> field : table.properties()) {
      List<String> key = plus(path, field.getKey());
      if (!SCHEDULE_KEYS.contains(field.getKey())) {
        known = false;
        problem(
            key,
            "There is no key '%s'.%s".formatted(dotted(key), hint(field.getKey(), SCHEDULE_KEYS)));
      }
    }
    if (!table.has("task")) {
      problem(path, "The schedule '%s' names no task.".formatted(name));
      return;
    }
    if (table.has("cron") == table.has("every")) {
      problem(path, "The schedule '%s' needs either 'cron' or 'every'.".formatted(name));
      return;
    }
    ConfiguredSchedule schedule =
        new ConfiguredSchedule(name, table, file.path(), file.where(path));
    if (known) {
      try {
        schedule.spec();
      } catch (InvalidRequestException e) {
        problem(path, e.getMessage());
      }
    }
    layer.schedules().put(name, schedule);
  }

  private Optional<ObjectNode> table(JsonNode node, List<String> path) {
    if (node instanceof ObjectNode object) {
      return Optional.of(object);
    }
    problem(path, "'%s' is not a table; write [%s].".formatted(dotted(path), dotted(path)));
    return Optional.empty();
  }

  private void problem(List<String> key, String what) {
    problems.accept(new Problem(file.where(key), what));
  }

  private static String keyHint(List<String> key, List<String> siblings) {
    String name = key.get(1);
    String near = hint(name, siblings);
    if (!near.isEmpty()) {
      return near;
    }
    return Settings.all().stream()
        .filter(setting -> setting.path().get(1).equals(name))
        .findFirst()
        .map(setting -> " Did you mean '" + setting.key() + "'?")
        .orElse(" Keys there: " + String.join(", ", siblings) + ".");
  }

  static String hint(String typed, Collection<String> known) {
    List<String> close = known.stream().filter(word -> Spelling.isClose(typed, word)).toList();
    return close.isEmpty() ? "" : " Did you mean " + String.join(" or ", close) + "?";
  }

  private static String dotted(List<String> path) {
    return String.join(".", path);
  }

  private static List<String> plus(List<String> path, String name) {
    List<String> longer = new ArrayList<>(path);
    longer.add(name);
    return longer;
  }
}
