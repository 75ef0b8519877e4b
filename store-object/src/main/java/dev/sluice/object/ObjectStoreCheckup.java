package dev.sluice.object;

import dev.sluice.Diagnosis;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.ObjectStores.Unproved;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.StoreProbe.Dialect;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.object.state.ShardDocuments;
import dev.sluice.spi.Checkup;
import dev.sluice.spi.JobStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Examines a place for objects and the namespace in it: promises, round trip, layout, damage, jobs,
 * and what a job costs. It works in folders of its own, which it removes.
 */
final class ObjectStoreCheckup {
  private static final int MANY_JOBS = 1_000;
  private static final Duration MUCH_SKEW = Duration.ofSeconds(5);
  private static final String OTHER_SERVER =
      "Use a server whose conditional writes are real, such as AWS S3 or Ceph, or file: on one machine.";

  private final Checkup checkup;
  private final ObjectStoreUrl url;
  private final String namespace;
  private final RequestMeter meter = new RequestMeter();

  private ObjectStoreCheckup(ObjectStoreUrl url, String namespace) {
    this.checkup = new Checkup(url.toString());
    this.url = url;
    this.namespace = namespace;
  }

  /** Examines the place at this URL. */
  static Diagnosis of(ObjectStoreUrl url, String namespace) {
    ObjectStoreCheckup examination = new ObjectStoreCheckup(url, namespace);
    examination.run();
    return examination.checkup.diagnosis();
  }

  private void run() {
    Optional<Unproved> connected = checkup.attempt("reach", () -> ObjectStores.connect(url, meter));
    if (connected.isEmpty()) {
      return;
    }
    try (ObjectStore place = connected.get().place()) {
      List<Dialect> dialects = connected.get().dialects();
      Optional<Boolean> known =
          checkup.attempt("reach", () -> dialects.get(0).store().get(StoreProbe.KEY).isPresent());
      if (known.isPresent()) {
        checkup.good("reach", known.get() ? "it answers, and is in use" : "it answers, and is new");
        promises(dialects).ifPresent(this::contents);
      }
    }
  }

  /** The dialect in which the place keeps every promise. */
  private Optional<Dialect> promises(List<Dialect> dialects) {
    Optional<StoreExamination.Verdict> verdict =
        checkup.attempt("promises", () -> StoreExamination.of(dialects));
    if (verdict.isEmpty()) {
      return Optional.empty();
    }
    Dialect dialect = verdict.get().dialect();
    StoreExamination.Result result = verdict.get().result();
    result.kept().forEach(promise -> checkup.good("promise", promise));
    if (result.fault().isPresent()) {
      checkup.bad("promise", result.fault().get(), OTHER_SERVER);
      return Optional.empty();
    }
    if (dialects.indexOf(dialect) > 0) {
      checkup.good("dialect", "it takes tags %s, as older Ceph does".formatted(dialect.name()));
    }
    return Optional.of(dialect);
  }

  private void contents(Dialect dialect) {
    ObjectStore objects = dialect.store();
    if (!checkup.attempt("round trip", () -> roundTrips(objects)).orElse(false)) {
      return;
    }
    Optional<Instant> now = checkup.attempt("clock", () -> clock(objects));
    ObjectStore inside = PrefixedObjectStore.borrowing(objects, namespace);
    Optional<Boolean> used = checkup.attempt("layout", () -> isLaidOut(inside));
    if (used.orElse(false) && now.isPresent() && areReadable(inside)) {
      checkup.attempt("jobs", () -> holders(objects, now.get()));
      checkup.attempt("slots", () -> new SlotObjectsCheckup(checkup, inside).run());
    }
    checkup.attempt("one job", () -> cost(objects, 1));
    checkup.attempt("1,000 jobs", () -> cost(objects, MANY_JOBS));
  }

  private boolean roundTrips(ObjectStore objects) {
    String folder = "probe/" + UUID.randomUUID() + "/";
    try {
      Map<String, Runnable> requests = new LinkedHashMap<>();
      requests.put("a read", () -> objects.get(folder + "none"));
      requests.put("a write", () -> objects.putIfAbsent(folder + UUID.randomUUID(), body()));
      requests.put("a list", () -> objects.list(folder, "", 1));
      return checkup.roundTrips(requests);
    } finally {
      objects.deleteAll(objects.listAll(folder).stream().map(ListedObject::key).toList());
    }
  }

  private static ObjectBody body() {
    String token = UUID.randomUUID().toString();
    return ObjectBody.withToken(
        Documents.write(json -> json.writeStringField("token", token)), token);
  }

  private boolean isLaidOut(ObjectStore inside) {
    Optional<StoreFormat> format = StoreFormat.find(inside);
    if (format.isEmpty()) {
      checkup.good("layout", "nothing is kept in '%s' yet".formatted(namespace));
      return false;
    }
    checkup.good(
        "layout",
        "'%s' has format %d, and this Sluice knows up to %d; %d %s"
            .formatted(
                namespace,
                format.get().version(),
                Documents.FORMAT,
                format.get().shards(),
                format.get().shards() == 1 ? "shard" : "shards"));
    return true;
  }

  /** Reads everything that jobs in flight depend on. */
  private boolean areReadable(ObjectStore inside) {
    List<StoreIncompatibleException> damages = new ArrayList<>();
    Optional<Integer> read =
        checkup.attempt(
            "objects",
            () -> {
              int objects = read(inside, List.of(), List.of(WorkerLeases.PREFIX), damages);
              for (int shard = 0; shard < StoreFormat.read(inside).shards(); shard++) {
                objects +=
                    read(
                        ObjectJobStore.shard(inside, shard),
                        List.of(ControlObject.KEY),
                        List.of(SegmentKeys.INBOX, SegmentKeys.RETURNS),
                        damages);
              }
              return objects;
            });
    damages.forEach(damage -> checkup.bad("objects", damage));
    if (read.isPresent() && damages.isEmpty()) {
      checkup.good("objects", "all %d that jobs depend on can be read".formatted(read.get()));
    }
    return read.isPresent() && damages.isEmpty();
  }

  /** Reads these objects and those below these prefixes; how many there were. */
  private static int read(
      ObjectStore store,
      List<String> single,
      List<String> prefixes,
      List<StoreIncompatibleException> damages) {
    List<String> keys = new ArrayList<>(single);
    for (String prefix : prefixes) {
      store.listAll(prefix).forEach(object -> keys.add(object.key()));
    }
    for (String key : keys) {
      try {
        store.get(key).ifPresent(object -> parse(key, store.nameOf(key), object));
      } catch (StoreIncompatibleException e) {
        damages.add(e);
      }
    }
    return keys.size();
  }

  private static void parse(String key, String name, StoredObject object) {
    if (key.equals(ControlObject.KEY)) {
      ShardDocuments.read(name, object.body());
    } else if (key.startsWith(WorkerLeases.PREFIX)) {
      LeaseObject.read(name, object);
    } else if (key.startsWith(SegmentKeys.INBOX) && SegmentKeys.submitted(key).isEmpty()) {
      throw new StoreIncompatibleException(
          "The object '%s' is none of Sluice's and is left alone. Remove it, or keep such objects elsewhere."
              .formatted(name));
    } else {
      JobDocuments.readSegment(key, name, object.body());
    }
  }

  private boolean holders(ObjectStore objects, Instant now) {
    try (JobStore store =
        ObjectStoreProvider.open(
            PrefixedObjectStore.borrowing(objects, namespace), namespace, OptionalInt.empty())) {
      new HoldersCheckup(checkup, store).run(now);
      return true;
    }
  }

  /** Compares this machine's clock with the store's, which may be cut off to whole seconds. */
  private Instant clock(ObjectStore objects) {
    String folder = "probe/" + UUID.randomUUID() + "/";
    try {
      Instant before = Instant.now();
      PutResult put = objects.putIfAbsent(folder + "clock", body());
      Instant after = Instant.now();
      Instant store = put instanceof Stored stored ? stored.at() : before;
      Instant latest = store.getNano() == 0 ? store.plusSeconds(1) : store;
      Duration ahead = Duration.between(latest, before);
      Duration behind = Duration.between(after, store);
      Duration skew = ahead.compareTo(behind) > 0 ? ahead : behind;
      String seen =
          skew.compareTo(Duration.ofMillis(100)) <= 0
              ? "this machine's clock agrees with the store's"
              : String.format(
                  Locale.ROOT,
                  "this machine's clock is %.1f s %s the store's",
                  skew.toMillis() / 1e3,
                  ahead.compareTo(behind) > 0 ? "ahead of" : "behind");
      if (skew.compareTo(MUCH_SKEW) > 0) {
        checkup.bad("clock", seen, "Set it. Sluice goes by the store's, but logs will not match.");
      } else {
        double seconds = Math.max(0, skew.toMillis()) / 1e3;
        checkup.good("clock", seen, Map.of("clock_skew_s", seconds));
      }
      return store;
    } finally {
      objects.delete(folder + "clock");
    }
  }

  private boolean cost(ObjectStore objects, int jobs) {
    RequestReport report = new TrialJobs(objects, meter).run(jobs);
    double each = report.requests() / (double) jobs;
    double dollars = report.dollars() * 1_000_000 / jobs;
    List<String> kinds = new ArrayList<>();
    for (RequestKind kind : RequestKind.values()) {
      kinds.add(report.of(kind).requests() + " " + kind);
    }
    String requests =
        jobs == 1
            ? "%d requests (%s)".formatted(report.requests(), String.join(", ", kinds))
            : String.format(Locale.ROOT, "%.3f requests each", each);
    String bill =
        String.format(
            Locale.ROOT,
            "$%.2f per million jobs at the list prices of S3%s",
            dollars,
            url instanceof ObjectStoreUrl.Bucket ? "" : ", if this were a bucket");
    checkup.good(
        jobs == 1 ? "one job" : String.format(Locale.ROOT, "%,d jobs", jobs),
        requests + ", " + bill,
        Map.of("requests_per_job", each, "dollars_per_million_jobs", dollars));
    return true;
  }
}
