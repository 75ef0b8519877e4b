package dev.sluice.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobRequest;
import dev.sluice.Submission;
import dev.sluice.server.view.Maybe;
import dev.sluice.server.view.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Submits jobs, for programs in any language. */
final class SubmitRoutes {
  private static final String TAG = "jobs";
  private static final int MOST = 1_000;

  /** Several jobs. */
  record Batch(List<SubmitRequest> jobs) {}

  /** What became of a submit: submitted, duplicate or rejected. */
  record SubmissionView(
      String outcome,
      @Maybe UUID id,
      @Maybe String group,
      @Maybe Integer limit,
      @Maybe Integer count) {
    static SubmissionView of(Submission submission) {
      if (submission instanceof Submission.Rejected rejected) {
        return new SubmissionView(
            "rejected", null, rejected.group().toString(), rejected.limit(), rejected.count());
      }
      return new SubmissionView(
          submission.accepted() ? "submitted" : "duplicate", submission.id(), null, null, null);
    }
  }

  /** What became of several. */
  record Outcomes(List<SubmissionView> items) {}

  private final Backend backend;

  SubmitRoutes(Backend backend) {
    this.backend = backend;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/api/v1/jobs")
            .says(TAG, "Submit a job.")
            .takesBody(SubmitRequest.class)
            .answers(
                Reply.json(201, SubmissionView.class, "It is stored; Location says where."),
                Reply.json(200, SubmissionView.class, "It was there already: this one."))
            .run(this::submit),
        Route.post("/api/v1/jobs/batch")
            .says(TAG, "Submit up to 1000 jobs. A mistake in one stores none.")
            .takesBody(Batch.class)
            .answers(Outcomes.class, "What became of each, in order.")
            .run(this::submitAll));
  }

  private Answer submit(Call call) throws Exception {
    SubmitRequest request = call.body(SubmitRequest.class);
    call.subject("task " + request.task());
    Submission submission =
        backend.sluice().submitEach(List.of(request.check(backend.sluice()::taskNamed))).get(0);
    SubmissionView view = SubmissionView.of(submission);
    if (submission instanceof Submission.Rejected rejected) {
      throw Problem.conflict(
              "%s: the group '%s' has %d pending or running jobs at a limit of %d."
                  .formatted(
                      Submission.Rejected.REASON,
                      rejected.group(),
                      rejected.count(),
                      rejected.limit()))
          .with("outcome", view.outcome)
          .with("reason", Submission.Rejected.REASON)
          .with("group", view.group)
          .with("limit", view.limit)
          .with("count", view.count);
    }
    call.subject("task " + request.task() + ", job " + view.id);
    return submission.accepted()
        ? Answer.created(view, "/api/v1/jobs/" + view.id)
        : Answer.ok(view);
  }

  private Answer submitAll(Call call) throws Exception {
    List<SubmitRequest> requests = call.body(Batch.class).jobs;
    call.subject(requests.size() + " jobs");
    if (requests.isEmpty() || requests.size() > MOST) {
      throw Problem.badRequest(
          "'jobs' has %d elements; 1 to %d are allowed.".formatted(requests.size(), MOST));
    }
    List<JobRequest<JsonNode>> checked = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      checked.add(check(requests.get(i), i));
    }
    return Answer.ok(
        new Outcomes(
            backend.sluice().submitEach(checked).stream().map(SubmissionView::of).toList()));
  }

  private JobRequest<JsonNode> check(SubmitRequest request, int index) {
    if (request == null || request.task() == null) {
      throw Problem.badRequest("'jobs[%d].task' is missing.".formatted(index));
    }
    try {
      return request.check(backend.sluice()::taskNamed);
    } catch (InvalidRequestException e) {
      throw new Problem(422, "jobs[%d]: %s".formatted(index, e.getMessage()));
    }
  }
}
