package dev.sluice.cli;

import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Printable;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import me.tongfei.progressbar.InteractiveConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Follows submitted jobs until all have finished. Few jobs are asked for one by one; many are read
 * a page of a thousand at a time from the newest on, where they are.
 */
final class Following {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int ONE_BY_ONE = 20;
  private static final int PAGE = 1_000;
  private static final int MOST_FAILURES_SHOWN = 20;

  private final SluiceCommand root;
  private final Sluice sluice;
  private final String task;
  private final Map<JobState, Integer> finished = new EnumMap<>(JobState.class);
  private long idleSince = System.nanoTime();
  private int vanished;
  private boolean anyStarted;
  private boolean hinted;
  private JobInfo idle;

  Following(SluiceCommand root, Sluice sluice, String task) {
    this.root = root;
    this.sluice = sluice;
    this.task = task;
  }

  /** Waits for all of them; whether each one succeeded. */
  boolean follow(Set<UUID> ids) throws InterruptedException {
    Set<UUID> pending = new LinkedHashSet<>(ids);
    Thread farewell =
        new Thread(() -> aside("The jobs stay submitted; see 'sluice jobs list'."), "farewell");
    Runtime.getRuntime().addShutdownHook(farewell);
    try (ProgressBar bar = progressBar(ids.size())) {
      while (!pending.isEmpty()) {
        int before = pending.size();
        settle(pending);
        bar.stepBy(before - pending.size());
        if (!pending.isEmpty()) {
          hintIfIdle();
          Thread.sleep(POLL.toMillis());
        }
      }
    }
    forget(farewell);
    if (!root.json()) {
      root.remark(summary());
    }
    return finished.getOrDefault(JobState.SUCCEEDED, 0) == ids.size();
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending at this moment, and it says so.
    }
  }

  /** A wait that nobody will end looks like any other; says once what may be missing. */
  private void hintIfIdle() {
    long now = System.nanoTime();
    if (idle == null) {
      // None is due yet.
      idleSince = now;
    }
    if (hinted || anyStarted || now - idleSince < PATIENCE.toNanos()) {
      return;
    }
    hinted = true;
    String queue = idle.spec().queue();
    if (idle.state() == JobState.WAITING) {
      aside("No job has started yet: their group is full; see 'sluice concurrency status'.");
    } else if (sluice.queues().list().stream()
        .anyMatch(q -> q.paused() && q.name().equals(queue))) {
      aside("No job has started yet: the queue '%s' is paused.".formatted(Printable.of(queue)));
    } else {
      aside(
          "No job has started yet: is a worker for task '%s' running on queue '%s'?"
              .formatted(Printable.of(idle.task()), Printable.of(queue)));
    }
  }

  /** A remark beside the progress bar, which leaves the cursor at the end of its line. */
  private void aside(String line) {
    root.remark((root.console().terminal().err() ? "\r\u001b[K" : "") + line);
  }

  private ProgressBar progressBar(int jobs) {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName(Printable.of(task))
            .setInitialMax(jobs)
            .setUnit(" jobs", 1)
            .setStyle(
                root.console().style().unicode()
                    ? ProgressBarStyle.UNICODE_BLOCK
                    : ProgressBarStyle.ASCII);
    if (root.console().terminal().err()) {
      int width = root.console().terminal().width();
      builder.setConsumer(
          new InteractiveConsoleProgressBarConsumer(root.console().errStream(), width - 1));
    } else {
      builder.setConsumer(new Silence());
    }
    return builder.build();
  }

  private void settle(Set<UUID> pending) {
    Map<UUID, JobInfo> seen = pending.size() > ONE_BY_ONE ? newest(pending) : Map.of();
    int asked = 0;
    idle = null;
    for (Iterator<UUID> ids = pending.iterator(); ids.hasNext(); ) {
      UUID id = ids.next();
      JobInfo job = seen.get(id);
      if (job == null) {
        if (asked++ == ONE_BY_ONE) {
          // The rest of those that no page showed have their turn at the next polls.
          break;
        }
        Optional<JobInfo> found = sluice.jobs().get(id);
        if (found.isEmpty()) {
          vanished++;
          aside("The job " + id + " is not on record any more.");
          ids.remove();
          continue;
        }
        job = found.get();
      }
      anyStarted |= job.progress().attempt() > 0 || job.state().finished();
      if (job.state() == JobState.READY || (job.state() == JobState.WAITING && idle == null)) {
        idle = job;
      }
      if (job.state().finished()) {
        finished.merge(job.state(), 1, Integer::sum);
        report(job);
        ids.remove();
      }
    }
  }

  private Map<UUID, JobInfo> newest(Set<UUID> pending) {
    Map<UUID, JobInfo> seen = new HashMap<>();
    JobQuery query = JobQuery.ALL.task(task).limit(PAGE);
    int missing = pending.size();
    // One page more than they would fill, should others submit jobs of the task in between.
    for (int pages = pending.size() / PAGE + 2; pages > 0 && missing > 0; pages--) {
      Page<JobInfo> page = sluice.jobs().list(query);
      for (JobInfo job : page.items()) {
        if (pending.contains(job.id())) {
          seen.put(job.id(), job);
          missing--;
        }
      }
      if (page.next().isEmpty()) {
        break;
      }
      query = query.cursor(page.next().get());
    }
    return seen;
  }

  private void report(JobInfo job) {
    if (root.json()) {
      root.sayJson(JobJson.summary(job));
    } else if (job.state() != JobState.SUCCEEDED
        && finished.getOrDefault(JobState.FAILED, 0) + finished.getOrDefault(JobState.CANCELLED, 0)
            <= MOST_FAILURES_SHOWN) {
      String why = job.lastFailure().map(JobFailure::message).map(m -> ": " + m).orElse("");
      aside(Printable.message("%s %s%s".formatted(job.id(), job.state(), why)));
    }
  }

  private String summary() {
    List<String> parts =
        finished.entrySet().stream()
            .map(e -> e.getValue() + " " + e.getKey())
            .collect(Collectors.toList());
    if (vanished > 0) {
      parts.add(vanished + " not on record");
    }
    return String.join(", ", parts);
  }

  /** Shows nothing: nobody looks at a progress bar in a log. */
  private static final class Silence implements ProgressBarConsumer {
    @Override
    public int getMaxRenderedLength() {
      return 0;
    }

    @Override
    public void accept(String rendered) {}

    @Override
    public void close() {}
  }
}
