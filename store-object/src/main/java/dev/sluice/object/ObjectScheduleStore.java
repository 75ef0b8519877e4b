package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Micros;
import dev.sluice.spi.ScheduleStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules, an object each, replaced by compare-and-set.
 *
 * <p>A schedule that is deleted is replaced by an object that says so and goes on counting its
 * versions; it is never removed. So no version is used twice for a name, and a put that arrives
 * late finds its tag gone.
 *
 * <p>A look at all schedules is one list, and a read for each that has changed since the last look
 * of this process. To ask which are due is less where requests cost money: see {@link
 * ScheduleBell}.
 */
final class ObjectScheduleStore implements ScheduleStore {
  private static final Logger log = LoggerFactory.getLogger(ObjectScheduleStore.class);
  private static final String PREFIX = "schedules/";

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final StoreClock clock;
  private final ScheduleBell bell;
  private final Map<String, Tagged> seen = new ConcurrentHashMap<>();

  private record Tagged(ScheduleDocument document, String tag) {}

  ObjectScheduleStore(ObjectStore store, StoreEnvironment environment, StoreClock clock) {
    this.store = store;
    this.environment = environment;
    this.clock = clock;
    this.bell = new ScheduleBell(store, environment);
  }

  private static String key(String name) {
    return PREFIX + GroupKeys.encode(name) + ".json";
  }

  @Override
  public boolean create(Entry entry) {
    Optional<Tagged> before = load(key(entry.name()));
    return before.map(tagged -> tagged.document.deleted()).orElse(true)
        && put(before, entry, false);
  }

  @Override
  public boolean replace(Entry entry, long version) {
    Optional<Tagged> before = at(entry.name(), version);
    return before.isPresent() && put(before, entry, false);
  }

  @Override
  public boolean delete(String name, long version) {
    Optional<Tagged> before = at(name, version);
    return before.isPresent() && put(before, new Entry(name, "", Optional.empty()), true);
  }

  /** The schedule, if it has this version; as this process knows it, if it knows that version. */
  private Optional<Tagged> at(String name, long version) {
    Tagged known = seen.get(key(name));
    return (known != null && known.document.version() == version
            ? Optional.of(known)
            : load(key(name)))
        .filter(tagged -> tagged.document.version() == version && !tagged.document.deleted());
  }

  private boolean put(Optional<Tagged> before, Entry entry, boolean delete) {
    String key = key(entry.name());
    ScheduleDocument next =
        before
            .map(Tagged::document)
            .orElse(ScheduleDocument.unused(entry.name()))
            .next(entry, delete, clock.now(), environment.nonce());
    PutResult result;
    try {
      result =
          before.isPresent()
              ? store.putIfMatch(key, next.body(), before.get().tag)
              : store.putIfAbsent(key, next.body());
    } catch (UnknownOutcomeException e) {
      return settle(key, next, e);
    }
    if (result instanceof Stored stored) {
      seen.put(key, new Tagged(next, stored.tag()));
      bell.ring();
      return true;
    }
    seen.remove(key);
    return false;
  }

  /** Whether a write whose answer was lost made its version. */
  private boolean settle(String key, ScheduleDocument written, UnknownOutcomeException doubt) {
    bell.ring();
    return load(key)
        .flatMap(now -> now.document.writeOf(written.version()))
        .map(written.writes().get(0)::equals)
        .orElseThrow(() -> doubt);
  }

  private Optional<Tagged> load(String key) {
    Optional<Tagged> found =
        store
            .get(key)
            .map(
                object ->
                    new Tagged(ScheduleDocument.read(store.nameOf(key), object), object.tag()));
    if (found.isPresent()) {
      seen.put(key, found.get());
    } else {
      seen.remove(key);
    }
    return found;
  }

  @Override
  public Optional<StoredSchedule> get(String name) {
    return load(key(name))
        .map(Tagged::document)
        .filter(document -> !document.deleted())
        .map(this::stored);
  }

  @Override
  public List<StoredSchedule> list() {
    return all(false).stream()
        .sorted(Comparator.comparing(document -> document.entry().name()))
        .map(this::stored)
        .toList();
  }

  /** One that is damaged keeps no other from being found. */
  @Override
  public List<StoredSchedule> due(int most) {
    bell.ifRung(() -> all(true));
    long now = clock.now();
    return seen.values().stream()
        .map(Tagged::document)
        .filter(document -> !document.deleted())
        .filter(document -> document.dueBy(now).isPresent())
        .sorted(Comparator.comparing((ScheduleDocument d) -> d.dueBy(now).orElseThrow()))
        .limit(most)
        .map(this::stored)
        .toList();
  }

  private List<ScheduleDocument> all(boolean evenIfDamaged) {
    List<ScheduleDocument> all = new ArrayList<>();
    Set<String> passedOver = new HashSet<>(seen.keySet());
    for (ListedObject object : store.listAll(PREFIX)) {
      passedOver.remove(object.key());
      Tagged known = seen.get(object.key());
      add(object.key(), known != null && known.tag.equals(object.tag()), all, evenIfDamaged);
    }
    // A list may pass over what is replaced while it is made.
    passedOver.forEach(key -> add(key, false, all, evenIfDamaged));
    return all;
  }

  private void add(String key, boolean asKnown, List<ScheduleDocument> all, boolean evenIfDamaged) {
    try {
      Optional<Tagged> tagged = asKnown ? Optional.ofNullable(seen.get(key)) : load(key);
      tagged.map(Tagged::document).filter(document -> !document.deleted()).ifPresent(all::add);
    } catch (StoreIncompatibleException e) {
      if (!evenIfDamaged) {
        throw e;
      }
      seen.remove(key);
      log.debug("A schedule cannot be read.", e);
    }
  }

  private StoredSchedule stored(ScheduleDocument document) {
    return new StoredSchedule(
        document.entry(),
        document.version(),
        Micros.toInstant(document.updatedAt()),
        Micros.toInstant(clock.now()));
  }
}
