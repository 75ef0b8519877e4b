package dev.sluice.workflow.tick;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.workflow.Caps;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.RunProgress.Looks;
import dev.sluice.workflow.tick.RunProgress.Notes;
import dev.sluice.workflow.tick.RunProgress.Undo;
import dev.sluice.workflow.tick.StepProgress.Child;
import dev.sluice.workflow.tick.StepProgress.Extra;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Nothing;
import dev.sluice.workflow.tick.StepProgress.Value;
import dev.sluice.workflow.tick.StepProgress.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The progress of a run as JSON: a letter for each step, and details of those that have any. A
 * thousand steps that did what they should are a thousand letters.
 */
public final class ProgressJson {
  private static final ObjectMapper MAPPER = JsonMapper.builder().build();
  private static final int FORMAT = 1;

  /** In the order of {@link StepState}. */
  private static final String LETTERS = "prsfkc";

  private ProgressJson() {}

  /** Writes it. */
  public static String write(RunProgress run) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT);
    json.put("state", run.state().toString());
    run.message().ifPresent(message -> json.put("message", message));
    run.caps().maxConcurrentSteps().ifPresent(steps -> json.put("maxConcurrentSteps", steps));
    run.caps().maxStepsPerTick().ifPresent(steps -> json.put("maxStepsPerTick", steps));
    if (run.ending() != Ending.NONE) {
      json.put("ending", run.ending().name());
    }
    StringBuilder letters = new StringBuilder();
    ObjectNode details = MAPPER.createObjectNode();
    for (int i = 0; i < run.steps().size(); i++) {
      StepProgress step = run.steps().get(i);
      letters.append(LETTERS.charAt(step.state().ordinal()));
      ObjectNode detail = detail(i, step);
      if (!detail.isEmpty()) {
        details.set(Integer.toString(i), detail);
      }
    }
    json.put("steps", letters.toString());
    if (!details.isEmpty()) {
      json.set("details", details);
    }
    write(json, run.notes());
    return json.toString();
  }

  private static ObjectNode detail(int index, StepProgress step) {
    ObjectNode json = MAPPER.createObjectNode();
    if (step.number() != index) {
      json.put("number", step.number());
    }
    if (step.attempt() != 1) {
      json.put("attempt", step.attempt());
    }
    if (step.order() != 0) {
      json.put("order", step.order());
    }
    step.error().ifPresent(error -> json.put("error", error));
    Extra extra = step.extra();
    if (extra instanceof Items items) {
      ObjectNode list = json.putObject("items");
      list.put("size", items.size());
      list.put("begun", items.begun());
      write(list, "inFlight", items.inFlight());
      write(list, "again", items.again());
      write(list, "failed", items.failed());
      if (!items.attempts().isEmpty()) {
        ObjectNode attempts = list.putObject("attempts");
        items.attempts().forEach((item, attempt) -> attempts.put(item.toString(), attempt));
      }
    } else if (extra instanceof Wait wait) {
      json.put("due", wait.due());
    } else if (extra instanceof Child child) {
      json.put("run", child.run().toString());
    } else if (extra instanceof Value value) {
      json.set("value", value.value());
    }
    return json;
  }

  private static void write(ObjectNode json, String field, IntSet set) {
    if (!set.isEmpty()) {
      json.put(field, set.toString());
    }
  }

  private static void write(ObjectNode json, Notes notes) {
    if (!notes.signals().isEmpty()) {
      ObjectNode signals = json.putObject("signals");
      notes.signals().forEach((name, payloads) -> signals.putArray(name).addAll(payloads));
    }
    if (!notes.undo().equals(Undo.NOT_BEGUN)) {
      ObjectNode undo = json.putObject("undo");
      undo.put("done", notes.undo().done());
      undo.put("running", notes.undo().running());
      ArrayNode failures = undo.putArray("failures");
      notes.undo().failures().forEach(failures::add);
    }
    if (notes.ordered() != 0) {
      json.put("ordered", notes.ordered());
    }
    if (notes.looks().quiet() != 0) {
      json.put("quiet", notes.looks().quiet());
    }
    if (notes.looks().full() != 0) {
      json.put("looked", notes.looks().full());
    }
    notes.output().ifPresent(output -> json.set("output", output));
  }

  /**
   * Reads it.
   *
   * @throws StoreIncompatibleException if it is not what was written, or written by a newer version
   */
  public static RunProgress read(UUID run, String text) {
    try {
      JsonNode json = MAPPER.readTree(text);
      if (json.path("format").asInt() > FORMAT) {
        throw new StoreIncompatibleException(
            "The run %s was written by a newer version of Sluice. Upgrade this process."
                .formatted(run));
      }
      return read(json);
    } catch (JsonProcessingException | IllegalArgumentException | NullPointerException e) {
      throw new StoreIncompatibleException(
          "The run %s is not what Sluice writes; was it damaged?".formatted(run), e);
    }
  }

  private static RunProgress read(JsonNode json) {
    String letters = json.get("steps").textValue();
    JsonNode details = json.path("details");
    List<StepProgress> steps = new ArrayList<>(letters.length());
    for (int i = 0; i < letters.length(); i++) {
      StepState state = StepState.values()[LETTERS.indexOf(letters.charAt(i))];
      JsonNode detail = details.path(Integer.toString(i));
      steps.add(
          new StepProgress(
              detail.path("number").asInt(i),
              state,
              detail.path("attempt").asInt(1),
              detail.path("order").asInt(0),
              text(detail, "error"),
              extra(detail)));
    }
    return new RunProgress(
        RunState.valueOf(json.get("state").textValue().toUpperCase(Locale.ROOT)),
        text(json, "message"),
        new Caps(number(json, "maxConcurrentSteps"), number(json, "maxStepsPerTick")),
        json.has("ending") ? Ending.valueOf(json.get("ending").textValue()) : Ending.NONE,
        steps,
        notes(json));
  }

  private static Extra extra(JsonNode detail) {
    if (detail.has("items")) {
      JsonNode items = detail.get("items");
      Map<Integer, Integer> attempts = new TreeMap<>();
      items
          .path("attempts")
          .properties()
          .forEach(each -> attempts.put(Integer.valueOf(each.getKey()), each.getValue().asInt()));
      return new Items(
          items.get("size").intValue(),
          items.get("begun").intValue(),
          IntSet.parse(items.path("inFlight").asText("")),
          IntSet.parse(items.path("again").asText("")),
          IntSet.parse(items.path("failed").asText("")),
          attempts);
    } else if (detail.has("due")) {
      return new Wait(detail.get("due").longValue());
    } else if (detail.has("run")) {
      return new Child(UUID.fromString(detail.get("run").textValue()));
    } else if (detail.has("value")) {
      return new Value(detail.get("value"));
    }
    return Nothing.IT;
  }

  private static Notes notes(JsonNode json) {
    Map<String, List<JsonNode>> signals = new TreeMap<>();
    json.path("signals")
        .properties()
        .forEach(
            each -> {
              List<JsonNode> payloads = new ArrayList<>();
              each.getValue().forEach(payloads::add);
              signals.put(each.getKey(), payloads);
            });
    Undo undo = Undo.NOT_BEGUN;
    if (json.has("undo")) {
      List<String> failures = new ArrayList<>();
      json.get("undo").get("failures").forEach(failure -> failures.add(failure.textValue()));
      undo =
          new Undo(
              json.get("undo").get("done").intValue(),
              json.get("undo").get("running").booleanValue(),
              failures);
    }
    return new Notes(
        signals,
        undo,
        json.path("ordered").asInt(0),
        new Looks(json.path("quiet").asInt(0), json.path("looked").asLong(0)),
        Optional.ofNullable(json.get("output")));
  }

  private static Optional<String> text(JsonNode json, String field) {
    return Optional.ofNullable(json.get(field)).map(JsonNode::textValue);
  }

  private static OptionalInt number(JsonNode json, String field) {
    return json.has(field) ? OptionalInt.of(json.get(field).intValue()) : OptionalInt.empty();
  }
}
