package dev.sluice.server;

import dev.sluice.StoreUrls;
import dev.sluice.server.view.OverviewView;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Says which store this is without saying its secrets. */
final class StoreLabel {
  private StoreLabel() {}

  /** From a URL: its secrets are masked, and what stands after a question mark is left out. */
  static OverviewView.Store of(String url) {
    int colon = url.indexOf(':');
    String kind = kind(colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT));
    String address = StoreUrls.masked(url).replaceFirst("[?#].*$", "");
    return new OverviewView.Store(kind, name(kind, address), address);
  }

  private static String kind(String scheme) {
    return switch (scheme) {
      case "postgres", "postgresql", "jdbc" -> "postgresql";
      case "embedded" -> "embedded";
      case "" -> "unknown";
      default -> scheme;
    };
  }

  /** The database, the bucket with its prefix, or the directory; the host or the kind without. */
  private static String name(String kind, String address) {
    List<String> parts =
        Stream.of(address.replaceFirst("^(jdbc:)?[A-Za-z0-9+.-]*:", "").split("/"))
            .filter(part -> !part.isEmpty() && !part.equals("."))
            .toList();
    if (parts.isEmpty()) {
      return kind;
    }
    String last = parts.get(parts.size() - 1);
    return switch (kind) {
      case "postgresql" -> last.replaceFirst("^.*@", "");
      case "file", "embedded", "unknown" -> last;
      default -> String.join("/", parts);
    };
  }
}
