package dev.sluice.object;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A bucket in a simulation: tags are hashes of the content, time comes in whole seconds, and what
 * becomes of a request on its way is a {@link Fate}. A process speaks to it through a {@link Line}.
 */
final class SimulatedBucket {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1_000 * MILLISECOND;

  /** Nothing arrives later than so long after it was sent. */
  static final long LATEST = 20 * SECOND;

  private static final long PATIENCE = 2 * SECOND;
  private final Simulation simulation;
  private final boolean tagsCount;
  private final TreeMap<String, Kept> objects = new TreeMap<>(ObjectKeys.ORDER);

  private record Kept(byte[] body, String tag, Instant modifiedAt) {}

  SimulatedBucket(Simulation simulation, boolean tagsCount) {
    this.simulation = simulation;
    this.tagsCount = tagsCount;
  }

  /** The keys below this prefix, with their objects, as they are now. */
  Map<String, byte[]> peek(String prefix) {
    Map<String, byte[]> found = new TreeMap<>();
    for (var entry : objects.tailMap(prefix, true).entrySet()) {
      if (!entry.getKey().startsWith(prefix)) {
        break;
      }
      found.put(entry.getKey(), entry.getValue().body);
    }
    return found;
  }

  private Instant time() {
    return Instant.ofEpochSecond(1_800_000_000L + simulation.threads().now() / SECOND);
  }

  static String tag(byte[] body) {
    return Integer.toHexString(Arrays.hashCode(body)) + "-" + body.length;
  }

  private PutResult write(String key, byte[] body, String tag) {
    Kept there = objects.get(key);
    if (tag == null && there != null) {
      return new Lost(Reason.CHANGED);
    }
    if (tag != null && (there == null || tagsCount && !there.tag.equals(tag))) {
      return new Lost(there == null ? Reason.ABSENT : Reason.CHANGED);
    }
    Kept next = new Kept(body, tag(body), time());
    objects.put(key, next);
    simulation.auditor().written(key, body);
    return new Stored(next.tag, next.modifiedAt);
  }

  private Void remove(Collection<String> keys) {
    for (String key : keys) {
      Kept gone = objects.remove(key);
      if (gone != null) {
        simulation.auditor().removed(key, gone.body);
      }
    }
    return null;
  }

  private ObjectPage page(String prefix, String after, int limit) {
    List<ListedObject> page = new ArrayList<>();
    for (var entry : objects.tailMap(prefix, true).entrySet()) {
      if (!entry.getKey().startsWith(prefix)) {
        break;
      }
      if (ObjectKeys.ORDER.compare(entry.getKey(), after) > 0) {
        if (page.size() == limit) {
          return new ObjectPage(page, false);
        }
        Kept kept = entry.getValue();
        page.add(new ListedObject(entry.getKey(), kept.tag, kept.body.length, kept.modifiedAt));
      }
    }
    return new ObjectPage(page, true);
  }

  /** How one process speaks to the bucket. */
  final class Line implements ObjectStore {
    private final SimulatedProcess process;

    Line(SimulatedProcess process) {
      this.process = process;
    }

    @Override
    public Optional<StoredObject> get(String key) {
      return request(
          "get " + key,
          null,
          () ->
              Optional.ofNullable(objects.get(key))
                  .map(o -> new StoredObject(o.body.clone(), o.tag, o.modifiedAt, time())));
    }

    @Override
    public PutResult putIfAbsent(String key, ObjectBody body) {
      byte[] bytes = body.bytes().clone();
      return put("create " + key + " " + tag(bytes), () -> write(key, bytes, null));
    }

    @Override
    public PutResult putIfMatch(String key, ObjectBody body, String tag) {
      byte[] bytes = body.bytes().clone();
      return put("replace " + key + " " + tag + " by " + tag(bytes), () -> write(key, bytes, tag));
    }

    @Override
    public ObjectPage list(String prefix, String after, int limit) {
      return request("list " + prefix + " " + after, null, () -> page(prefix, after, limit));
    }

    @Override
    public void delete(String key) {
      deleteAll(List.of(key));
    }

    @Override
    public void deleteAll(Collection<String> keys) {
      List<String> copy = List.copyOf(keys);
      request("delete " + copy, null, () -> remove(copy));
    }

    @Override
    public void close() {}

    private PutResult put(String what, Supplier<PutResult> carryOut) {
      return request(what, new Lost(Reason.BUSY), carryOut);
    }

    /** Sends a request; what a put is answered that meets another, null for all others. */
    private <T> T request(String what, T busy, Supplier<T> carryOut) {
      if (process.isDead()) {
        throw new SimulatedThreads.Crash();
      }
      SimulatedThreads threads = simulation.threads();
      Fate fate = simulation.nextFate(process, what);
      if (fate == Fate.CRASH_BEFORE) {
        process.crash();
        throw new SimulatedThreads.Crash();
      }
      if (fate == Fate.FROZEN_BEFORE) {
        long lease = Simulation.LEASE.toNanos();
        process.freeze(between(lease / 8, simulation.random().nextBoolean() ? lease : 3 * lease));
        threads.sleep(0);
      }
      boolean isSlow = fate == Fate.SLOW || fate == Fate.FROZEN_AFTER;
      long there = between(MILLISECOND, isSlow ? 3 * SECOND : 25 * MILLISECOND);
      long back = between(MILLISECOND, 25 * MILLISECOND);
      boolean put = busy != null;
      List<T> answer = new ArrayList<>();
      switch (fate) {
        case REQUEST_LOST -> {
          threads.sleep(between(100 * MILLISECOND, PATIENCE));
          throw silence(put, "the request was lost");
        }
        case LATE -> {
          long patience = between(100 * MILLISECOND, PATIENCE);
          threads.after(patience + late(), carryOut::get);
          threads.sleep(patience);
          throw silence(put, "it may come late");
        }
        case BUSY -> {
          threads.sleep(there);
          if (busy != null) {
            return busy;
          }
          throw new StoreUnavailableException("Slow down.");
        }
        case CRASH_AFTER ->
            threads.after(
                there,
                () -> {
                  carryOut.get();
                  process.crash();
                });
        default -> threads.after(there, () -> answer.add(carryOut.get()));
      }
      if (fate == Fate.TWICE) {
        threads.after(there + late(), carryOut::get);
      }
      if (fate == Fate.FROZEN_AFTER) {
        process.freeze(there + back);
      }
      threads.sleep(there + back);
      if (fate == Fate.ANSWER_LOST) {
        throw silence(put, "the answer was lost");
      }
      return answer.get(0);
    }

    private RuntimeException silence(boolean put, String why) {
      return put
          ? new UnknownOutcomeException("No answer: " + why + ".", null)
          : new StoreUnavailableException("No answer: " + why + ".");
    }

    /** Mostly soon, sometimes when everybody has forgotten it. */
    private long late() {
      return between(
          MILLISECOND, simulation.random().nextBoolean() ? SECOND : LATEST - 2 * PATIENCE - SECOND);
    }

    private long between(long least, long most) {
      return simulation.random().nextLong(least, most);
    }
  }
}
