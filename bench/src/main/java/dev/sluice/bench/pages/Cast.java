package dev.sluice.bench.pages;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.SubmitOptions;
import dev.sluice.internal.JobIds;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The jobs of the system that is looked at, by number: which task, queue and groups each has. */
final class Cast {
  /** A task with a limit of many slots, all of them taken: the group with the longest line. */
  static final String RENDER = "render";

  static final int RENDER_LIMIT = 500;

  /** A task whose every tenant has a limit. */
  static final String DELIVER = "deliver";

  static final String TENANT = "tenant";

  /** A task whose jobs are in a group that is held. */
  static final String REPORT = "report";

  static final Group HELD = Group.of("warehouse");

  /** A task without a limit; most of its jobs are in a queue that is paused. */
  static final String NOTIFY = "notify";

  static final String PAUSED_QUEUE = "bulk";

  /** A task whose jobs are due some other day. */
  static final String ARCHIVE = "archive";

  /** A task in a queue that nobody serves. */
  static final String IMPORT = "import";

  static final String LONELY_QUEUE = "imports";

  /** A task with hardly a job. */
  static final String RARE = "reindex";

  /** A task whose jobs all finish. */
  static final String CHARGE = "charge";

  private static final int BUSY_TENANTS = 100;
  private static final int PRIORITIES = 5;
  private static final int DAYS_AHEAD = 30;

  private final int groups;

  Cast(int groups) {
    this.groups = groups;
  }

  /** The unfinished job of this number; those of all kinds come in turn. */
  NewJob unfinished(int number) {
    int kind = number % 20;
    if (kind < 6) {
      return job(number, RENDER, SubmitOptions.DEFAULT_QUEUE, none());
    } else if (kind < 10) {
      return delivery(number, number / 20 * 4 + kind - 6);
    } else if (kind < 14) {
      return delivery(number, kind * 7919 + number / 20 % BUSY_TENANTS);
    } else if (kind < 16) {
      return job(number, REPORT, SubmitOptions.DEFAULT_QUEUE, in(HELD, OptionalInt.empty()));
    } else if (kind < 18) {
      return job(number, NOTIFY, PAUSED_QUEUE, none());
    } else if (kind == 18) {
      return scheduled(number);
    }
    return job(number, IMPORT, LONELY_QUEUE, none());
  }

  /** A job of the rare task. */
  NewJob rare(int number) {
    return job(number, RARE, LONELY_QUEUE, none());
  }

  /** A job that somebody will finish. */
  NewJob toFinish(int number) {
    return number % 4 == 0
        ? job(number, DELIVER, SubmitOptions.DEFAULT_QUEUE, in(tenant(number), OptionalInt.empty()))
        : job(number, CHARGE, SubmitOptions.DEFAULT_QUEUE, none());
  }

  /** The group of one of the tenants. */
  Group tenant(int number) {
    return Group.of(DELIVER).dimension(TENANT, "t-%06d".formatted(number % groups));
  }

  private NewJob delivery(int number, int tenant) {
    return job(
        number,
        DELIVER,
        SubmitOptions.DEFAULT_QUEUE,
        in(tenant(tenant), OptionalInt.of(1 + tenant % groups % 3)));
  }

  private static NewJob scheduled(int number) {
    Duration delay = Duration.ofMinutes(60 + number * 7L % (DAYS_AHEAD * 24 * 60));
    return job(number, ARCHIVE, SubmitOptions.DEFAULT_QUEUE, delay, none());
  }

  private static NewJob job(int number, String task, String queue, NewJob.Concurrency concurrency) {
    return job(number, task, queue, Duration.ZERO, concurrency);
  }

  private static NewJob job(
      int number, String task, String queue, Duration delay, NewJob.Concurrency concurrency) {
    return new NewJob(
        new NewJob.Identity(JobIds.next(), false, Optional.empty()),
        task,
        new NewJob.Place(queue, number % PRIORITIES),
        new NewJob.Timing(Optional.empty(), delay, Optional.empty()),
        concurrency,
        "{\"order\":%d,\"customer\":\"c-%05d\",\"note\":\"Deliver to the back door, ring twice.\"}"
            .formatted(number, number % 30_011));
  }

  private static NewJob.Concurrency none() {
    return new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT);
  }

  private static NewJob.Concurrency in(Group group, OptionalInt limit) {
    return new NewJob.Concurrency(
        List.of(group),
        limit.isPresent() ? Optional.of(group) : Optional.empty(),
        limit,
        OnLimit.WAIT);
  }
}
