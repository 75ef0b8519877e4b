package dev.sluice.object.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * An immutable batch of jobs, and the lines they stand in.
 *
 * <p>Jobs that differ in nothing a claim looks at (queue, task, priority, groups) stand in one
 * line, in the order in which they are due. So a claim only ever takes a line's first job, and how
 * far a line has come is one number, however long it is. A line whose group is full is passed over
 * as a whole. The lines follow from the jobs, in the same way for every reader.
 */
public final class Segment {
  /** What all jobs of a line have in common. */
  public record Trait(
      String queue,
      String task,
      int priority,
      List<String> groups,
      String limited,
      Integer limit) {}

  /**
   * A line.
   *
   * @param trait what its jobs have in common
   * @param order the indexes of its jobs, first in line first
   */
  public record Line(Trait trait, int[] order) {}

  private final String key;
  private final List<JobRecord> jobs;
  private final List<Line> lines = new ArrayList<>();
  private final int[] lineOf;
  private final int[] positionOf;
  private final Map<String, Integer> proposals = new HashMap<>();
  private final boolean guarded;
  private final long submittedAt;
  private Map<UUID, Integer> indexes;
  private Map<String, List<Integer>> linesOf;

  /** The segment at this key, with these jobs. */
  public Segment(String key, List<JobRecord> jobs) {
    this.key = key;
    this.jobs = List.copyOf(jobs);
    this.lineOf = new int[jobs.size()];
    this.positionOf = new int[jobs.size()];
    this.guarded = jobs.stream().anyMatch(job -> job.spec().entry().isGuarded());
    this.submittedAt =
        jobs.stream().mapToLong(job -> job.spec().timing().submittedAt()).max().orElse(0);
    Map<Trait, List<Integer>> byTrait = new LinkedHashMap<>();
    Map<JobRecord.Bond, Map<String, List<String>>> groupsOf = new HashMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      JobRecord.Spec spec = jobs.get(i).spec();
      JobRecord job = jobs.get(i);
      List<String> groups =
          groupsOf
              .computeIfAbsent(spec.bond(), bond -> new HashMap<>())
              .computeIfAbsent(spec.task(), task -> job.allGroups());
      JobRecord.Bond bond = spec.bond();
      Trait trait =
          new Trait(
              spec.place().queue(),
              spec.task(),
              spec.place().priority(),
              groups,
              bond.limited(),
              bond.limit());
      byTrait.computeIfAbsent(trait, t -> new ArrayList<>()).add(i);
      if (bond.limited() != null) {
        proposals.putIfAbsent(bond.limited(), bond.limit());
      }
    }
    Comparator<Integer> inLine =
        Comparator.<Integer>comparingLong(i -> this.jobs.get(i).spec().timing().runAt())
            .thenComparing(
                (a, b) -> JobRecord.compareIds(this.jobs.get(a).id(), this.jobs.get(b).id()));
    byTrait.forEach(
        (trait, indexes) -> {
          indexes.sort(inLine);
          int[] order = indexes.stream().mapToInt(Integer::intValue).toArray();
          for (int position = 0; position < order.length; position++) {
            lineOf[order[position]] = lines.size();
            positionOf[order[position]] = position;
          }
          lines.add(new Line(trait, order));
        });
  }

  /** Where it is kept. */
  public String key() {
    return key;
  }

  /** Its jobs, in the order they were submitted. */
  public List<JobRecord> jobs() {
    return jobs;
  }

  /** The job of this index. */
  public JobRecord job(int index) {
    return jobs.get(index);
  }

  /** Its lines. */
  public List<Line> lines() {
    return lines;
  }

  /** Submit-side limits that its jobs bring along, by group; the first of each. */
  public Map<String, Integer> proposals() {
    return proposals;
  }

  /** When the latest of its jobs was submitted. */
  long submittedAt() {
    return submittedAt;
  }

  /** Whether some of its jobs are accepted only by a commit that looked. */
  public boolean isGuarded() {
    return guarded;
  }

  /** The index of the job of this id, or null. */
  synchronized Integer indexOf(UUID id) {
    if (indexes == null) {
      indexes = new HashMap<>();
      for (int i = 0; i < jobs.size(); i++) {
        indexes.putIfAbsent(jobs.get(i).id(), i);
      }
    }
    return indexes.get(id);
  }

  /** The numbers of the lines whose jobs are in this group. */
  synchronized List<Integer> linesOf(String group) {
    if (linesOf == null) {
      linesOf = new HashMap<>();
      for (int line = 0; line < lines.size(); line++) {
        for (String name : lines.get(line).trait().groups()) {
          linesOf.computeIfAbsent(name, n -> new ArrayList<>()).add(line);
        }
      }
    }
    return linesOf.getOrDefault(group, List.of());
  }

  int lineOf(int index) {
    return lineOf[index];
  }

  int positionOf(int index) {
    return positionOf[index];
  }
}
