package dev.sluice.schedule;

import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A namespace of a store, with what tests open on it; closed in reverse order. */
final class Stage implements AutoCloseable {
  private final String url;
  private final String schema = "s_" + UUID.randomUUID().toString().replace("-", "");
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  Stage(String url) {
    this.url = url;
  }

  <C extends AutoCloseable> C closing(C closeable) {
    opened.push(closeable);
    return closeable;
  }

  /** Another process. */
  Sluice open() {
    return closing(Sluice.open(SluiceOptions.url(url).schema(schema)));
  }

  String schema() {
    return schema;
  }

  static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
  }

  /** One look at what is due, as a scheduler takes it. */
  static void look(JobStore store) {
    long now = System.nanoTime();
    DueSchedules due = new DueSchedules(store);
    store.schedules().due(100).forEach(stored -> due.seeTo(stored, now));
  }

  /** Makes this the first occurrence that nobody has seen to, as a downtime does. */
  static void rewind(JobStore store, String name, Instant next) {
    StoredSchedule stored = store.schedules().get(name).orElseThrow();
    Schedule schedule = ScheduleText.read(stored.entry()).begin(stored.updatedAt());
    Schedule rewound = schedule.advance(Optional.of(next), Optional.empty());
    if (!store.schedules().replace(rewound.entry(), stored.version())) {
      throw new IllegalStateException("Somebody else has changed '" + name + "'.");
    }
  }

  /** What time it is in the store. */
  static Instant now(JobStore store, String schedule) {
    return store.schedules().get(schedule).orElseThrow().readAt();
  }

  /** Jobs of a task, oldest first. */
  static List<JobInfo> jobs(Sluice sluice, String task) {
    return sluice.jobs().list(JobQuery.ALL.task(task).limit(1_000)).items().stream()
        .sorted(Comparator.comparing(JobInfo::id))
        .toList();
  }

  @Override
  public void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
