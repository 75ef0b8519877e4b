package dev.sluice.cli;

import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.Configuration.Found;
import dev.sluice.cli.config.ConfiguredSchedule;
import dev.sluice.cli.config.Setting;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The settings, a line each. */
final class ConfigSheet {
  private final SluiceCommand root;

  ConfigSheet(SluiceCommand root) {
    this.root = root;
  }

  /** What is configured, and where. */
  void print(Configuration configuration) {
    Table table = new Table(root.console().style()).left("KEY").left("VALUE").flexible("FROM");
    for (Setting<?> setting : Settings.all()) {
      row(table, configuration, setting);
    }
    configuration
        .limits()
        .forEach(
            (group, limit) ->
                row(
                    table,
                    "concurrency.limits." + quoted(group.toString()),
                    limit
                        .pointer()
                        .<Object>map(
                            pointer ->
                                "{ limit = %d, pointer = \"%s\" }"
                                    .formatted(limit.limit(), pointer))
                        .orElse(limit.limit()),
                    limit.kind(),
                    limit.where()));
    for (ConfiguredSchedule schedule : configuration.schedules().values()) {
      String when =
          schedule
              .text("cron")
              .map(cron -> "cron " + cron)
              .or(() -> schedule.text("every").map(e -> "every " + e))
              .orElse("?");
      String what = when + ": " + schedule.text("task").orElse("?");
      row(table, "schedules." + quoted(schedule.name()), what, "file", schedule.where());
    }
    if (!root.json()) {
      table.lines(root.console().tableWidth()).forEach(root::say);
    }
  }

  private <T> void row(Table table, Configuration configuration, Setting<T> setting) {
    configuration
        .find(setting)
        .ifPresentOrElse(
            found -> row(table, setting.key(), shown(setting, found), found.kind(), found.where()),
            () -> row(table, setting.key(), null, "default", "default"));
  }

  private void row(Table table, String key, Object value, String kind, String where) {
    if (root.json()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("key", key);
      map.put("value", value);
      map.put("from", kind);
      map.put("where", where);
      root.sayJson(map);
    } else {
      String text =
          value instanceof List<?> list
              ? String.join(",", list.stream().map(String::valueOf).toList())
              : String.valueOf(value);
      table.row(
          Printable.of(key),
          value == null ? "-" : Printable.of(text),
          Printable.of(kind.equals(where) ? where : kind + ", " + where));
    }
  }

  /** For machines as a number or a list where it is one. */
  private static <T> Object shown(Setting<T> setting, Found<T> found) {
    if (setting.secrecy() != Setting.Secrecy.OPEN || found.value() instanceof String) {
      return setting.shown(found.value());
    }
    return found.value() instanceof java.time.Duration
        ? new BigDecimal(setting.shown(found.value()))
        : found.value();
  }

  private static String quoted(String name) {
    return name.matches("[A-Za-z0-9_-]+") ? name : '"' + name + '"';
  }

  /** Every setting there is. */
  void keys(boolean markdown) {
    Table table =
        new Table(root.console().style())
            .left("KEY")
            .left("DEFAULT")
            .left("VARIABLE")
            .left("FLAG")
            .flexible("WHAT IT IS");
    if (markdown) {
      root.say("| key | default | what it is; what is allowed | variable | flag |");
      root.say("|---|---|---|---|---|");
    }
    for (Setting<?> setting : Settings.all()) {
      String preset = setting.preset().orElse("");
      String variables = String.join(", ", setting.variables());
      if (markdown) {
        root.say(
            "| `%s` | %s | %s Allowed: %s. | `%s` | %s |"
                .formatted(
                    setting.key(),
                    code(preset),
                    setting.description(),
                    setting.type().allowed(),
                    variables.replace(", ", "`, `"),
                    code(setting.flag())));
      } else if (root.json()) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("key", setting.key());
        map.put("default", setting.preset().orElse(null));
        map.put("variables", setting.variables());
        map.put("flag", setting.flag());
        map.put("allowed", setting.type().allowed());
        map.put("description", setting.description());
        root.sayJson(map);
      } else {
        table.row(
            setting.key(),
            preset.isEmpty() ? "-" : preset,
            variables,
            setting.flag().isEmpty() ? "-" : setting.flag(),
            setting.description());
      }
    }
    if (!table.isEmpty()) {
      table.lines(root.console().tableWidth()).forEach(root::say);
    }
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }
}
