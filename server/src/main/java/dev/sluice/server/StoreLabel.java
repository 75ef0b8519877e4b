package dev.sluice.server;

import dev.sluice.StoreUrls;
import dev.sluice.server.view.OverviewView;
import java.util.Locale;

/** Says which store this is without saying its secrets. */
final class StoreLabel {
  private StoreLabel() {}

  /** From a URL: its secrets are masked, and what stands after a question mark is left out. */
  static OverviewView.Store of(String url) {
    int colon = url.indexOf(':');
    String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
    String name = StoreUrls.masked(url).replaceFirst("[?#].*$", "");
    return new OverviewView.Store(kind(scheme), name);
  }

  private static String kind(String scheme) {
    return switch (scheme) {
      case "postgres", "postgresql", "jdbc" -> "postgresql";
      case "embedded" -> "embedded";
      case "" -> "unknown";
      default -> scheme;
    };
  }
}
