package dev.sluice.bench.pages;

import dev.sluice.AuditReport;
import dev.sluice.Group;
import dev.sluice.LimitLevel;
import dev.sluice.SubmitOptions;
import dev.sluice.bench.scenario.Progress;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.WorkerRegistration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * A system with a great many jobs and groups, made through the store's own seam, so that all that
 * is on record is what a store would have written in years of work. The workers that hold its slots
 * stay signed on until this is closed.
 */
final class Population implements AutoCloseable {
  private static final int BATCH = 1_000;
  private static final int HOLDERS = 8;
  private static final int PERMITS = 20;

  /** One tenant in so many has jobs running. */
  private static final int TENANTS_PER_RUNNING = 20;

  private final JobStore store;
  private final Size size;
  private final Cast cast;
  private final Progress progress;
  private final List<Holder> holders = new ArrayList<>();
  private final Map<String, UUID> first = new HashMap<>();
  private final Map<String, UUID> last = new HashMap<>();

  private Population(JobStore store, Size size, Progress progress) {
    this.store = store;
    this.size = size;
    this.cast = new Cast(size.groups());
    this.progress = progress;
  }

  /** How many steps {@link #fill} reports. */
  static final int STEPS = 5;

  /**
   * Fills an empty store.
   *
   * @throws IllegalStateException if what is on record afterwards does not agree with itself
   */
  static Population fill(JobStore store, Size size, Progress progress) {
    Population population = new Population(store, size, progress);
    population.finish();
    population.limit();
    population.submit();
    population.hold();
    population.audit();
    return population;
  }

  /** The jobs' numbers and groups. */
  Cast cast() {
    return cast;
  }

  /** The job of this task that was submitted first of all. */
  UUID first(String task) {
    return first.get(task);
  }

  /** The job of this task that was submitted last. */
  UUID last(String task) {
    return last.get(task);
  }

  private void finish() {
    try (Holder holder = new Holder(store, "finisher", registration())) {
      for (int done = 0; done < size.finished(); ) {
        int batch = Math.min(BATCH * 10, size.finished() - done);
        submit(done, batch, cast::toFinish);
        done += batch;
        for (String task : List.of(Cast.CHARGE, Cast.DELIVER)) {
          while (holder.finish(task, BATCH) > 0) {
            continue;
          }
        }
      }
    }
    progress.step("%,d jobs finished".formatted(size.finished()));
  }

  private void limit() {
    LimitStore limits = store.limits();
    limits.setLimit(Cast.HELD, LimitLevel.OPERATOR, OptionalInt.of(0), "night shift");
    for (int permit = 0; permit < PERMITS; permit++) {
      limits.tryAcquire(
          new LimitStore.SlotRequest(
              Group.of("stripe"),
              OptionalInt.of(PERMITS),
              "permit-" + permit,
              "shop-" + permit,
              Holder.LEASE));
    }
    for (int tenant = 0; tenant < PERMITS; tenant++) {
      limits.setLimit(
          cast.tenant(tenant), LimitLevel.OPERATOR, OptionalInt.of(1 + tenant), "day shift");
    }
    store.queues().pause(Cast.PAUSED_QUEUE);
    progress.step("limits set");
  }

  private void submit() {
    submit(0, 3, cast::rare);
    submit(0, size.jobs() - 3, cast::unfinished);
    progress.step("%,d jobs submitted".formatted(size.jobs()));
  }

  private void submit(int from, int count, IntFunction<NewJob> job) {
    List<NewJob> batch = new ArrayList<>(BATCH);
    for (int number = from; number < from + count; number++) {
      NewJob next = job.apply(number);
      first.putIfAbsent(next.task(), next.identity().id());
      last.put(next.task(), next.identity().id());
      batch.add(next);
      if (batch.size() == BATCH || number == from + count - 1) {
        store.submit(batch);
        batch.clear();
      }
    }
  }

  private void hold() {
    int running = 0;
    for (int number = 0; number < HOLDERS; number++) {
      Holder holder = new Holder(store, "worker-%02d".formatted(number), registration());
      holders.add(holder);
      running += holder.keep(Cast.RENDER, Cast.RENDER_LIMIT);
      int share = Math.max(1, size.groups() / TENANTS_PER_RUNNING / HOLDERS);
      for (int got, held = 0; held < share; held += got) {
        got = holder.keep(Cast.DELIVER, Math.min(BATCH, share - held));
        running += got;
        if (got == 0) {
          break;
        }
      }
    }
    progress.step("%,d jobs running".formatted(running));
  }

  private static WorkerRegistration registration() {
    return new WorkerRegistration(
        "",
        Set.of(SubmitOptions.DEFAULT_QUEUE),
        Set.of(Cast.RENDER, Cast.DELIVER, Cast.REPORT, Cast.NOTIFY, Cast.CHARGE),
        Map.of(Group.of(Cast.RENDER), Cast.RENDER_LIMIT),
        Holder.LEASE);
  }

  private void audit() {
    AuditReport report = store.limits().audit(false);
    if (!report.isClean()) {
      throw new IllegalStateException(
          "the store disagrees with itself: " + report.findings().subList(0, 1));
    }
    progress.step("audited");
  }

  @Override
  public void close() {
    holders.forEach(Holder::close);
  }
}
