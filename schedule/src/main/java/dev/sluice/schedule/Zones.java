package dev.sluice.schedule;

import dev.sluice.InvalidRequestException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.stream.Collectors;

/** Time zones by name, with messages for those that are none. */
final class Zones {
  static final ZoneId UTC = ZoneId.of("UTC");

  private static final int MOST_SUGGESTIONS = 3;

  private Zones() {}

  static ZoneId parse(String zone) {
    try {
      return ZoneId.of(zone.strip());
    } catch (DateTimeException e) {
      throw new InvalidRequestException(
          "The zone '%s' is not known here. Write the name of a region, such as Europe/Berlin, or UTC.%s"
              .formatted(zone.length() > 60 ? zone.substring(0, 60) + "…" : zone, suggestion(zone)),
          e);
    }
  }

  private static String suggestion(String zone) {
    String city = zone.substring(zone.lastIndexOf('/') + 1).strip().toLowerCase(Locale.ROOT);
    String found =
        ZoneId.getAvailableZoneIds().stream()
            .filter(id -> !city.isEmpty() && id.toLowerCase(Locale.ROOT).endsWith("/" + city))
            .sorted()
            .limit(MOST_SUGGESTIONS)
            .collect(Collectors.joining(" or "));
    return found.isEmpty() ? "" : " Did you mean " + found + "?";
  }
}
