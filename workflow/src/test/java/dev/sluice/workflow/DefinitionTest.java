package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.RetryPolicy;
import dev.sluice.Task;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefinitionTest {
  private static final String JSON =
      """
      {"type": "order_fulfillment", "version": 3, "max_concurrent_steps": 10, "max_steps_per_tick": 5,
       "steps": [
         {"name": "charge", "task": "charge_card", "queue": "money", "priority": 2, "timeout": "20s",
          "concurrency": {"group": "payments", "key": {"$input": "/customer"}},
          "retry": {"max_attempts": 3, "first_delay": "2s", "multiplier": 3, "max_delay": "1m"},
          "on_failure": "compensate", "compensate_with": "refund"},
         {"name": "pick", "task": "pick_item", "over": {"$input": "/items"}, "depends_on": ["charge"],
          "concurrency": {"per": {"shelf": {"$item": "/shelf"}}},
          "input": {"item": {"$item": ""}, "receipt": {"$result": "charge/id"}}, "on_failure": "continue"},
         {"name": "cool_down", "sleep": "1h30m"},
         {"name": "approval", "signal": "approved", "timeout": "2d", "on_failure": "pause_workflow"},
         {"name": "ship", "workflow": "shipping", "depends_on": ["pick", "approval"]}],
       "output": {"$result": "ship"}}
      """;

  private static WorkflowDefinition built() {
    return WorkflowDefinition.named("order_fulfillment")
        .version(3)
        .maxConcurrentSteps(10)
        .maxStepsPerTick(5)
        .step(
            StepDefinition.named("charge")
                .task("charge_card")
                .queue("money")
                .timeout(Duration.ofSeconds(20))
                .concurrencyKey(Refs.input("/customer"))
                .concurrencyGroup("payments")
                .priority(2)
                .retry(
                    RetryPolicy.exponential()
                        .maxAttempts(3)
                        .firstDelay(Duration.ofSeconds(2))
                        .multiplier(3)
                        .maxDelay(Duration.ofMinutes(1))
                        .jitter(0)
                        .build())
                .onFailure(OnFailure.COMPENSATE)
                .compensateWith("refund"))
        .step(
            StepDefinition.named("pick")
                .task("pick_item")
                .over(Refs.input("/items"))
                .concurrencyPer("shelf", Refs.item("/shelf"))
                .dependsOn("charge")
                .input(
                    JsonNodeFactory.instance
                        .objectNode()
                        .<ObjectNode>set("item", Refs.item(""))
                        .set("receipt", Refs.result("charge/id")))
                .onFailure(OnFailure.CONTINUE))
        .step(StepDefinition.named("cool_down").sleep(Duration.ofMinutes(90)))
        .step(
            StepDefinition.named("approval")
                .signal("approved", Duration.ofDays(2))
                .onFailure(OnFailure.PAUSE_WORKFLOW))
        .step(StepDefinition.named("ship").workflow("shipping").dependsOn("pick", "approval"))
        .output(Refs.result("ship"))
        .build();
  }

  @Test
  void json_andBuilder_areTheSame() {
    WorkflowDefinition parsed = WorkflowDefinition.parse(JSON);
    assertThat(parsed).isEqualTo(built());
    assertThat(WorkflowDefinition.parse(parsed.toJson())).isEqualTo(parsed);
    assertThat(parsed.hash()).isEqualTo(built().hash());
  }

  @Test
  void hash_capsDoNotCount_stepsDo() {
    String hash = built().hash();
    String otherCaps = JSON.replace("\"max_concurrent_steps\": 10", "\"max_concurrent_steps\": 3");
    assertThat(WorkflowDefinition.parse(otherCaps).hash()).isEqualTo(hash);
    assertThat(WorkflowDefinition.parse(JSON.replace("pick_item", "other")).hash())
        .isNotEqualTo(hash);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"steps\": []} | no type",
        "{\"type\": \"w\"} | steps of workflow 'w'",
        "{\"type\": \"w\", \"steps\": []} | steps of workflow 'w'",
        "{\"type\": \"w\", \"speed\": 1, \"steps\": []} | 'speed'",
        "{\"type\": \"w\", \"max_concurrent_steps\": -1, \"steps\": []} | max_concurrent_steps is -1",
        "{\"type\": \"w\", \"max_steps_per_tick\": 0, \"steps\": []} | max_steps_per_tick is 0",
        "{\"type\": \"w\", \"max_steps_per_tick\": \"2\", \"steps\": []} | max_steps_per_tick of workflow 'w'",
        "{\"type\": \"w\", \"steps\": [{\"task\": \"t\"}]} | step 1 has no name",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\"}]} | step 'a' has nothing to do",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"sleep\": \"1s\"}]} | step 'a' has task and sleep",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"colour\": 1}]} | step 'a' has the field 'colour'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"sleep\": \"soon\"}]} | sleep of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"sleep\": \"1s\", \"timeout\": \"1s\"}]} | timeout of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"timeout\": \"0s\"}]} | timeout of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"sleep\": \"1s\", \"concurrency\": {}}]} | concurrency of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"concurrency\": {\"max\": 3}}]} | concurrency of step 'a' has the field 'max'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"concurrency\": {\"per\": 3}}]} | per of concurrency of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"concurrency\": {\"key\": [1]}}]} | [1] is neither",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"concurrency\": {\"key\": {\"$result\": \"x\"}}}]} | concurrency of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"on_failure\": \"cry\"}]} | on_failure of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"retry\": 0}]} | retry of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\"}, {\"name\": \"a\", \"task\": \"t\"}]} | name of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"depends_on\": [\"b\"]}]} | there is no step 'b'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"depends_on\": [\"a\"]}]} | depends on itself",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"input\": {\"$result\": \"x\"}}]} | input of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"sleep\": \"1s\", \"compensate_with\": \"t\"}]} | compensate_with of step 'a'",
        "{\"type\": \"w\", \"type\": \"w\", \"steps\": []} | Duplicate",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"input\": {\"id\": {\"$input\": \"order\"}}}]} | input of step 'a' of workflow 'w': 'order' is no JSON pointer",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"input\": {\"$input\": null}}]} | input of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"input\": {\"$item\": \"\"}}]} | input of step 'a'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\"}], \"output\": {\"$item\": \"\"}} | output of workflow 'w'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\"}], \"output\": {\"$input\": \"x\"}} | output of workflow 'w'",
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"workflow\": \"w\"}]} | would run itself",
        "nonsense | not JSON"
      })
  void wrong_isRefused_withTheNameOfWhatIsWrong(String json, String message) {
    assertThatThrownBy(() -> WorkflowDefinition.parse(json))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(message);
  }

  @Test
  void cycle_isRefused_withItsSteps() {
    assertThatThrownBy(
            () ->
                WorkflowDefinition.named("w")
                    .step(StepDefinition.named("a").task("t").dependsOn("c"))
                    .step(StepDefinition.named("b").task("t").dependsOn("a"))
                    .step(StepDefinition.named("c").task("t").dependsOn("b"))
                    .build())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("circle")
        .hasMessageContaining("a after")
        .hasMessageContaining("b")
        .hasMessageContaining("c");
  }

  @Test
  void taskLimitedPerKey_stepWithoutKey_isRefused() {
    Task<String> keyed =
        Task.named("pack", String.class)
            .timeout(Duration.ofSeconds(5))
            .maxConcurrentPer("tenant", payload -> payload, 1)
            .maxConcurrentPerKey(2)
            .build();
    StepDefinition.Builder step = StepDefinition.named("a").task(keyed);
    assertThatThrownBy(step::build)
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("step 'a'")
        .hasMessageContaining("pack/*")
        .hasMessageContaining("pack/tenant=*");
    StepWork.Call call =
        step.concurrencyKey(Refs.input("/key"))
            .concurrencyPer("tenant", Refs.input("/tenant"))
            .build()
            .work()
            .call()
            .orElseThrow();
    assertThat(call.timeout()).contains(Duration.ofSeconds(5));
  }

  @Test
  void builder_refusesWhatJsonRefuses() {
    assertThatThrownBy(() -> StepDefinition.named("a").sleep(Duration.ofSeconds(1)).signal("x"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("step 'a'");
    assertThatThrownBy(() -> StepDefinition.named("a").signal("x").over(Refs.input("")).build())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("step 'a' has no task");
    assertThatThrownBy(
            () ->
                WorkflowDefinition.named("w")
                    .step(StepDefinition.named("a").sleep(Duration.ofNanos(500_000)))
                    .build())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("sleep of step 'a'");
  }

  @Test
  void hash_orderOfFieldsDoesNotCount() {
    String steps =
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"input\": %s}]}";
    assertThat(WorkflowDefinition.parse(steps.formatted("{\"x\": 1, \"y\": 2}")).hash())
        .isEqualTo(WorkflowDefinition.parse(steps.formatted("{\"y\": 2, \"x\": 1}")).hash());
  }

  @Test
  void capZero_holds_isAllowed() {
    assertThat(
            WorkflowDefinition.parse(
                    "{\"type\": \"w\", \"max_concurrent_steps\": 0, \"steps\": [{\"name\": \"a\", \"task\": \"t\"}]}")
                .caps()
                .maxConcurrentSteps())
        .hasValue(0);
  }

  @Test
  void references_areReplaced_missingPartsAreNull() {
    var json =
        JsonNodeFactory.instance
            .objectNode()
            .<ObjectNode>set("x", Refs.result("a/b"))
            .<ObjectNode>set("y", Refs.input("/nowhere"));
    var found =
        Refs.resolve(
            json,
            (kind, name) ->
                kind.equals("$result")
                    ? JsonNodeFactory.instance.objectNode().set("b", TextNode.valueOf(name))
                    : TextNode.valueOf("input"));
    assertThat(found.toString()).isEqualTo("{\"x\":\"a\",\"y\":null}");
  }
}
