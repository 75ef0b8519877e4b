package dev.sluice.cli.config;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * Brings the limits of files into the store, at the level that is theirs.
 *
 * <p>The log of changes says who set a limit last, and for files that is their path. So nothing is
 * written where the file's number stands already, and a limit that was taken out of a file is taken
 * away if, and only if, that very file had set it. Processes with different files of the same path
 * overwrite each other: the one that starts last is right.
 */
public final class ConfiguredLimits {
  private static final String ACTOR = "file ";
  private static final int LONGEST_PATH = 180;
  private static final int WHOLE_LOG = Integer.MAX_VALUE;

  private final ConcurrencyLimits limits;

  public ConfiguredLimits(ConcurrencyLimits limits) {
    this.limits = limits;
  }

  /** Sets and removes what differs; says what was done, a sentence each. */
  public List<String> apply(Configuration configuration) {
    List<String> done = new ArrayList<>();
    if (configuration.files().isEmpty()) {
      return done;
    }
    Map<Group, LimitChange> last = last();
    Map<Group, String> pointers = pointers(configuration);
    Map<Group, Configuration.Limit> wanted = configuration.limits();
    wanted.forEach(
        (group, limit) -> {
          String actor = actor(limit.file());
          boolean stands =
              Optional.ofNullable(last.get(group))
                  .filter(change -> change.by().equals(actor))
                  .filter(change -> change.after().equals(OptionalInt.of(limit.limit())))
                  .filter(change -> standsInStore(limit.pointer(), pointers.get(group)))
                  .isPresent();
          if (!stands) {
            set(limits.as(actor), group, limit);
            done.add(
                "The limit of '%s' is %d%s, from %s."
                    .formatted(
                        group,
                        limit.limit(),
                        limit.pointer().map(" by the pointer "::concat).orElse(""),
                        limit.where()));
          }
        });
    last.keySet().removeAll(wanted.keySet());
    removeForgotten(configuration.files(), last.values(), done);
    return done;
  }

  /** Those on record, if the files say any. */
  private Map<Group, String> pointers(Configuration configuration) {
    return configuration.limits().values().stream().anyMatch(l -> l.pointer().isPresent())
        ? limits.pointers()
        : Map.of();
  }

  private static boolean standsInStore(Optional<String> wanted, String onRecord) {
    return wanted.isEmpty() || wanted.get().equals(onRecord);
  }

  private static void set(ConcurrencyLimits limits, Group group, Configuration.Limit limit) {
    if (limit.pointer().isPresent()) {
      limits.configureLimit(group, limit.limit(), limit.pointer().get());
    } else {
      limits.configureLimit(group, OptionalInt.of(limit.limit()));
    }
  }

  private void removeForgotten(
      List<Path> files, Collection<LimitChange> unwanted, List<String> done) {
    Set<String> actors = new HashSet<>();
    files.forEach(file -> actors.add(actor(file)));
    for (LimitChange change : unwanted) {
      if (change.after().isPresent() && actors.contains(change.by())) {
        limits.as(change.by()).configureLimit(change.group(), OptionalInt.empty());
        done.add(
            "The limit of '%s' is gone from the %s; it was %d."
                .formatted(change.group(), change.by(), change.after().getAsInt()));
      }
    }
  }

  /** Of each group the latest change at the level of files; the log has the newest first. */
  private Map<Group, LimitChange> last() {
    Map<Group, LimitChange> last = new TreeMap<>();
    for (LimitChange change : limits.changes(Optional.empty(), WHOLE_LOG)) {
      if (change.level() == LimitLevel.CONFIG) {
        last.putIfAbsent(change.group(), change);
      }
    }
    return last;
  }

  private static String actor(Path file) {
    String path = file.toString();
    return ACTOR
        + (path.length() > LONGEST_PATH
            ? "…" + path.substring(path.length() - LONGEST_PATH)
            : path);
  }
}
