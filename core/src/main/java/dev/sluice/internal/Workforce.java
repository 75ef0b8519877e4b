package dev.sluice.internal;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerInfo;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The workers whose lease has not expired and that are not stopping, and what they say about
 * themselves.
 *
 * @param live those workers
 */
record Workforce(List<WorkerInfo> live) {
  static Workforce of(List<WorkerInfo> workers) {
    return new Workforce(workers)
        .only(worker -> worker.lease().alive())
        .only(worker -> worker.bulletin().filter(b -> b.load().draining()).isEmpty());
  }

  Workforce serving(String queue) {
    return only(worker -> worker.queues().contains(queue));
  }

  Workforce handling(String task) {
    return only(worker -> worker.tasks().contains(task));
  }

  private Workforce only(Predicate<WorkerInfo> condition) {
    return new Workforce(live.stream().filter(condition).toList());
  }

  /** Every queue that one of them serves. */
  Set<String> queues() {
    return live.stream().flatMap(worker -> worker.queues().stream()).collect(Collectors.toSet());
  }

  /** Every task that one of them handles. */
  Set<String> tasks() {
    return live.stream().flatMap(worker -> worker.tasks().stream()).collect(Collectors.toSet());
  }

  boolean isEmpty() {
    return live.isEmpty();
  }

  /** Whether each of them says that it runs as many jobs as it may. */
  boolean busy() {
    return !live.isEmpty()
        && live.stream()
            .allMatch(
                worker ->
                    worker
                        .bulletin()
                        .map(WorkerBulletin::load)
                        .filter(load -> load.running() >= load.concurrency())
                        .isPresent());
  }

  int running() {
    return bulletins().mapToInt(bulletin -> bulletin.load().running()).sum();
  }

  int concurrency() {
    return bulletins().mapToInt(bulletin -> bulletin.load().concurrency()).sum();
  }

  /** How long recent attempts at jobs of this task took, in seconds; empty if nobody knows. */
  OptionalDouble recentSeconds(String task) {
    return mean(
        bulletins().flatMap(bulletin -> Stream.ofNullable(bulletin.tally().tasks().get(task))));
  }

  /** How long recent attempts at any jobs took. */
  OptionalDouble recentSeconds() {
    return mean(bulletins().flatMap(bulletin -> bulletin.tally().tasks().values().stream()));
  }

  private Stream<WorkerBulletin> bulletins() {
    return live.stream().flatMap(worker -> worker.bulletin().stream());
  }

  /** Who has done more counts more. */
  private static OptionalDouble mean(Stream<TaskTally> tallies) {
    List<TaskTally> known =
        tallies.filter(tally -> tally.times() != null && tally.times().recent() > 0).toList();
    double weights = known.stream().mapToDouble(TaskTally::started).sum();
    return known.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(
            known.stream().mapToDouble(tally -> tally.times().recent() * tally.started()).sum()
                / Math.max(1, weights));
  }
}
