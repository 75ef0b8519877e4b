package dev.sluice.cli;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.LimitChange;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.watch.Event;
import dev.sluice.cli.watch.EventFeed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Follows what happens. */
@Command(
    name = "tail",
    description = {
      "Follow what happens: jobs that start, succeed, fail, are tried again or cancelled; limits that"
          + " are changed; workers that come and go.",
      "",
      "Workers tell the latest of what happened every few seconds. A busy worker has more to tell than"
          + " it can: then a line says how many events went by unseen. 'sluice stats' counts them all."
    },
    footer = {
      "Examples:",
      "  sluice tail",
      "  sluice tail --task send_email",
      "  sluice tail --group send_email/tenant=acme",
      "  sluice tail --group 'send_email/tenant=*'",
      "  sluice --json tail | jq 'select(.what == \"failed\")'"
    })
final class TailCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final int LATEST_CHANGES = 100;
  private static final int JOBS_KEPT = 10_000;

  private final SluiceCommand root;
  private final Map<UUID, List<Group>> groups =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, List<Group>> eldest) {
          return size() > JOBS_KEPT;
        }
      };

  /** What the feed told and is not dealt with, should the store be away just then. */
  private final Queue<Event> unprinted = new ArrayDeque<>();

  private boolean away;

  @Option(names = "--task", description = "Only jobs of this task.")
  private String task;

  @Option(
      names = "--group",
      description =
          "Only jobs in this group, or in groups of this family, and changes of their limits.")
  private Group group;

  @Option(names = "--for", paramLabel = "D", description = "How long. Default: until Ctrl-C")
  private Duration duration;

  TailCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    StopSignal stop = StopSignal.install();
    try (Sluice sluice = root.openToRead()) {
      EventFeed feed = new EventFeed();
      long start = System.nanoTime();
      look(sluice, feed);
      root.remark("Following. Ctrl-C ends it.");
      boolean stopped = false;
      while (!stopped) {
        Duration left = duration == null ? POLL : duration.minusNanos(System.nanoTime() - start);
        if (left.isNegative() || left.isZero()) {
          break;
        }
        stopped = stop.await(left.compareTo(POLL) < 0 ? left : POLL);
        lookAgain(sluice, feed);
      }
      return ExitCode.OK;
    }
  }

  /** A store that is away for a moment ends nothing. */
  private void lookAgain(Sluice sluice, EventFeed feed) {
    try {
      look(sluice, feed);
      if (away) {
        root.warn("The store answers again.");
      }
      away = false;
    } catch (SluiceException e) {
      if (!away) {
        root.warn(e.getMessage() + " Following goes on when the store answers.");
      }
      away = true;
    }
  }

  private void look(Sluice sluice, EventFeed feed) {
    unprinted.addAll(feed.look(sluice.workers().list(), changes(sluice), Instant.now()));
    while (!unprinted.isEmpty()) {
      if (isWanted(sluice, unprinted.peek())) {
        print(unprinted.peek());
      }
      unprinted.remove();
    }
  }

  private List<LimitChange> changes(Sluice sluice) {
    Optional<Group> one = Optional.ofNullable(group).filter(g -> !g.isFamily());
    return sluice.concurrency().changes(one, LATEST_CHANGES).stream()
        .filter(change -> isMeant(change.group()))
        .toList();
  }

  /** Whether it is the group that was asked for, or one of that family. */
  private boolean isMeant(Group one) {
    return group == null || group.equals(one) || one.family().filter(group::equals).isPresent();
  }

  private boolean isWanted(Sluice sluice, Event event) {
    if (event.job().isEmpty()) {
      // Of limits, those of the group alone were asked for.
      return task == null || !event.what().equals("limit_changed");
    }
    return (task == null || task.equals(event.subject()))
        && (group == null || isIn(sluice, event.job().get()));
  }

  /** Events do not name groups; the job on record does. */
  private boolean isIn(Sluice sluice, UUID job) {
    return groups
        .computeIfAbsent(
            job,
            id ->
                sluice
                    .jobs()
                    .get(id)
                    .map(JobInfo::spec)
                    .map(JobInfo.Spec::groups)
                    .orElse(List.of()))
        .stream()
        .anyMatch(this::isMeant);
  }

  private void print(Event event) {
    if (root.json()) {
      root.sayJson(event.asMap());
      return;
    }
    String job = event.job().map(id -> id + " ").orElse("");
    root.say(
        root.times().timeOfDay(event.at())
            + "  "
            + coloured("%-14s".formatted(event.what()), event.what())
            + "  "
            + Printable.of(job + event.subject())
            + (event.detail().isEmpty() ? "" : "  " + Printable.of(event.detail())));
  }

  private String coloured(String text, String what) {
    Style style = root.console().style();
    return switch (what) {
      case "succeeded" -> style.green(text);
      case "failed", "lease_lost" -> style.red(text);
      case "started" -> style.cyan(text);
      case "retried", "limit_changed", "dropped" -> style.yellow(text);
      default -> style.dim(text);
    };
  }
}
