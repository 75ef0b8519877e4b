package dev.sluice.object;

import dev.sluice.InvalidRequestException;
import dev.sluice.Page;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.RunDocuments.RunDocument;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.Micros;
import dev.sluice.spi.RunQuery;
import dev.sluice.spi.RunStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Runs of workflows, an object each, replaced by compare-and-set.
 *
 * <pre>
 *   runs/documents/{id}.json        the run: read whole, replaced by its tag
 *   runs/charters/{id}/{name}.json  a text that never changes
 *   runs/live/{id}~{marker}.json    says that the run is live: written before it is, deleted after
 * </pre>
 *
 * <p><b>Live runs are found by a list</b> of their markers, not of everything that has ended. A
 * marker is on record before the document that says "live" and names it, and is deleted after the
 * document that says otherwise; a run that lives again gets another. So there may be a marker too
 * many, never one too few, and no deleted key is used again. Markers that no document names are
 * swept after an hour, when whoever wrote them has long succeeded or given up.
 *
 * <p><b>A document names the writes</b> that made it and the versions before it. A writer whose
 * answer was lost, while others went on to replace the run, learns from that whether its version
 * was written.
 *
 * <p><b>Removing</b> a run first replaces it by a document that says "removed": whoever read it
 * before cannot bring it back. Then the key is deleted, for good, because ids are used once.
 */
final class ObjectRunStore implements RunStore {
  private static final String DOCUMENTS = "runs/documents/";
  private static final String CHARTERS = "runs/charters/";
  private static final String LIVE = "runs/live/";
  private static final String JSON = ".json";
  private static final Duration ORPHANED_AFTER = Duration.ofHours(1);
  private static final int CACHED = 10_000;
  private static final int FEW = 12;

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final StoreClock clock;

  /** Documents by key, good as long as a list shows the same tag. */
  private final Map<UUID, Tagged> seen =
      Collections.synchronizedMap(
          new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<UUID, Tagged> eldest) {
              return size() > CACHED;
            }
          });

  /** The tags under which versions of a run were read here, for the next compare-and-set. */
  private record Tagged(RunDocument document, String tag) {}

  private record Marker(UUID run, String name, ListedObject object) {}

  ObjectRunStore(ObjectStore store, StoreEnvironment environment, StoreClock clock) {
    this.store = store;
    this.environment = environment;
    this.clock = clock;
  }

  @Override
  public boolean create(Run run, String charter) {
    if (store.get(documentKey(run.id())).isPresent()) {
      return false;
    }
    putCharter(run, charter);
    String marker = mark(run);
    long now = clock.now();
    RunDocument document = new RunDocument(run, 1, now, now, marker, List.of(environment.nonce()));
    boolean created = put(document, Optional.empty());
    if (!created) {
      unmark(run.id(), marker);
    }
    return created;
  }

  @Override
  public Optional<StoredRun> get(UUID id) {
    return load(id).map(tagged -> stored(tagged.document));
  }

  @Override
  public Optional<String> charter(UUID id, String name) {
    String key = charterKey(id, name);
    return store
        .get(key)
        .map(object -> Documents.read(key, object.body(), json -> json.get("charter").textValue()));
  }

  @Override
  public boolean replace(Run run, long version, Optional<String> charter) {
    Tagged before = seen.get(run.id());
    if (before == null || before.document.version() != version) {
      before = load(run.id()).filter(now -> now.document.version() == version).orElse(null);
      if (before == null) {
        return false;
      }
    }
    charter.ifPresent(text -> putCharter(run, text));
    RunDocument old = before.document;
    boolean rises = run.live() && !old.run().live();
    String marker = rises ? mark(run) : run.live() ? old.marker() : "";
    long now = Math.max(clock.now(), old.updatedAt());
    List<String> writes = RunDocument.writes(environment.nonce(), old.writes());
    RunDocument next = new RunDocument(run, version + 1, old.createdAt(), now, marker, writes);
    if (!put(next, Optional.of(before.tag))) {
      seen.remove(run.id(), before);
      if (rises) {
        unmark(run.id(), marker);
      }
      return false;
    }
    if (!run.live() && !old.marker().isEmpty()) {
      unmark(run.id(), old.marker());
    }
    return true;
  }

  @Override
  public Page<StoredRun> list(RunQuery query) {
    Optional<UUID> cursor =
        query.cursor().isEmpty() ? Optional.empty() : Optional.of(cursorOf(query.cursor()));
    List<ListedObject> documents = new ArrayList<>(store.listAll(DOCUMENTS));
    documents.sort(Comparator.comparing(ListedObject::key).reversed());
    List<StoredRun> found = new ArrayList<>();
    for (ListedObject object : documents) {
      UUID id = idOf(object.key());
      if (cursor.isPresent() && id.toString().compareTo(cursor.get().toString()) >= 0) {
        continue;
      }
      Optional<Tagged> run = load(id, object.tag()).filter(some -> matches(some, query));
      if (run.isPresent() && found.size() == query.limit()) {
        return new Page<>(
            List.copyOf(found), Optional.of(found.get(found.size() - 1).run().id().toString()));
      }
      run.ifPresent(some -> found.add(stored(some.document)));
    }
    return new Page<>(List.copyOf(found), Optional.empty());
  }

  private static boolean matches(Tagged tagged, RunQuery query) {
    Run run = tagged.document.run();
    return query.type().map(run.type()::equals).orElse(true)
        && (query.states().isEmpty() || query.states().contains(run.state()));
  }

  private static UUID cursorOf(String cursor) {
    try {
      return UUID.fromString(cursor);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "'" + cursor + "' is not a cursor; use what the page before said.", e);
    }
  }

  @Override
  public Map<String, Map<String, Long>> counts() {
    Map<String, Map<String, Long>> counts = new HashMap<>();
    for (ListedObject object : store.listAll(DOCUMENTS)) {
      load(idOf(object.key()), object.tag())
          .map(tagged -> tagged.document.run())
          .ifPresent(
              run ->
                  counts
                      .computeIfAbsent(run.type(), type -> new HashMap<>())
                      .merge(run.state(), 1L, Long::sum));
    }
    return counts;
  }

  /** Whether a run is live, or was written since this moment. */
  boolean isKept(UUID id, long since) {
    return load(id)
        .map(Tagged::document)
        .map(document -> document.run().live() || document.updatedAt() >= since)
        .orElse(false);
  }

  @Override
  public List<UUID> overdue(int most) {
    List<Marker> markers = markers();
    if (markers.isEmpty()) {
      return List.of();
    }
    Function<UUID, Optional<Tagged>> look = markers.size() <= FEW ? this::load : lookByList();
    long now = clock.now();
    List<RunDocument> overdue = new ArrayList<>();
    for (Marker marker : markers) {
      Optional<RunDocument> document = look.apply(marker.run).map(Tagged::document);
      if (document.isEmpty() || !document.get().marker().equals(marker.name)) {
        sweep(marker, now);
      } else if (document.get().attentionAt().map(at -> at <= now).orElse(false)) {
        overdue.add(document.get());
      }
    }
    overdue.sort(Comparator.comparing(document -> document.attentionAt().orElseThrow()));
    return overdue.stream().limit(most).map(document -> document.run().id()).toList();
  }

  /** A list is dearer than a get, and tells of a thousand runs which have changed at all. */
  private Function<UUID, Optional<Tagged>> lookByList() {
    Map<UUID, String> tags = new HashMap<>();
    store.listAll(DOCUMENTS).forEach(object -> tags.put(idOf(object.key()), object.tag()));
    return run -> Optional.ofNullable(tags.get(run)).flatMap(tag -> load(run, tag));
  }

  private void sweep(Marker marker, long now) {
    if (Micros.of(marker.object.modifiedAt()) < now - Micros.of(ORPHANED_AFTER)) {
      store.delete(marker.object.key());
    }
  }

  @Override
  public int purge(Duration age, int batch) {
    long before = clock.now() - Micros.of(age);
    int removed = 0;
    for (ListedObject object : store.listAll(DOCUMENTS)) {
      if (removed == batch) {
        break;
      }
      UUID id = idOf(object.key());
      Optional<Tagged> old =
          load(id, object.tag())
              .filter(tagged -> !tagged.document.run().live())
              .filter(tagged -> tagged.document.updatedAt() < before);
      if (old.isPresent() && remove(id, old.get())) {
        removed++;
      }
    }
    return removed;
  }

  private boolean remove(UUID id, Tagged old) {
    String nonce = environment.nonce();
    byte[] removed = RunDocuments.writeRemoved(nonce);
    PutResult result =
        store.putIfMatch(documentKey(id), ObjectBody.withToken(removed, nonce), old.tag);
    if (!(result instanceof Stored)) {
      return false;
    }
    seen.remove(id);
    store.delete(documentKey(id));
    store.deleteAll(store.listAll(CHARTERS + id + "/").stream().map(ListedObject::key).toList());
    return true;
  }

  private Optional<Tagged> load(UUID id) {
    String key = documentKey(id);
    Optional<StoredObject> object = store.get(key);
    Optional<Tagged> tagged =
        object.flatMap(
            found ->
                RunDocuments.read(key, found.body())
                    .map(document -> new Tagged(document, found.tag())));
    if (tagged.isPresent()) {
      seen.put(id, tagged.get());
    } else {
      seen.remove(id);
    }
    return tagged;
  }

  private Optional<Tagged> load(UUID id, String tag) {
    Tagged known = seen.get(id);
    return known != null && known.tag.equals(tag) ? Optional.of(known) : load(id);
  }

  private boolean put(RunDocument document, Optional<String> tag) {
    UUID id = document.run().id();
    ObjectBody body = ObjectBody.withToken(RunDocuments.write(document), document.nonce());
    PutResult result;
    try {
      result =
          tag.isEmpty()
              ? store.putIfAbsent(documentKey(id), body)
              : store.putIfMatch(documentKey(id), body, tag.get());
    } catch (UnknownOutcomeException e) {
      return settle(document, e);
    }
    if (result instanceof Stored stored) {
      seen.put(id, new Tagged(document, stored.tag()));
      return true;
    }
    return false;
  }

  /** Whether a write whose answer was lost made its version of the run. */
  private boolean settle(RunDocument document, UnknownOutcomeException doubt) {
    return load(document.run().id())
        .flatMap(now -> now.document.writeOf(document.version()))
        .map(document.nonce()::equals)
        .orElseThrow(() -> doubt);
  }

  private void putCharter(Run run, String charter) {
    byte[] body = Documents.write(json -> json.writeStringField("charter", charter));
    store.ensure(charterKey(run.id(), run.texts().charter()), body);
  }

  /** Puts a new marker on record, if the run is live. */
  private String mark(Run run) {
    if (!run.live()) {
      return "";
    }
    String marker = environment.nonce();
    byte[] body = Documents.write(json -> json.writeStringField("token", marker));
    String key = markerKey(run.id(), marker);
    if (!(store.putIfAbsent(key, ObjectBody.withToken(body, marker)) instanceof Stored)) {
      throw new StoreUnavailableException(
          "The object '%s' could not be written. Try again.".formatted(store.nameOf(key)));
    }
    return marker;
  }

  private void unmark(UUID id, String marker) {
    if (!marker.isEmpty()) {
      store.delete(markerKey(id, marker));
    }
  }

  private List<Marker> markers() {
    return store.listAll(LIVE).stream()
        .map(
            object -> {
              String name = name(object.key(), LIVE);
              int cut = name.indexOf('~');
              return new Marker(
                  UUID.fromString(name.substring(0, cut)), name.substring(cut + 1), object);
            })
        .toList();
  }

  private StoredRun stored(RunDocument document) {
    return new StoredRun(
        document.run(),
        document.version(),
        Micros.toInstant(document.createdAt()),
        Micros.toInstant(document.updatedAt()),
        Micros.toInstant(clock.now()));
  }

  private static String documentKey(UUID id) {
    return DOCUMENTS + id + JSON;
  }

  private static String charterKey(UUID id, String name) {
    return CHARTERS + id + "/" + name + JSON;
  }

  private static String markerKey(UUID id, String marker) {
    return LIVE + id + "~" + marker + JSON;
  }

  private static UUID idOf(String key) {
    return UUID.fromString(name(key, DOCUMENTS));
  }

  private static String name(String key, String prefix) {
    return key.substring(prefix.length(), key.length() - JSON.length());
  }
}
