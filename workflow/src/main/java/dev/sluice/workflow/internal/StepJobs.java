package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.Group;
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
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/** The jobs of a run, as the store takes them. */
final class StepJobs {
  /** The task of timers: its jobs do nothing, later. */
  static final String TIMER = "sluice.workflow.timer";

  private static final NewJob.Place DEFAULT_PLACE =
      new NewJob.Place(SubmitOptions.DEFAULT_QUEUE, 0);

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
    int priority = step.policy().priority();
    return switch (id.kind()) {
      case STEP, ITEM -> {
        StepWork.Call call = step.work().call().orElseThrow();
        yield job(
            run,
            id,
            call,
            new NewJob.Place(call.queue(), priority),
            delay(step.policy().retry(), id.attempt()),
            groups(step, call, inputs, index, id.item()),
            payload(step, inputs.payload(index, id.item()).toString()));
      }
      case TIMER ->
          job(
              run,
              id,
              new StepWork.Call(TIMER),
              DEFAULT_PLACE,
              step.work() instanceof StepWork.Sleep sleep
                  ? sleep.duration()
                  : ((StepWork.Signal) step.work()).timeout().orElseThrow(),
              List.of(),
              NullNode.getInstance().toString());
      case COMPENSATION ->
          job(
              run,
              id,
              new StepWork.Call(step.policy().compensateWith().orElseThrow()),
              new NewJob.Place(step.work().call().orElseThrow().queue(), priority),
              Duration.ZERO,
              List.of(),
              payload(step, inputs.payload(index, 0).toString()));
    };
  }

  /** As at a submit: the group that was named or keyed, and one for each dimension. */
  private static List<Group> groups(
      StepDefinition step, StepWork.Call call, StepInputs.Tick inputs, int index, int item) {
    Group own = Group.of(call.task());
    TreeSet<Group> groups = new TreeSet<>();
    Group base = call.slots().group().map(Group::of).orElse(own);
    groups.add(
        call.slots()
            .key()
            .flatMap(key -> text(step, inputs.value(index, item, key)))
            .map(base::key)
            .orElse(base));
    call.slots()
        .per()
        .forEach(
            (dimension, value) ->
                text(step, inputs.value(index, item, value))
                    .ifPresent(text -> groups.add(own.dimension(dimension, text))));
    groups.remove(own);
    return List.copyOf(groups);
  }

  private static Optional<String> text(StepDefinition step, JsonNode value) {
    if (!value.isValueNode()) {
      throw new InvalidRequestException(
          "a concurrency key of step '%s' should be a text and is %s"
              .formatted(step.name(), value.getNodeType().name().toLowerCase(Locale.ROOT)));
    }
    return value.isNull()
        ? Optional.empty()
        : Optional.of(value.asText()).filter(t -> !t.isEmpty());
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
      LoadedRun run,
      StepJobId id,
      StepWork.Call call,
      NewJob.Place place,
      Duration delay,
      List<Group> groups,
      String json) {
    return new NewJob(
        new NewJob.Identity(
            id.id(),
            true,
            Optional.empty(),
            Optional.of(new NewJob.RunLink(run.id(), run.stored().createdAt())),
            Optional.empty()),
        call.task(),
        place,
        new NewJob.Timing(Optional.empty(), delay, call.timeout()),
        new NewJob.Concurrency(groups, Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        json);
  }
}
