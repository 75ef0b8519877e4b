package dev.sluice.cli;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.Why;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Times;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Why a job is where it is, in sentences, with who holds what it needs. */
final class WhySheet {
  private final SluiceCommand root;
  private final Style style;
  private final Times times;

  WhySheet(SluiceCommand root) {
    this.root = root;
    this.style = root.console().style();
    this.times = root.times();
  }

  void print(Why why) {
    if (root.json()) {
      root.sayJson(asMap(why));
      return;
    }
    JobInfo job = why.job();
    root.say(
        "%s  %s  %s"
            .formatted(style.bold(Printable.of(job.task())), job.id(), style.state(job.state())));
    answers(why, "");
  }

  /** The answers, and what follows from them. */
  void answers(Why why, String indent) {
    for (Why.Reason reason : why.reasons()) {
      root.say(indent + Printable.of(sentence(reason)));
      status(reason).ifPresent(status -> holders(status, indent));
    }
    why.place().ifPresent(place -> root.say(indent + Printable.of(place(place))));
    why.estimatedStart()
        .ifPresent(start -> root.say(indent + "It will probably start " + times.full(start) + "."));
    why.waited().ifPresent(waited -> root.say(indent + Printable.of(waited(waited))));
  }

  /** As {@link Why.Reason#sentence}, with times as people read them. */
  private String sentence(Why.Reason reason) {
    if (reason instanceof Why.NotDue notDue) {
      return (notDue.retry() ? "It failed and is tried again; it is" : "It is")
          + " not due until "
          + times.full(notDue.until())
          + ".";
    } else if (reason instanceof Why.Running running) {
      return "It runs on worker %s since %s%s."
          .formatted(
              running.workerId(),
              times.full(running.since()),
              running.cancelRequested() ? " and was asked to stop" : "");
    } else if (reason instanceof Why.Finished finished) {
      return "It was over " + times.full(finished.at()) + ": " + finished.state() + ".";
    } else if (reason instanceof Why.GroupHeld held) {
      return "The limit of '%s' is 0%s: nothing starts until it is raised or removed."
          .formatted(held.status().group(), setBy(held.status()));
    } else if (reason instanceof Why.GroupFull full) {
      return "The group '%s' is full: %d of %d slots are held. The limit is from level %s%s."
          .formatted(
              full.status().group(),
              full.status().active(),
              full.status().limit().orElse(0),
              full.status().origin().level().map(Object::toString).orElse("none"),
              setBy(full.status()));
    }
    return reason.sentence();
  }

  private String setBy(ConcurrencyStatus status) {
    return status
        .origin()
        .change()
        .map(change -> ", set by %s %s".formatted(change.by(), times.full(change.at())))
        .orElse("");
  }

  private static Optional<ConcurrencyStatus> status(Why.Reason reason) {
    return reason instanceof Why.GroupFull full
        ? Optional.of(full.status())
        : reason instanceof Why.GroupHeld held ? Optional.of(held.status()) : Optional.empty();
  }

  private void holders(ConcurrencyStatus status, String indent) {
    if (!status.slots().isEmpty()) {
      new StatusSheet(root)
          .slots(status.slots())
          .lines(root.console().tableWidth())
          .forEach(line -> root.say(indent + "  " + line));
    }
  }

  private static String place(Why.Place place) {
    String line =
        place.group().map(group -> "for the group '" + group + "'").orElse("of its queue");
    return place.ahead() == 0
        ? "It is the next in the line %s.".formatted(line)
        : "%s%,d %s ahead of it in the line %s."
            .formatted(
                place.atLeast() ? "At least " : "",
                place.ahead(),
                place.ahead() == 1 ? "job is" : "jobs are",
                line);
  }

  private static String waited(Why.Wait wait) {
    return "It waited %s from being due to being started%s%s."
        .formatted(
            Durations.format(wait.afterDue()),
            wait.heldBackBy().map(group -> ", behind the limit of '" + group + "'").orElse(""),
            wait.untilDue().compareTo(Duration.ofSeconds(1)) < 0
                ? ""
                : ", and %s before that until it was due"
                    .formatted(Durations.format(wait.untilDue())));
  }

  /** For machines. */
  static Map<String, Object> asMap(Why why) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("job", why.job().id().toString());
    map.put("task", why.job().task());
    map.put("state", why.job().state().toString());
    map.put("reasons", why.reasons().stream().map(WhySheet::asMap).toList());
    why.place()
        .ifPresent(
            place -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("ahead", place.ahead());
              one.put("at_least", place.atLeast());
              place.group().ifPresent(group -> one.put("group", group.toString()));
              map.put("place", one);
            });
    why.estimatedStart().ifPresent(start -> map.put("estimated_start", start.toString()));
    why.waited()
        .ifPresent(
            wait -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("after_due_seconds", wait.afterDue().toMillis() / 1000.0);
              one.put("until_due_seconds", wait.untilDue().toMillis() / 1000.0);
              wait.heldBackBy().map(Group::toString).ifPresent(g -> one.put("held_back_by", g));
              map.put("waited", one);
            });
    return map;
  }

  private static Map<String, Object> asMap(Why.Reason reason) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("kind", reason.kind());
    map.put("sentence", reason.sentence());
    status(reason)
        .ifPresent(status -> map.put("group", StatusSheet.asMap(status, Optional.empty())));
    return map;
  }
}
