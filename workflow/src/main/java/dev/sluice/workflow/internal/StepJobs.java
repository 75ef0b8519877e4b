package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.OnLimit;
import dev.sluice.RetryPolicy;
import dev.sluice.SubmitOptions;
import dev.sluice.spi.NewJob;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.StepJobId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The jobs of a run, as the store takes them. */
final class StepJobs {
  /** The task of timers: its jobs do nothing, later. */
  static final String TIMER = "sluice.workflow.timer";

  private final int maxPayloadBytes;

  StepJobs(int maxPayloadBytes) {
    this.maxPayloadBytes = maxPayloadBytes;
  }

  /**
   * The job of this id.
   *
   * @throws InvalidRequestException if it cannot be submitted, however often one tries
   */
  NewJob build(LoadedRun run, StepInputs.Tick inputs, StepJobId id) {
    int index = run.indexOf(id.step());
    StepDefinition step = run.graph().step(index);
    return switch (id.kind()) {
      case STEP, ITEM -> {
        StepWork.Call call =
            step.work() instanceof StepWork.Each each ? each.call() : (StepWork.Call) step.work();
        yield job(
            run,
            id,
            call,
            step.policy().priority(),
            delay(step.policy().retry(), id.attempt()),
            payload(step, inputs.payload(index, id.item()).toString()));
      }
      case TIMER ->
          job(
              run,
              id,
              new StepWork.Call(TIMER),
              0,
              step.work() instanceof StepWork.Sleep sleep
                  ? sleep.duration()
                  : ((StepWork.Signal) step.work()).timeout().orElseThrow(),
              NullNode.getInstance().toString());
      case COMPENSATION ->
          job(
              run,
              id,
              new StepWork.Call(
                  step.policy().compensateWith().orElseThrow(), SubmitOptions.DEFAULT_QUEUE),
              step.policy().priority(),
              Duration.ZERO,
              payload(step, inputs.payload(index, 0).toString()));
    };
  }

  /** Attempts beyond the policy's are by hand, and start at once. */
  private static Duration delay(RetryPolicy policy, int attempt) {
    return attempt > 1 && attempt <= policy.maxAttempts()
        ? policy.delayAfter(attempt - 1, () -> 0.5)
        : Duration.ZERO;
  }

  private String payload(StepDefinition step, String json) {
    int bytes = json.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > maxPayloadBytes) {
      throw new InvalidRequestException(
          "the input of step '%s' has %,d bytes of JSON; at most %,d are allowed. Let its handler read the results it needs"
              .formatted(step.name(), bytes, maxPayloadBytes));
    }
    return json;
  }

  private static NewJob job(
      LoadedRun run, StepJobId id, StepWork.Call call, int priority, Duration delay, String json) {
    return new NewJob(
        new NewJob.Identity(
            id.id(),
            true,
            Optional.empty(),
            Optional.of(new NewJob.RunLink(run.id(), run.stored().createdAt()))),
        call.task(),
        new NewJob.Place(call.queue(), priority),
        new NewJob.Timing(Optional.empty(), delay, Optional.empty()),
        new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        json);
  }
}
