package dev.sluice.internal;

import dev.sluice.SluiceListener;
import dev.sluice.Submission;
import dev.sluice.spi.ForwardingJobStore;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.Tracing;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A store whose submits are heard and traced, and whose withdrawn jobs are heard, whoever does it:
 * the application, a workflow that starts or cancels a step, a schedule.
 */
public final class HeardJobStore extends ForwardingJobStore {
  private final JobStore store;
  private final Audience<SluiceListener> listeners;
  private final Tracing tracing;
  private final CallerRefusals refusals;

  private HeardJobStore(
      JobStore store,
      Audience<SluiceListener> listeners,
      Tracing tracing,
      CallerRefusals refusals) {
    super(store);
    this.store = store;
    this.listeners = listeners;
    this.tracing = tracing;
    this.refusals = refusals;
  }

  /** The store, heard. */
  public static JobStore hearing(
      JobStore store,
      Audience<SluiceListener> listeners,
      Tracing tracing,
      CallerRefusals refusals) {
    return new HeardJobStore(store, listeners, tracing, refusals);
  }

  @Override
  public List<Submission> submit(List<NewJob> jobs) {
    return heard(jobs, store::submit);
  }

  @Override
  public List<Submission> submit(Connection transaction, List<NewJob> jobs) {
    return heard(jobs, all -> store.submit(transaction, all));
  }

  private interface Submit {
    List<Submission> apply(List<NewJob> jobs);
  }

  private List<Submission> heard(List<NewJob> jobs, Submit submit) {
    List<Submission> answers = tracing == Tracing.NONE ? submit.apply(jobs) : traced(jobs, submit);
    for (int i = 0; i < jobs.size(); i++) {
      if (answers.get(i) instanceof Submission.Rejected rejected) {
        refusals.count(rejected.group());
      }
      if (!listeners.isEmpty()) {
        tell(jobs.get(i).task(), answers.get(i));
      }
    }
    return answers;
  }

  private void tell(String task, Submission answer) {
    listeners.tell(listener -> listener.onSubmit(task, answer));
    if (answer instanceof Submission.Rejected rejected) {
      listeners.tell(listener -> listener.onRejected(rejected.group()));
    }
  }

  private List<Submission> traced(List<NewJob> jobs, Submit submit) {
    List<Tracing.Submitting> spans = new ArrayList<>(jobs.size());
    List<NewJob> traced = new ArrayList<>(jobs.size());
    for (NewJob job : jobs) {
      Tracing.Submitting span = tracing.submitting(job.task(), job.place().queue());
      spans.add(span);
      traced.add(span.trace().map(trace -> withTrace(job, trace)).orElse(job));
    }
    try {
      List<Submission> answers = submit.apply(traced);
      for (int i = 0; i < spans.size(); i++) {
        spans.get(i).answered(answers.get(i));
      }
      return answers;
    } catch (RuntimeException | Error e) {
      spans.forEach(span -> span.failed(e));
      throw e;
    }
  }

  private static NewJob withTrace(NewJob job, String trace) {
    NewJob.Identity identity = job.identity();
    return new NewJob(
        new NewJob.Identity(
            identity.id(),
            identity.explicit(),
            identity.dedupeKey(),
            identity.run(),
            Optional.of(trace)),
        job.task(),
        job.place(),
        job.timing(),
        job.concurrency(),
        job.payload());
  }

  @Override
  public JobCatalog jobs() {
    return listeners.isEmpty() ? store.jobs() : new HeardJobs(store.jobs(), listeners);
  }
}
