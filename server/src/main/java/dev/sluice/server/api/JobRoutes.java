package dev.sluice.server.api;

import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.server.view.JobView;
import dev.sluice.server.view.Paged;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.WhyView;
import dev.sluice.workflow.Workflows;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Jobs: look them up, call them off, try them again. */
final class JobRoutes {
  private static final String TAG = "jobs";

  /** A job was called off, or asked to stop if it runs. */
  record Cancelled(boolean cancelled, JobState state) {}

  /** A job is tried again. */
  record Retried(boolean retried, JobState state) {}

  private final Backend backend;
  private final GroupDetails groups;

  JobRoutes(Backend backend) {
    this.backend = backend;
    groups = new GroupDetails(backend);
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/jobs")
            .says(TAG, "List jobs, newest first.")
            .takes(
                Parameter.choice(
                    "state",
                    Arrays.stream(JobState.values()).map(JobState::toString).toList(),
                    "In this state; repeat it for more."),
                Parameter.query("task", "string", "Of this task."),
                Parameter.query("queue", "string", "In this queue."),
                Parameter.query("group", "string", "In this group, by its canonical name."),
                Parameter.query("text", "string", "Whose payload, as JSON, contains this text."),
                Parameter.LIMIT,
                Parameter.CURSOR)
            .answers(Reply.page(JobView.class, "A page; it may be short although more follow."))
            .run(backend.costly().bound(this::list)),
        Route.get("/api/v1/jobs/{id}")
            .says(TAG, "Everything about a job.")
            .answers(JobView.class, "The job.")
            .run(call -> Answer.ok(full(require(call.id())))),
        Route.get("/api/v1/jobs/{id}/why")
            .says(TAG, "Why a job is where it is.")
            .answers(WhyView.class, "What keeps it from starting, or what it waited for.")
            .run(backend.costly().bound(this::why)),
        Route.post("/api/v1/jobs/{id}/cancel")
            .says(TAG, "Call a job off. A running one is asked to stop.")
            .answers(Cancelled.class, "It was unfinished.")
            .run(this::cancel),
        Route.post("/api/v1/jobs/{id}/retry")
            .says(TAG, "Run a failed or cancelled job again, now.")
            .answers(Retried.class, "It is in line again.")
            .run(this::retry));
  }

  private Answer list(Call call) {
    Set<JobState> states =
        call.queries("state").stream()
            .map(text -> Call.word(JobState.class, "state", text))
            .collect(Collectors.toSet());
    JobQuery query =
        new JobQuery(
            states,
            call.query("task"),
            call.query("queue"),
            call.query("group").map(call::group),
            call.query("text"),
            call.limit(),
            call.cursor());
    return Answer.ok(Paged.of(backend.sluice().jobs().list(query), this::summary));
  }

  private JobView summary(JobInfo job) {
    return JobView.summary(job, backend.workerName(job.progress().workerId()));
  }

  private JobView full(JobInfo job) {
    Optional<UUID> run =
        Workflows.runOf(job.id()).filter(id -> backend.workflows().get(id).isPresent());
    return JobView.full(job, backend.workerName(job.progress().workerId()), run);
  }

  private JobInfo require(UUID id) {
    return backend.sluice().jobs().get(id).orElseThrow(() -> unknown(id));
  }

  private static Problem unknown(UUID id) {
    return Problem.notFound("There is no job %s, or its retention has passed.".formatted(id));
  }

  private Answer why(Call call) {
    UUID id = call.id();
    return Answer.ok(
        backend
            .sluice()
            .why(id)
            .map(why -> WhyView.of(why, groups::withoutChanges))
            .orElseThrow(() -> unknown(id)));
  }

  private Answer cancel(Call call) {
    UUID id = call.id();
    boolean cancelled = backend.sluice().jobs().cancel(id);
    JobState state = require(id).state();
    if (!cancelled) {
      throw Problem.conflict("The job %s is %s already.".formatted(id, state))
          .with("state", state.toString());
    }
    return Answer.ok(new Cancelled(true, state));
  }

  private Answer retry(Call call) {
    UUID id = call.id();
    boolean retried = backend.sluice().jobs().retry(id);
    JobState state = require(id).state();
    if (!retried) {
      throw Problem.conflict(
              "The job %s is %s; only failed and cancelled jobs can be tried again."
                  .formatted(id, state))
          .with("state", state.toString());
    }
    return Answer.ok(new Retried(true, state));
  }
}
