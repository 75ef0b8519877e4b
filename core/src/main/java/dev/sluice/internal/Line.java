package dev.sluice.internal;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.Why.Place;
import dev.sluice.spi.JobCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The lines a due job stands in: those of its full groups and that of its queue.
 *
 * @param jobs where to look who is ahead
 * @param job the job
 * @param able the live workers that could run it
 * @param alone whether those workers have no due jobs of other queues to choose from, which are not
 *     counted and may come first
 * @param now the moment
 */
record Line(JobCatalog jobs, JobInfo job, Workforce able, boolean alone, Instant now) {
  /** How many are counted who are ahead. */
  static final int MOST_COUNTED = 10_000;

  /**
   * Where the job stands.
   *
   * @param full its full groups, the one it waits for longest first
   * @param place its place in the line of that group, else in that of its queue
   * @param start when it probably starts
   */
  record Standing(List<ConcurrencyStatus> full, Place place, Optional<Instant> start) {}

  private record Turn(ConcurrencyStatus status, Place place, OptionalDouble in) {
    double weight() {
      double crowd = (double) (place.ahead() + 1) / status.limit().orElse(1);
      return in.orElse(crowd);
    }
  }

  Standing standing(List<ConcurrencyStatus> full) {
    List<Turn> turns = new ArrayList<>(full.stream().map(this::turnIn).toList());
    turns.sort(Comparator.comparingDouble(Turn::weight).reversed());
    boolean busy = able.busy();
    Optional<Place> inQueue =
        turns.isEmpty() || busy ? Optional.of(place(Optional.empty())) : Optional.empty();
    OptionalDouble in = busy ? turnAtWorkers(inQueue.orElseThrow()) : OptionalDouble.of(0);
    for (Turn turn : turns) {
      in = StartEstimator.later(in, turn.in());
    }
    return new Standing(
        turns.stream().map(Turn::status).toList(),
        turns.isEmpty() ? inQueue.orElseThrow() : turns.get(0).place(),
        in.isPresent() ? Optional.of(now.plus(seconds(in.getAsDouble()))) : Optional.empty());
  }

  private Place place(Optional<Group> group) {
    int ahead = jobs.ahead(job.id(), group, able.tasks(), MOST_COUNTED);
    boolean more = ahead >= MOST_COUNTED || (group.isEmpty() && !alone);
    return new Place(ahead, more, group);
  }

  private Turn turnIn(ConcurrencyStatus status) {
    Place place = place(Optional.of(status.group()));
    OptionalDouble each = able.recentSeconds(job.task());
    if (each.isEmpty() || place.atLeast()) {
      return new Turn(status, place, OptionalDouble.empty());
    }
    List<Double> freeIn =
        status.slots().stream()
            .map(slot -> Duration.between(slot.since(), now))
            .map(elapsed -> StartEstimator.left(elapsed, each.getAsDouble()))
            .toList();
    double in =
        StartEstimator.turn(status.limit().orElse(1), freeIn, place.ahead(), each.getAsDouble());
    return new Turn(status, place, OptionalDouble.of(in));
  }

  private OptionalDouble turnAtWorkers(Place place) {
    OptionalDouble each = able.recentSeconds();
    if (each.isEmpty() || place.atLeast()) {
      return OptionalDouble.empty();
    }
    List<Double> freeIn = StartEstimator.spread(able.running(), each.getAsDouble());
    return OptionalDouble.of(
        StartEstimator.turn(able.concurrency(), freeIn, place.ahead(), each.getAsDouble()));
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }
}
