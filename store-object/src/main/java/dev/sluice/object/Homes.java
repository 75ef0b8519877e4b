package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Documents;
import dev.sluice.spi.NewJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * In which shard each name lives, where there are several.
 *
 * <p>A shard counts its limits alone, so all jobs of a group have to be in one. Hence every name,
 * of a task or of a group, has one <em>home</em>: an object that is created by the first use of the
 * name and never changes. Names that are first used together live together. A task that brings no
 * other name goes where its hash says, so tasks spread over the shards.
 *
 * <p>Only use decides: a job that is submitted, a permit that is taken. A limit that is set on a
 * name without a home goes into every shard and waits there. What cannot be is a job whose names
 * were at home in different shards before they met; it is refused.
 *
 * <p>Two processes that give a name its home at the same moment are told apart by create-only puts.
 * The names of a job are settled in the same order everywhere, the task last, and whoever finds the
 * first of them settled joins it there.
 */
final class Homes {
  private static final String PREFIX = "homes/";

  /** For so many names a read each is cheaper than a list. */
  private static final int FEW = 10;

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final int shards;
  private final Map<String, Integer> known = new ConcurrentHashMap<>();

  Homes(ObjectStore store, StoreEnvironment environment, int shards) {
    this.store = store;
    this.environment = environment;
    this.shards = shards;
  }

  /** The name under which a task has its home. */
  static String nameOf(String task) {
    return Group.of(task).toString();
  }

  /** The name under which a group has its home. */
  static String nameOf(Group group) {
    return group.plain().toString();
  }

  /** Where this name lives, as far as this process knows. */
  OptionalInt known(String name) {
    Integer shard = known.get(name);
    return shard == null ? OptionalInt.empty() : OptionalInt.of(shard);
  }

  /** Where this name lives; empty if nobody has used it. */
  OptionalInt find(String name) {
    if (!known.containsKey(name)) {
      store.get(key(name)).ifPresent(object -> known.put(name, read(name, object)));
    }
    return known(name);
  }

  /** Finds out where these names live, as far as anybody has used them. */
  void findAll(Collection<String> names) {
    List<String> unknown = names.stream().filter(name -> !known.containsKey(name)).toList();
    if (unknown.size() <= FEW) {
      unknown.forEach(this::find);
      return;
    }
    Set<String> there = new HashSet<>();
    store.listAll(PREFIX).forEach(object -> there.add(object.key()));
    unknown.stream().filter(name -> there.contains(key(name))).forEach(this::find);
  }

  /** Where this name lives from now on. */
  int settle(String name) {
    return settle(List.of(), name);
  }

  /**
   * Where this job lives.
   *
   * @throws InvalidRequestException if its names live apart
   */
  int settle(NewJob job) {
    TreeSet<String> groups = new TreeSet<>();
    job.concurrency().groups().forEach(group -> groups.add(nameOf(group)));
    job.concurrency().limited().ifPresent(group -> groups.add(nameOf(group)));
    String task = nameOf(job.task());
    groups.remove(task);
    return settle(List.copyOf(groups), task);
  }

  private int settle(List<String> groups, String last) {
    List<String> names = new ArrayList<>(groups);
    names.add(last);
    String first = null;
    int home = Math.floorMod(spread(last), shards);
    for (String name : names) {
      OptionalInt found = find(name);
      if (found.isPresent() && first != null && found.getAsInt() != home) {
        throw apart(first, name);
      }
      if (found.isPresent()) {
        first = name;
        home = found.getAsInt();
      }
    }
    for (String name : names) {
      int lives = known(name).isPresent() ? known(name).getAsInt() : create(name, home);
      if (lives != home && first != null) {
        throw apart(first, name);
      }
      first = first == null ? name : first;
      home = lives;
    }
    return home;
  }

  /** Hash codes of similar names are similar. */
  private static int spread(String name) {
    int hash = name.hashCode() * 0x9e3779b9;
    return hash ^ hash >>> 16;
  }

  private InvalidRequestException apart(String one, String other) {
    return new InvalidRequestException(
        "'%s' and '%s' cannot be names of one job: they live in different shards of %s, because they were first used apart, and a limit is counted in one shard. Give one of them another name, or use a namespace with a single shard."
            .formatted(one, other, store));
  }

  private int create(String name, int home) {
    String token = environment.nonce();
    byte[] body =
        Documents.write(
            json -> {
              json.writeStringField("name", name);
              json.writeNumberField("shard", home);
              json.writeStringField("token", token);
            });
    if (store.putIfAbsent(key(name), ObjectBody.withToken(body, token)) instanceof Stored) {
      known.put(name, home);
      return home;
    }
    return find(name)
        .orElseThrow(
            () ->
                new StoreIncompatibleException(
                    "The object '%s' in %s comes and goes. Is something else using the place?"
                        .formatted(store.nameOf(key(name)), store)));
  }

  private static String key(String name) {
    return PREFIX + GroupKeys.encode(name) + ".json";
  }

  private int read(String name, StoredObject object) {
    return Documents.read(
        store.nameOf(key(name)),
        object.body(),
        json -> {
          int shard = json.get("shard").intValue();
          if (shard < 0 || shard >= shards) {
            throw new IllegalArgumentException("There is no shard " + shard);
          }
          return shard;
        });
  }
}
