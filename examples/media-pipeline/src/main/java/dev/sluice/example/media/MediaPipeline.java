package dev.sluice.example.media;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.WorkerBuilder;
import dev.sluice.example.media.Video.Rendition;
import dev.sluice.example.media.Video.Uploaded;
import dev.sluice.example.media.Video.Variant;
import dev.sluice.throttle.Throttles;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.util.List;

/**
 * The workflow, and how a worker serves it.
 *
 * <pre>
 * fetch ─▶ merge ─▶ transcode ─▶ index ─▶ upload ─▶ record ─▶ discard
 *                   each size             each file
 * </pre>
 *
 * <p>Two kinds of limits meet here, and each job passes them in this order:
 *
 * <ol>
 *   <li><em>Across all workers:</em> {@code maxConcurrent} of its task. A job that has no slot is
 *       not given to any worker.
 *   <li><em>In this process:</em> its {@link Throttles throttle}, which the handler enters. It
 *       knows how many cores this process has, and is shared by the tasks that compete for them.
 * </ol>
 *
 * <p>A job that waits for its throttle has its slot already, and another process could have used
 * it; its time is running, too. So a worker never takes on more than its throttle lets in: one
 * worker runs all that shares the disk throttle, as many at once as that has places, and another
 * one the rest, where each task has a throttle for itself and {@code concurrencyOf} says how many.
 *
 * <p>What is recorded is complete in the bucket, for the record comes last. What is undone, because
 * a step failed for good, is the workspace: {@code discard} is the last step, and it is what
 * compensates the first.
 */
final class MediaPipeline {
  static final String TYPE = "media_pipeline";

  /** Two tracks or more become one video. */
  record MergeOrder(String video, List<String> tracks) {}

  /** A video becomes a rendition in segments. */
  record TranscodeOrder(String video, Rendition rendition) {}

  /** Renditions become one playlist. */
  record IndexOrder(String video, List<Variant> variants) {}

  /** A file is to be in the bucket. */
  record UploadOrder(String video, String file) {}

  /** What fails twice, after all that was done to a file, fails again. */
  private static final RetryPolicy TWICE = RetryPolicy.exponential().maxAttempts(2).build();

  static final Task<Video> FETCH =
      Task.named("fetch", Video.class)
          .maxConcurrent(2) // across every worker: the origin is not ours, be polite
          .timeout(Duration.ofMinutes(30))
          .build();
  static final Task<MergeOrder> MERGE =
      Task.named("merge", MergeOrder.class).retry(TWICE).timeout(Duration.ofMinutes(10)).build();
  static final Task<TranscodeOrder> TRANSCODE =
      Task.named("transcode", TranscodeOrder.class)
          .retry(TWICE)
          .timeout(Duration.ofHours(2))
          .build();
  static final Task<IndexOrder> INDEX = Task.named("index", IndexOrder.class).build();
  static final Task<UploadOrder> UPLOAD =
      Task.named("upload", UploadOrder.class)
          .maxConcurrent(32)
          .timeout(Duration.ofMinutes(10))
          .build();
  static final Task<Video> RECORD =
      Task.named("record", Video.class).maxConcurrent(4).timeout(Duration.ofMinutes(1)).build();
  static final Task<Video> DISCARD = Task.named("discard", Video.class).build();

  static final WorkflowDefinition DEFINITION =
      WorkflowDefinition.named(TYPE)
          .maxConcurrentSteps(16) // of each run
          .step(StepDefinition.named("fetch").task(FETCH).compensateWith(DISCARD.name()))
          .step(
              StepDefinition.named("merge")
                  .task(MERGE)
                  .dependsOn("fetch")
                  .input(with("tracks", Refs.result("fetch")))
                  .onFailure(OnFailure.COMPENSATE))
          .step(
              StepDefinition.named("transcode") // a job for each rendition
                  .task(TRANSCODE)
                  .dependsOn("merge")
                  .over(Refs.input("/renditions"))
                  .input(with("rendition", Refs.item("")))
                  .onFailure(OnFailure.COMPENSATE))
          .step(
              StepDefinition.named("index")
                  .task(INDEX)
                  .dependsOn("transcode")
                  .input(with("variants", Refs.result("transcode")))
                  .onFailure(OnFailure.COMPENSATE))
          .step(
              StepDefinition.named("upload") // a job for each file
                  .task(UPLOAD)
                  .dependsOn("index")
                  .over(Refs.result("index"))
                  .input(with("file", Refs.item("")))
                  .onFailure(OnFailure.COMPENSATE))
          .step(
              StepDefinition.named("record")
                  .task(RECORD)
                  .dependsOn("upload")
                  .onFailure(OnFailure.COMPENSATE))
          .step(StepDefinition.named("discard").task(DISCARD).dependsOn("record"))
          .output(Refs.result("record"))
          .build();

  private MediaPipeline() {}

  /** The id of the run's video, and something else. */
  private static JsonNode with(String name, JsonNode value) {
    ObjectNode input = JsonNodeFactory.instance.objectNode();
    return input.<ObjectNode>set("video", Refs.input("/id")).set(name, value);
  }

  /** Workers that run every step between them; start them. */
  static List<WorkerBuilder> workers(
      Sluice sluice, Workflows workflows, MediaSteps steps, Throttles throttles) {
    WorkerBuilder heavy =
        workflows
            .serve(sluice.worker())
            .concurrency(throttles.disk().limit())
            .handleReturning(FETCH, (video, context) -> steps.fetch(video))
            .handle(MERGE, (order, context) -> steps.merge(order))
            .handleReturning(TRANSCODE, (order, context) -> steps.transcode(order));
    WorkerBuilder light =
        workflows
            .serve(sluice.worker())
            .handleReturning(INDEX, (order, context) -> steps.index(order))
            .handleReturning(UPLOAD, (order, context) -> steps.upload(order))
            .concurrencyOf(UPLOAD.name(), throttles.s3().limit())
            .handleReturning(
                RECORD,
                (video, context) ->
                    // Read some at a time: a film has thousands of segments.
                    steps.record(video, workflows.step(context).results("upload", Uploaded.class)))
            .concurrencyOf(RECORD.name(), throttles.db().limit())
            .handle(DISCARD, (video, context) -> steps.discard(video));
    return List.of(heavy, light);
  }
}
