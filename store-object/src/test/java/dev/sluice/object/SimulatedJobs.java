package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Jobs that a simulation makes up, of all kinds, and which groups each of them is in. */
final class SimulatedJobs {
  /** Its code declares a limit. */
  static final String MAIL = "mail";

  /** It has none, until somebody sets one. */
  static final String REPORT = "report";

  /** A group beside those of tasks. */
  static final Group SHARED = Group.of("shared");

  static final String QUEUE = "default";
  private static final List<String> KEYS = List.of("a", "b");

  private final RandomGenerator random;
  private final List<UUID> ids = new ArrayList<>();
  private final List<NewJob> chosen = new ArrayList<>();
  private final Map<UUID, List<String>> groups = new HashMap<>();
  private final Map<UUID, List<Group>> declared = new HashMap<>();
  private final Set<Group> changedGroups = new TreeSet<>();
  private final boolean misfiling;

  /**
   * Jobs by these random numbers.
   *
   * @param misfiling whether submitters leave out keys that the code of the task declares, of every
   *     other job that has one
   */
  SimulatedJobs(RandomGenerator random, boolean misfiling) {
    this.random = random;
    this.misfiling = misfiling;
  }

  /** A job of any kind. */
  NewJob any() {
    String task = random.nextInt(3) > 0 ? MAIL : REPORT;
    UUID id = new UUID(random.nextLong(), random.nextLong());
    boolean explicit = random.nextInt(6) == 0;
    if (explicit && !chosen.isEmpty() && random.nextBoolean()) {
      // The same job again.
      return chosen.get(random.nextInt(chosen.size()));
    }
    Optional<String> dedupe =
        random.nextInt(6) == 0 ? Optional.of(KEYS.get(random.nextInt(2))) : Optional.empty();
    TreeSet<Group> in = new TreeSet<>();
    if (random.nextInt(3) == 0) {
      in.add(Group.of(task).key(KEYS.get(random.nextInt(2))));
    }
    if (random.nextInt(4) == 0) {
      in.add(SHARED);
    }
    boolean proposes = !in.isEmpty() && random.nextBoolean();
    NewJob job =
        new NewJob(
            new NewJob.Identity(id, explicit, dedupe),
            task,
            new NewJob.Place(QUEUE, random.nextInt(3)),
            new NewJob.Timing(
                Optional.empty(), Duration.ofMillis(random.nextInt(3) * 300L), Optional.empty()),
            new NewJob.Concurrency(
                List.copyOf(in),
                proposes ? Optional.of(in.first()) : Optional.empty(),
                proposes ? OptionalInt.of(1 + random.nextInt(2)) : OptionalInt.empty(),
                random.nextInt(8) == 0 ? OnLimit.REJECT : OnLimit.WAIT),
            "0");
    note(job);
    return misfiling && (id.getLeastSignificantBits() & 1) == 0 ? misfiled(job) : job;
  }

  /** The job as a submitter sends it that knows nothing of the keys of its task. */
  private NewJob misfiled(NewJob job) {
    NewJob.Concurrency all = job.concurrency();
    List<Group> said = all.groups().stream().filter(group -> group.equals(SHARED)).toList();
    if (said.size() == all.groups().size()) {
      return job;
    }
    declared.put(job.identity().id(), all.groups());
    boolean proposes = all.limited().filter(said::contains).isPresent();
    NewJob sent =
        new NewJob(
            job.identity(),
            job.task(),
            job.place(),
            job.timing(),
            new NewJob.Concurrency(
                said,
                proposes ? all.limited() : Optional.empty(),
                proposes ? all.limit() : OptionalInt.empty(),
                all.onLimit()),
            job.payload());
    chosen.replaceAll(known -> known == job ? sent : known);
    return sent;
  }

  /** The groups besides its task's own that this job has to be in when it runs. */
  List<Group> declaredFor(UUID id) {
    return declared.getOrDefault(id, List.of());
  }

  /** So many jobs of the task with a limit in its code, and nothing special about them. */
  List<NewJob> plain(int count) {
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(
          note(
              new NewJob(
                  new NewJob.Identity(
                      new UUID(random.nextLong(), random.nextLong()), false, Optional.empty()),
                  MAIL,
                  new NewJob.Place(QUEUE, 0),
                  new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
                  new NewJob.Concurrency(
                      List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
                  "0")));
    }
    return jobs;
  }

  /** Remembers a job that is about to be submitted. */
  NewJob note(NewJob job) {
    UUID id = job.identity().id();
    if (groups.containsKey(id)) {
      return job;
    }
    ids.add(id);
    if (job.identity().explicit()) {
      chosen.add(job);
    }
    List<String> all = new ArrayList<>();
    job.concurrency().groups().forEach(group -> all.add(group.toString()));
    all.add(Group.of(job.task()).toString());
    groups.put(id, all);
    return job;
  }

  /** Groups of which somebody has set a limit. */
  Set<Group> changedGroups() {
    return changedGroups;
  }

  /** The groups of this job. */
  List<String> groupsOf(UUID id) {
    return groups.get(id);
  }

  /** Whether anybody ever submitted this job. */
  boolean knows(UUID id) {
    return groups.containsKey(id);
  }

  /** The ids of all jobs, in the order they were made up. */
  List<UUID> ids() {
    return List.copyOf(ids);
  }

  /** The id of some job. */
  UUID anyId() {
    return ids.isEmpty() ? new UUID(0, 0) : ids.get(random.nextInt(ids.size()));
  }

  /** A group that some jobs are in. */
  Group anyGroup() {
    Group task = Group.of(random.nextBoolean() ? MAIL : REPORT);
    return switch (random.nextInt(4)) {
      case 0 -> task.key(KEYS.get(random.nextInt(2)));
      case 1 -> SHARED;
      default -> task;
    };
  }
}
