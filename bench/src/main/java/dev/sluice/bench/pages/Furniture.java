package dev.sluice.bench.pages;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What there is besides jobs and groups: schedules and runs of workflows, made by the API. */
final class Furniture {
  private static final int SCHEDULES = 100;
  private static final int RUNS = 200;
  private static final int MANY_STEPS = 200;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final List<String> runs = new ArrayList<>();

  /** Makes it. */
  Furniture(Visitor visitor) throws InterruptedException {
    for (int number = 0; number < SCHEDULES; number++) {
      visitor.post("/api/v1/schedules", schedule(number));
    }
    for (int number = 0; number < RUNS; number++) {
      runs.add(start(visitor, number == 0 ? MANY_STEPS : 3));
    }
  }

  /** The name of one of the schedules. */
  String schedule() {
    return name(SCHEDULES / 2);
  }

  /** The run with the most steps. */
  String largestRun() {
    return runs.get(0);
  }

  /** A run of the ordinary kind. */
  String run() {
    return runs.get(runs.size() - 1);
  }

  /** A step of {@link #largestRun} that waits for another. */
  static String waitingStep() {
    return step(MANY_STEPS - 1);
  }

  private static ObjectNode schedule(int number) {
    ObjectNode schedule = MAPPER.createObjectNode();
    schedule.put("name", name(number));
    schedule.put("task", Cast.RARE);
    // Not while this runs.
    schedule.put("cron", "%d 3 1 1 *".formatted(number % 60));
    schedule.put("zone", "UTC");
    schedule.put("queue", Cast.LONELY_QUEUE);
    schedule.putObject("payload").put("number", number);
    return schedule;
  }

  private static String name(int number) {
    return "nightly-%03d".formatted(number);
  }

  private static String start(Visitor visitor, int steps) throws InterruptedException {
    WorkflowDefinition.Builder definition = WorkflowDefinition.named("order-" + steps);
    IntStream.range(0, steps)
        .forEach(
            number -> {
              StepDefinition.Builder step = StepDefinition.named(step(number)).task(Cast.RARE);
              definition.step(
                  (number == 0 ? step : step.dependsOn(step((number - 1) / 2)))
                      .queue(Cast.LONELY_QUEUE));
            });
    ObjectNode body = MAPPER.createObjectNode();
    try {
      body.set("definition", MAPPER.readTree(definition.build().toJson()));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
    body.putObject("input").put("order", steps);
    return visitor.post("/api/v1/workflows", body).path("id").asText();
  }

  private static String step(int number) {
    return "step-" + number;
  }
}
