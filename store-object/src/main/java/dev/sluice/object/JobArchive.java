package dev.sluice.object;

import dev.sluice.JobState;
import dev.sluice.object.state.ArchivedJob;
import dev.sluice.object.state.FinishedJob;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.JobRecord;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.SegmentSource;
import dev.sluice.object.state.ShardState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finished jobs, many to an object, numbered in the order they were archived.
 *
 * <p>Outcomes are first part of the control object, in the commit that decided them. A later commit
 * <em>freezes</em> some: it says that they make up object {@code n}. Only then is object {@code n}
 * written, and since its content follows from the commit, whoever writes it writes the same. A
 * third commit lets go of them and counts on to {@code n + 1}. So a reader finds every outcome in
 * the control object or in an object whose number is below the one it names, never in both and
 * never in neither, wherever the writer died; another process carries on from there.
 *
 * <p>How many jobs of which state an object has is part of its key, so counting needs only a list.
 * Objects are never changed: if part of one is removed, the rest is written under the next
 * <em>edition</em> of its number, and the highest edition counts. That holds for an empty rest too:
 * a process that was slow to write the first edition would bring removed jobs back otherwise. Empty
 * ones are deleted when no put can be that late any more.
 */
final class JobArchive {
  private static final String PREFIX = "done/";
  private static final Pattern KEY =
      Pattern.compile("done/([0-9]{12})/([0-9]{4})-([0-9]+)-([0-9]+)-([0-9]+)\\.json");
  private static final int CACHED_OBJECTS = 64;

  /** Stores tell when an object was written in whole seconds, and clocks are two bounds. */
  private static final Duration CLOCK_GRAIN = Duration.ofSeconds(5);

  private static final int CACHED_IDS = 5_000;

  private final ObjectStore store;
  private final Map<String, Set<UUID>> ids = lastUsed(CACHED_IDS);
  private final Map<String, List<ArchivedJob>> contents = lastUsed(CACHED_OBJECTS);

  JobArchive(ObjectStore store) {
    this.store = store;
  }

  private static <T> Map<String, T> lastUsed(int most) {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(64, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
            return size() > most;
          }
        });
  }

  /**
   * An object of the archive.
   *
   * @param number which one
   * @param edition how often parts of it were removed
   * @param counts how many jobs of which state it has
   */
  record Box(long number, int edition, Map<JobState, Long> counts) {
    static Box of(long number, int edition, Collection<ArchivedJob> jobs) {
      Map<JobState, Long> counts = new EnumMap<>(JobState.class);
      jobs.forEach(job -> counts.merge(job.state(), 1L, Long::sum));
      return new Box(number, edition, counts);
    }

    static Optional<Box> parse(String key) {
      Matcher matcher = KEY.matcher(key);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      Map<JobState, Long> counts = new EnumMap<>(JobState.class);
      counts.put(JobState.SUCCEEDED, Long.valueOf(matcher.group(3)));
      counts.put(JobState.FAILED, Long.valueOf(matcher.group(4)));
      counts.put(JobState.CANCELLED, Long.valueOf(matcher.group(5)));
      return Optional.of(
          new Box(Long.parseLong(matcher.group(1)), Integer.parseInt(matcher.group(2)), counts));
    }

    boolean isEmpty() {
      return counts.values().stream().allMatch(jobs -> jobs == 0);
    }

    String key() {
      return "%s%012d/%04d-%d-%d-%d.json"
          .formatted(
              PREFIX,
              number,
              edition,
              counts.getOrDefault(JobState.SUCCEEDED, 0L),
              counts.getOrDefault(JobState.FAILED, 0L),
              counts.getOrDefault(JobState.CANCELLED, 0L));
    }
  }

  /** A job in the archive, and in which object it is. */
  record Found(Box box, ArchivedJob job) {}

  /** Writes the object that this state has decided on. */
  void write(ShardState state, SegmentSource segments) {
    ShardState.Archive archive = state.archive();
    List<ArchivedJob> jobs = new ArrayList<>();
    for (FinishedJob job : archive.finished().subList(0, archive.frozen())) {
      jobs.add(ArchivedJob.of(job, recordOf(state, job, segments)));
    }
    put(Box.of(archive.next(), 0, jobs), jobs);
  }

  private static JobRecord recordOf(ShardState state, FinishedJob job, SegmentSource segments) {
    String key = state.jobs().segments().get(job.place().segment()).key();
    return segments.get(key).job(job.place().index());
  }

  private void put(Box box, List<ArchivedJob> jobs) {
    store.ensure(box.key(), JobDocuments.writeArchive(jobs));
  }

  /** Whether anything was ever archived here and is still there. */
  static boolean isBegun(ObjectStore store) {
    return store.list(PREFIX, "", ObjectStore.MAX_PAGE).objects().stream()
        .anyMatch(object -> Box.parse(object.key()).isPresent());
  }

  /** The objects below a number, in order. */
  NavigableMap<Long, Box> boxes(long before) {
    return boxes(before, Long.MIN_VALUE);
  }

  private NavigableMap<Long, Box> boxes(long before, long since) {
    List<ListedObject> listed = store.listAll(PREFIX);
    NavigableMap<Long, Box> boxes = new TreeMap<>();
    listed.forEach(object -> add(boxes, object));
    // By the age of its last edition: an earlier one may have been written late.
    listed.stream()
        .filter(object -> Micros.of(object.modifiedAt()) < since)
        .flatMap(object -> Box.parse(object.key()).stream())
        .forEach(box -> boxes.remove(box.number, box));
    boxes.values().removeIf(Box::isEmpty);
    return boxes.headMap(before, false);
  }

  private static void add(NavigableMap<Long, Box> boxes, ListedObject object) {
    Box.parse(object.key())
        .ifPresent(box -> boxes.merge(box.number, box, (a, b) -> a.edition > b.edition ? a : b));
  }

  /**
   * The same, and deletes what nobody needs: editions that were followed by others, and empty ones
   * that are old enough.
   *
   * @param old in microseconds by the store's clock
   */
  NavigableMap<Long, Box> sweep(long before, long old) {
    List<ListedObject> listed = store.listAll(PREFIX);
    NavigableMap<Long, Box> boxes = new TreeMap<>();
    listed.forEach(object -> add(boxes, object));
    List<String> waste =
        listed.stream()
            .filter(object -> isWaste(object, boxes, old))
            .map(ListedObject::key)
            .toList();
    if (!waste.isEmpty()) {
      store.deleteAll(waste);
    }
    boxes.values().removeIf(Box::isEmpty);
    return boxes.headMap(before, false);
  }

  private static boolean isWaste(ListedObject object, Map<Long, Box> latest, long old) {
    return Box.parse(object.key())
        .filter(
            box ->
                box.edition < latest.get(box.number).edition
                    || (box.isEmpty() && Micros.of(object.modifiedAt()) < old))
        .isPresent();
  }

  /** The jobs in an object; none if it was removed meanwhile. */
  List<ArchivedJob> read(Box box) {
    String key = box.key();
    List<ArchivedJob> known = contents.get(key);
    if (known != null) {
      return known;
    }
    List<ArchivedJob> jobs =
        store
            .get(key)
            .map(o -> JobDocuments.readArchive(store.nameOf(key), o.body()))
            .orElse(List.of());
    ids.put(key, jobs.stream().map(job -> job.record().id()).collect(Collectors.toSet()));
    contents.put(key, jobs);
    return jobs;
  }

  /** The latest job of this id in the objects below a number. */
  Optional<Found> find(UUID id, long before) {
    return find(id, boxes(before).descendingMap().values());
  }

  private Optional<Found> find(UUID id, Collection<Box> boxes) {
    for (Box box : boxes) {
      Set<UUID> known = ids.get(box.key());
      if (known == null || known.contains(id)) {
        Optional<Found> found =
            read(box).stream()
                .filter(job -> job.record().id().equals(id))
                .findFirst()
                .map(job -> new Found(box, job));
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The latest jobs of these ids in the objects below a number, found with one list.
   *
   * @param since objects that were written before this moment are passed over
   */
  Map<UUID, Found> findAll(Set<UUID> wanted, long before, long since) {
    Map<UUID, Found> found = new HashMap<>();
    if (wanted.isEmpty()) {
      return found;
    }
    for (Box box : boxes(before, since - Micros.of(CLOCK_GRAIN)).descendingMap().values()) {
      Set<UUID> known = ids.get(box.key());
      if (known == null || known.stream().anyMatch(wanted::contains)) {
        read(box).stream()
            .filter(job -> wanted.contains(job.record().id()))
            .forEach(job -> found.putIfAbsent(job.record().id(), new Found(box, job)));
      }
      if (found.size() == wanted.size()) {
        break;
      }
    }
    return found;
  }

  /**
   * Puts what is left of an object in its place, even if that is nothing: a put of the edition
   * before may be on its way still, and must not bring back what was taken out.
   */
  void replace(Box box, List<ArchivedJob> left) {
    put(Box.of(box.number, box.edition + 1, left), left);
    store.deleteAll(List.of(box.key()));
    ids.remove(box.key());
  }
}
