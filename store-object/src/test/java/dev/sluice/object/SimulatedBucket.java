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
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A bucket in a simulation: tags are hashes of the content, time comes in whole seconds, and
 * between a request and its answer anything may happen. One simulated process speaks to it through
 * a {@link Line}.
 */
final class SimulatedBucket {
  private final Simulation simulation;
  private final TreeMap<String, byte[]> objects = new TreeMap<>(ObjectKeys.ORDER);
  private final List<Runnable> late = new ArrayList<>();

  SimulatedBucket(Simulation simulation) {
    this.simulation = simulation;
  }

  /** Puts that arrive although their sender has given up. */
  void landOne() {
    if (!late.isEmpty()) {
      late.remove(simulation.random().nextInt(late.size())).run();
    }
  }

  boolean hasLate() {
    return !late.isEmpty();
  }

  private static String tag(byte[] body) {
    return Integer.toHexString(Arrays.hashCode(body)) + "-" + body.length;
  }

  private PutResult put(String key, byte[] body, String tag) {
    byte[] there = objects.get(key);
    if (tag == null && there != null) {
      return new Lost(Reason.CHANGED);
    }
    if (tag != null && (there == null || !isMatch(there, tag))) {
      return new Lost(there == null ? Reason.ABSENT : Reason.CHANGED);
    }
    objects.put(key, body);
    return new Stored(tag(body), simulation.wallClock());
  }

  private boolean isMatch(byte[] there, String tag) {
    return tag(there).equals(tag) || simulation.flaw() == Simulation.Flaw.TAGS_IGNORED;
  }

  /** The process is gone: it sends nothing and hears nothing any more. */
  static final class Crash extends Error {
    Crash() {
      super("crashed", null, false, false);
    }
  }

  /** How one process speaks to the bucket. */
  final class Line implements ObjectStore {
    private boolean dead;

    boolean isDead() {
      return dead;
    }

    @Override
    public Optional<StoredObject> get(String key) {
      return request(
          () ->
              Optional.ofNullable(objects.get(key))
                  .map(
                      body ->
                          new StoredObject(
                              body, tag(body), simulation.wallClock(), simulation.wallClock())));
    }

    @Override
    public PutResult putIfAbsent(String key, ObjectBody body) {
      return conditional(key, body, null);
    }

    @Override
    public PutResult putIfMatch(String key, ObjectBody body, String tag) {
      return conditional(key, body, tag);
    }

    private PutResult conditional(String key, ObjectBody body, String tag) {
      begin();
      Supplier<PutResult> carryOut = () -> put(key, body.bytes(), tag);
      int chance = simulation.chance();
      if (chance < 10) {
        throw new UnknownOutcomeException("the request was lost", null);
      } else if (chance < 20) {
        carryOut.get();
        throw new UnknownOutcomeException("the answer was lost", null);
      } else if (chance < 30) {
        late.add(carryOut::get);
        throw new UnknownOutcomeException("it may come late", null);
      } else if (chance < 35) {
        PutResult first = carryOut.get();
        carryOut.get();
        return first;
      }
      PutResult result = carryOut.get();
      end();
      return result;
    }

    private <T> T request(Supplier<T> carryOut) {
      begin();
      if (simulation.chance() < 10) {
        throw new StoreUnavailableException("no answer");
      }
      T answer = carryOut.get();
      end();
      return answer;
    }

    @Override
    public ObjectPage list(String prefix, String after, int limit) {
      return request(
          () -> {
            List<ListedObject> page = new ArrayList<>();
            for (var entry : objects.tailMap(prefix, true).entrySet()) {
              if (entry.getKey().startsWith(prefix)
                  && ObjectKeys.ORDER.compare(entry.getKey(), after) > 0) {
                Instant now = simulation.wallClock();
                page.add(
                    new ListedObject(
                        entry.getKey(), tag(entry.getValue()), entry.getValue().length, now));
              }
            }
            return new ObjectPage(page, true);
          });
    }

    @Override
    public void delete(String key) {
      request(() -> Optional.ofNullable(objects.remove(key)));
    }

    @Override
    public void deleteAll(Collection<String> keys) {
      request(() -> objects.keySet().removeAll(keys));
    }

    /** Before a request others have their turn, and the process may die. */
    private void begin() {
      if (dead) {
        throw new Crash();
      }
      simulation.yieldTurn();
      crashSometimes();
    }

    /** The same before its answer arrives. */
    private void end() {
      simulation.yieldTurn();
      crashSometimes();
    }

    private void crashSometimes() {
      if (simulation.crashes()) {
        dead = true;
        throw new Crash();
      }
    }

    @Override
    public void close() {}
  }
}
