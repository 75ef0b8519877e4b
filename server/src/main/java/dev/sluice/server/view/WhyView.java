package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.JobState;
import dev.sluice.Why;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Why a job, or a step, is where it is. */
public record WhyView(
    @Maybe UUID job,
    @Maybe JobState state,
    List<Reason> reasons,
    @Maybe Place place,
    @Maybe Instant estimatedStart,
    @Maybe Waited waited) {

  /** One answer; what else belongs to it depends on the kind. */
  public record Reason(String kind, String sentence, @JsonAnyGetter Map<String, Object> details) {
    /** An answer. */
    public static Reason of(String kind, String sentence, Object... details) {
      Map<String, Object> map = new LinkedHashMap<>();
      for (int i = 0; i < details.length; i += 2) {
        map.put((String) details[i], details[i + 1]);
      }
      return new Reason(kind, sentence, map);
    }
  }

  /** A place in line. */
  public record Place(int ahead, boolean atLeast, @Maybe String group) {}

  /** How long the latest attempt waited. */
  public record Waited(double afterDueSeconds, double untilDueSeconds, @Maybe String heldBackBy) {}

  /** An answer about a job; {@code detail} shows the group of a limit that is in its way. */
  public static WhyView of(Why why, Function<ConcurrencyStatus, GroupDetailView> detail) {
    return new WhyView(
        why.job().id(),
        why.job().state(),
        why.reasons().stream().map(reason -> reason(reason, detail)).toList(),
        why.place()
            .map(
                p ->
                    new Place(p.ahead(), p.atLeast(), p.group().map(Object::toString).orElse(null)))
            .orElse(null),
        why.estimatedStart().orElse(null),
        why.waited()
            .map(
                w ->
                    new Waited(
                        ViewJson.seconds(w.afterDue()),
                        ViewJson.seconds(w.untilDue()),
                        w.heldBackBy().map(Object::toString).orElse(null)))
            .orElse(null));
  }

  private static Reason reason(
      Why.Reason reason, Function<ConcurrencyStatus, GroupDetailView> detail) {
    Object[] details = {};
    if (reason instanceof Why.NotDue r) {
      details = new Object[] {"until", r.until(), "retry", r.retry()};
    } else if (reason instanceof Why.QueuePaused r) {
      details = new Object[] {"queue", r.queue()};
    } else if (reason instanceof Why.NoWorkerForQueue r) {
      details = new Object[] {"queue", r.queue()};
    } else if (reason instanceof Why.NoHandler r) {
      details = new Object[] {"task", r.task(), "queue", r.queue()};
    } else if (reason instanceof Why.GroupHeld r) {
      details = new Object[] {"group", detail.apply(r.status())};
    } else if (reason instanceof Why.GroupFull r) {
      details = new Object[] {"group", detail.apply(r.status())};
    } else if (reason instanceof Why.WorkersBusy r) {
      details = new Object[] {"workers", r.workers(), "running", r.running()};
    } else if (reason instanceof Why.Running r) {
      details = new Object[] {"worker", r.workerId(), "since", r.since()};
    } else if (reason instanceof Why.Finished r) {
      details = new Object[] {"finished_state", r.state(), "at", r.at()};
    }
    return Reason.of(reason.kind(), reason.sentence(), details);
  }
}
