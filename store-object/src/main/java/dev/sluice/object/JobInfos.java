package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.object.state.ArchivedJob;
import dev.sluice.object.state.JobListing.Listed;
import dev.sluice.object.state.JobRecord;
import dev.sluice.object.state.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Jobs as users see them. */
final class JobInfos {
  private JobInfos() {}

  /** An unfinished job. */
  static JobInfo of(Listed job) {
    JobInfo.Progress progress =
        new JobInfo.Progress(
            job.attempt(),
            Optional.ofNullable(job.worker()),
            Optional.ofNullable(job.startedAt()).map(Micros::toInstant),
            Optional.ofNullable(job.note()),
            job.cancelRequested(),
            Optional.ofNullable(job.heldBackBy()).map(Group::parse));
    return new JobInfo(
        job.record().id(),
        spec(job.record(), job.due()),
        job.state(),
        progress,
        JobInfo.Outcome.PENDING,
        job.record().past().failures());
  }

  /** A finished one. */
  static JobInfo of(ArchivedJob job) {
    JobRecord.Past past = job.record().past();
    JobInfo.Progress progress =
        new JobInfo.Progress(
            past.attempt(),
            Optional.ofNullable(past.worker()),
            Optional.ofNullable(past.startedAt()).map(Micros::toInstant),
            Optional.ofNullable(job.note()),
            false,
            Optional.ofNullable(past.heldBackBy()).map(Group::parse));
    JobInfo.Outcome outcome =
        new JobInfo.Outcome(
            Optional.of(Micros.toInstant(job.finishedAt())), Optional.ofNullable(job.result()));
    return new JobInfo(
        job.record().id(),
        spec(job.record(), job.record().spec().timing().runAt()),
        job.state(),
        progress,
        outcome,
        past.failures());
  }

  private static JobInfo.Spec spec(JobRecord record, long due) {
    JobRecord.Spec spec = record.spec();
    List<Group> groups = new ArrayList<>(List.of(Group.of(spec.task())));
    spec.bond().groups().forEach(group -> groups.add(Group.parse(group)));
    JobInfo.Schedule schedule =
        new JobInfo.Schedule(
            Micros.toInstant(spec.timing().submittedAt()),
            Micros.toInstant(due),
            Optional.ofNullable(spec.timing().timeoutMillis()).map(Duration::ofMillis),
            Optional.ofNullable(spec.entry().dedupeKey()));
    return new JobInfo.Spec(
        spec.task(),
        spec.place().queue(),
        spec.place().priority(),
        List.copyOf(groups),
        schedule,
        spec.payload());
  }
}
