package dev.sluice.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.sluice.InvalidRequestException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads cron expressions. Five fields are those of Unix: where both days are given, either matches.
 * Six have seconds in front, as in Spring: where both days are given, both must match, and L, W and
 * # are known. Monday is 1 in both, and Sunday 0 or 7.
 */
final class CronText {
  private static final CronParser UNIX = parser(CronType.UNIX);
  private static final CronParser WITH_SECONDS = parser(CronType.SPRING53);
  private static final int UNIX_FIELDS = 5;

  private static final Map<String, String> NICKNAMES =
      Map.of(
          "@hourly", "0 * * * *",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@weekly", "0 0 * * 0",
          "@monthly", "0 0 1 * *",
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *");

  private record Field(String name, String allowed) {}

  private static final List<Field> FIELDS =
      List.of(
          new Field("second", "0 to 59"),
          new Field("minute", "0 to 59"),
          new Field("hour", "0 to 23"),
          new Field("day of month", "1 to 31"),
          new Field("month", "1 to 12 or JAN to DEC"),
          new Field("day of week", "0 to 7 (0 and 7 are Sunday) or SUN to SAT"));

  /**
   * An expression that was read.
   *
   * @param times what it matches
   * @param everyHour whether it leaves the hour open
   */
  record Parsed(ExecutionTime times, boolean everyHour) {}

  private static final ZonedDateTime SOME_DAY =
      LocalDate.of(2000, 1, 1).atStartOfDay(ZoneOffset.UTC);
  private static final int MOST_KNOWN = 1_000;

  /** Whoever lists schedules or sees to them reads the same few expressions again and again. */
  private static final Map<String, Parsed> KNOWN = new ConcurrentHashMap<>();

  private CronText() {}

  /** Reads an expression; {@code schedule} names it in messages. */
  static Parsed parse(String schedule, String expression) {
    Parsed known = KNOWN.get(expression);
    if (known == null) {
      known = read(schedule, expression);
      if (KNOWN.size() >= MOST_KNOWN) {
        KNOWN.clear();
      }
      KNOWN.put(expression, known);
    }
    return known;
  }

  private static Parsed read(String schedule, String expression) {
    String known = NICKNAMES.getOrDefault(expression.strip().toLowerCase(Locale.ROOT), expression);
    List<String> fields = List.of(known.strip().split("\\s+"));
    boolean unix = fields.size() == UNIX_FIELDS;
    if (!unix && fields.size() != FIELDS.size()) {
      throw new InvalidRequestException(
          "The cron expression '%s' of the schedule '%s' has %d fields. Write five (minute, hour, day of month, month, day of week), six with the second in front, or @hourly, @daily, @weekly, @monthly, @yearly."
              .formatted(shortened(expression), schedule, fields.size()));
    }
    try {
      Cron cron = (unix ? UNIX : WITH_SECONDS).parse(String.join(" ", fields));
      ExecutionTime times = ExecutionTime.forCron(cron.validate());
      if (times.nextExecution(SOME_DAY).isEmpty()) {
        throw new InvalidRequestException(
            "The cron expression '%s' of the schedule '%s' never matches: no such day is in any calendar. Check its day of month and month."
                .formatted(expression, schedule));
      }
      return new Parsed(times, fields.get(unix ? 1 : 2).equals("*"));
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "The cron expression '%s' of the schedule '%s' is not one: %s"
              .formatted(shortened(expression), schedule, complaint(fields, unix, e)),
          e);
    }
  }

  /** Which field it is: the one that is wrong by itself. */
  private static String complaint(List<String> fields, boolean unix, IllegalArgumentException e) {
    for (int i = 0; i < fields.size(); i++) {
      StringBuilder alone = new StringBuilder();
      for (int j = 0; j < fields.size(); j++) {
        alone.append(j == 0 ? "" : " ").append(j == i ? fields.get(i) : "*");
      }
      try {
        (unix ? UNIX : WITH_SECONDS).parse(alone.toString()).validate();
      } catch (IllegalArgumentException wrong) {
        Field field = FIELDS.get(unix ? i + 1 : i);
        return "the %s '%s' is wrong. Allowed are %s, with * , - and /%s"
            .formatted(
                field.name(),
                shortened(fields.get(i)),
                field.allowed(),
                unix ? "." : ", for days also ? L W #.");
      }
    }
    return e.getMessage() + ".";
  }

  private static String shortened(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }

  private static CronParser parser(CronType type) {
    return new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type));
  }
}
