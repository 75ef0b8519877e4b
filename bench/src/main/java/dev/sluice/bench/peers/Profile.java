package dev.sluice.bench.peers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Who a contender is.
 *
 * @param name what {@code --only} and the report call it
 * @param role what it is measured for
 * @param limit how many of its jobs may run at once; empty = no limit but the parallelism
 * @param jobs how many jobs it runs in a few seconds
 * @param settings its version and how it was set up, for people to read
 */
record Profile(String name, Role role, OptionalInt limit, int jobs, Map<String, String> settings) {
  /** The parallelism of everybody: threads, workers times their concurrency, or callbacks. */
  static final int PARALLELISM = 100;

  /** What every limited contender is limited to. */
  static final int LIMIT = 10;

  /** What a contender is measured for. */
  enum Role {
    /** Ours. */
    SLUICE,
    /** Another system. */
    PEER,
    /** What the server would do if nobody asked for more than the SQL. */
    CEILING
  }

  Profile {
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /** A contender without a limit. */
  static Profile unlimited(String name, Role role, int jobs) {
    return new Profile(name, role, OptionalInt.empty(), jobs, Map.of());
  }

  /** A contender at limit {@value #LIMIT}. */
  static Profile limited(String name, Role role, int jobs) {
    return new Profile(name + "-limit-" + LIMIT, role, OptionalInt.of(LIMIT), jobs, Map.of());
  }

  /** The same with one more setting. */
  Profile with(String setting, Object value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(setting, value.toString());
    return new Profile(name, role, limit, jobs, more);
  }
}
