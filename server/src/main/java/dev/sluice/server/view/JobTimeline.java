package dev.sluice.server.view;

import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.server.view.JobView.Moment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A job's life as moments, oldest first, from what is on record about it. */
final class JobTimeline {
  private JobTimeline() {}

  static List<Moment> of(JobInfo job) {
    JobInfo.Schedule schedule = job.spec().schedule();
    List<Moment> moments = new ArrayList<>();
    moments.add(new Moment(schedule.submittedAt(), "submitted", null));
    if (schedule.runAt().isAfter(schedule.submittedAt())) {
      moments.add(new Moment(schedule.runAt(), "due", null));
    }
    job.progress()
        .startedAt()
        .ifPresent(
            at -> moments.add(new Moment(at, "started", "attempt " + job.progress().attempt())));
    for (JobFailure failure : job.failures()) {
      moments.add(
          new Moment(
              failure.at(),
              "attempt_failed",
              "attempt %d: %s: %s"
                  .formatted(failure.attempt(), failure.type(), failure.message())));
    }
    // Stable: of what happened in the same moment, what is listed first here came first.
    moments.sort(Comparator.comparing(Moment::at));
    // The end is the last, even if the failure that brought it was written down after it.
    job.outcome()
        .finishedAt()
        .ifPresent(at -> moments.add(new Moment(at, job.state().toString(), null)));
    return List.copyOf(moments);
  }
}
