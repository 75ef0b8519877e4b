package dev.sluice.cli.config;

import dev.sluice.StoreUrls;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Something that can be configured.
 *
 * @param key its name in files, with its table: {@code worker.grace_secs}
 * @param type what its values are
 * @param preset its value when nobody says anything, as it would be typed; empty = none
 * @param flag the option that is stronger than everything else: {@code worker --grace}; empty =
 *     none
 * @param secrecy whether its value may be printed
 * @param description what it is, in a sentence
 */
public record Setting<T>(
    String key,
    SettingType<T> type,
    Optional<String> preset,
    String flag,
    Secrecy secrecy,
    String description) {
  /** What must not be printed. */
  public enum Secrecy {
    /** Nothing: it may be printed. */
    OPEN,
    /** A URL in which a password may be. */
    URL,
    /** All of it. */
    SECRET
  }

  private static final String PREFIX = "SLUICE_";

  /** The environment variables that set it, the first of them by the rule for all settings. */
  public List<String> variables() {
    String byRule = PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
    return key.equals("store.url") ? List.of(byRule, PREFIX + "STORE") : List.of(byRule);
  }

  /** Its value when nobody says anything. */
  Optional<T> presetValue() {
    return preset.map(text -> type.parse(text).orElseThrow());
  }

  /** A value as it may be printed. */
  public String shown(T value) {
    return switch (secrecy) {
      case OPEN -> type.show(value);
      case URL -> StoreUrls.masked(type.show(value));
      case SECRET -> StoreUrls.MASK;
    };
  }

  /** Whether this text must not be printed. */
  boolean holdsSecret(String text) {
    return switch (secrecy) {
      case OPEN -> false;
      case URL -> Secrets.isInUrl(text);
      case SECRET -> true;
    };
  }

  /** A value that could not be read, as it may be printed. */
  String shownBad(String text) {
    return secrecy == Secrecy.OPEN ? "'" + shortened(text) + "'" : "not shown here";
  }

  private static String shortened(String text) {
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }

  /** The table its key stands in. */
  String table() {
    return path().get(0);
  }

  /** The tables its key stands in, and its own name last. */
  List<String> path() {
    return Stream.of(key.split("\\.")).toList();
  }
}
