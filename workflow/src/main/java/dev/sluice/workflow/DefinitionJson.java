package dev.sluice.workflow;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.DurationText;
import dev.sluice.InvalidRequestException;
import dev.sluice.RetryPolicy;
import dev.sluice.SubmitOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Definitions as JSON. Here only the form is checked; {@link DefinitionCheck} has the rules. */
final class DefinitionJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();
  private static final Set<String> WORKFLOW_FIELDS =
      Set.of("type", "version", "max_concurrent_steps", "max_steps_per_tick", "steps", "output");
  private static final Set<String> STEP_FIELDS =
      Set.of(
          "name",
          "task",
          "queue",
          "concurrency",
          "over",
          "sleep",
          "signal",
          "timeout",
          "workflow",
          "depends_on",
          "input",
          "priority",
          "retry",
          "on_failure",
          "compensate_with");
  private static final Set<String> RETRY_FIELDS =
      Set.of("max_attempts", "first_delay", "multiplier", "max_delay");
  private static final Set<String> SLOT_FIELDS = Set.of("key", "group", "per");
  private static final List<String> KINDS = List.of("task", "sleep", "signal", "workflow");

  private DefinitionJson() {}

  static WorkflowDefinition read(String text) {
    return read(tree(text));
  }

  static List<WorkflowDefinition> readAll(String text) {
    JsonNode json = tree(text);
    List<WorkflowDefinition> all = new ArrayList<>();
    if (json.isArray()) {
      json.forEach(one -> all.add(read(one)));
    } else {
      all.add(read(json));
    }
    if (all.isEmpty()) {
      throw new InvalidRequestException("The list of workflows is empty.");
    }
    ChildTypes.check(all);
    return all;
  }

  private static JsonNode tree(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException(
          "The definition is not JSON: "
              + e.getOriginalMessage()
              + " (line "
              + (e.getLocation() == null ? 0 : e.getLocation().getLineNr())
              + ")",
          e);
    }
  }

  static WorkflowDefinition read(JsonNode json) {
    String known =
        json.path("type").isTextual() ? "workflow '" + json.get("type").textValue() + "'" : null;
    Fields named = new Fields(known == null ? "the workflow" : known, json, WORKFLOW_FIELDS);
    String type = named.text("type").orElseThrow(() -> named.missing("type"));
    JsonNode steps = json.get("steps");
    if (steps == null || !steps.isArray()) {
      throw named.wrong("steps", "a list of steps");
    }
    List<StepDefinition> read = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      read.add(readStep(i, steps.get(i)));
    }
    return new WorkflowDefinition(
        type,
        named.integer("version").orElse(0),
        new Caps(named.integer("max_concurrent_steps"), named.integer("max_steps_per_tick")),
        read,
        Optional.ofNullable(json.get("output")));
  }

  private static StepDefinition readStep(int index, JsonNode json) {
    String known = json.path("name").isTextual() ? "'" + json.get("name").textValue() + "'" : null;
    Fields fields = new Fields("step " + (known == null ? index + 1 : known), json, STEP_FIELDS);
    String name = fields.text("name").orElseThrow(() -> fields.missing("name"));
    List<String> dependsOn = new ArrayList<>();
    for (JsonNode each : fields.list("depends_on")) {
      if (!each.isTextual()) {
        throw fields.wrong("depends_on", "a list of names of steps");
      }
      dependsOn.add(each.textValue());
    }
    return new StepDefinition(
        name,
        readWork(fields),
        dependsOn,
        Optional.ofNullable(json.get("input")),
        new StepDefinition.Policy(
            fields.integer("priority").orElse(0),
            readRetry(fields),
            readOnFailure(fields),
            fields.text("compensate_with")));
  }

  private static StepWork readWork(Fields fields) {
    List<String> given = KINDS.stream().filter(fields.json::has).toList();
    if (given.size() != 1) {
      throw new InvalidRequestException(
          "%s has %s; give it exactly one of %s."
              .formatted(
                  fields.what,
                  given.isEmpty() ? "nothing to do" : String.join(" and ", given),
                  String.join(", ", KINDS)));
    }
    String kind = given.get(0);
    fields.allow("queue", kind.equals("task"), "task");
    fields.allow("over", kind.equals("task"), "task");
    fields.allow("concurrency", kind.equals("task"), "task");
    fields.allow("timeout", kind.equals("task") || kind.equals("signal"), "task or signal");
    return switch (kind) {
      case "task" -> {
        StepWork.Call call =
            new StepWork.Call(
                fields.text("task").orElseThrow(),
                fields.text("queue").orElse(SubmitOptions.DEFAULT_QUEUE),
                fields.duration("timeout"),
                readSlots(fields));
        yield fields.json.has("over") ? new StepWork.Each(call, fields.json.get("over")) : call;
      }
      case "sleep" -> new StepWork.Sleep(fields.duration("sleep").orElseThrow());
      case "signal" ->
          new StepWork.Signal(fields.text("signal").orElseThrow(), fields.duration("timeout"));
      default -> new StepWork.Child(fields.text("workflow").orElseThrow());
    };
  }

  private static StepWork.Slots readSlots(Fields fields) {
    JsonNode json = fields.json.get("concurrency");
    if (json == null) {
      return StepWork.Slots.NONE;
    }
    Fields slots = new Fields("concurrency of " + fields.what, json, SLOT_FIELDS);
    Map<String, JsonNode> per = new TreeMap<>();
    JsonNode dimensions = json.path("per");
    if (!dimensions.isMissingNode() && !dimensions.isObject()) {
      throw slots.wrong("per", "an object with a value for each dimension");
    }
    dimensions.properties().forEach(each -> per.put(each.getKey(), each.getValue()));
    return new StepWork.Slots(Optional.ofNullable(json.get("key")), slots.text("group"), per);
  }

  private static OnFailure readOnFailure(Fields fields) {
    String word = fields.text("on_failure").orElse(OnFailure.FAIL_WORKFLOW.toString());
    for (OnFailure each : OnFailure.values()) {
      if (each.toString().equals(word)) {
        return each;
      }
    }
    throw fields.wrong(
        "on_failure", "one of fail_workflow, pause_workflow, continue and compensate");
  }

  private static RetryPolicy readRetry(Fields fields) {
    JsonNode json = fields.json.get("retry");
    if (json == null) {
      return RetryPolicy.NONE;
    }
    RetryPolicy.Builder policy = RetryPolicy.exponential().maxAttempts(1).jitter(0);
    try {
      if (json.isInt()) {
        return policy.maxAttempts(json.intValue()).build();
      }
      Fields retry = new Fields("retry of " + fields.what, json, RETRY_FIELDS);
      retry.integer("max_attempts").ifPresent(policy::maxAttempts);
      retry.duration("first_delay").ifPresent(policy::firstDelay);
      retry.duration("max_delay").ifPresent(policy::maxDelay);
      JsonNode multiplier = json.get("multiplier");
      if (multiplier != null) {
        if (!multiplier.isNumber()) {
          throw retry.wrong("multiplier", "a number");
        }
        policy.multiplier(multiplier.doubleValue());
      }
      return policy.build();
    } catch (InvalidRequestException e) {
      throw new InvalidRequestException(
          "retry of %s: %s".formatted(fields.what, e.getMessage()), e);
    }
  }

  static ObjectNode write(WorkflowDefinition definition) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("type", definition.type());
    if (definition.version() != 0) {
      json.put("version", definition.version());
    }
    definition
        .caps()
        .maxConcurrentSteps()
        .ifPresent(steps -> json.put("max_concurrent_steps", steps));
    definition.caps().maxStepsPerTick().ifPresent(steps -> json.put("max_steps_per_tick", steps));
    ArrayNode steps = json.putArray("steps");
    definition.steps().forEach(step -> steps.add(write(step)));
    definition.output().ifPresent(output -> json.set("output", output));
    return json;
  }

  static ObjectNode write(StepDefinition step) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", step.name());
    StepWork work = step.work();
    if (work instanceof StepWork.Call call) {
      write(json, call);
    } else if (work instanceof StepWork.Each each) {
      write(json, each.job());
      json.set("over", each.over());
    } else if (work instanceof StepWork.Sleep sleep) {
      json.put("sleep", DurationText.format(sleep.duration()));
    } else if (work instanceof StepWork.Signal signal) {
      json.put("signal", signal.signal());
      signal.timeout().ifPresent(timeout -> json.put("timeout", DurationText.format(timeout)));
    } else if (work instanceof StepWork.Child child) {
      json.put("workflow", child.type());
    }
    if (!step.dependsOn().isEmpty()) {
      ArrayNode names = json.putArray("depends_on");
      step.dependsOn().forEach(names::add);
    }
    step.input().ifPresent(input -> json.set("input", input));
    StepDefinition.Policy policy = step.policy();
    if (policy.priority() != 0) {
      json.put("priority", policy.priority());
    }
    if (policy.retry().maxAttempts() > 1) {
      RetryPolicy retry = policy.retry();
      json.putObject("retry")
          .put("max_attempts", retry.maxAttempts())
          .put("first_delay", DurationText.format(retry.firstDelay()))
          .put("multiplier", retry.multiplier())
          .put("max_delay", DurationText.format(retry.maxDelay()));
    }
    if (policy.onFailure() != OnFailure.FAIL_WORKFLOW) {
      json.put("on_failure", policy.onFailure().toString());
    }
    policy.compensateWith().ifPresent(task -> json.put("compensate_with", task));
    return json;
  }

  private static void write(ObjectNode json, StepWork.Call call) {
    json.put("task", call.task());
    if (!call.queue().equals(SubmitOptions.DEFAULT_QUEUE)) {
      json.put("queue", call.queue());
    }
    call.timeout().ifPresent(timeout -> json.put("timeout", DurationText.format(timeout)));
    StepWork.Slots slots = call.slots();
    if (!slots.equals(StepWork.Slots.NONE)) {
      ObjectNode concurrency = json.putObject("concurrency");
      slots.key().ifPresent(key -> concurrency.set("key", key));
      slots.group().ifPresent(group -> concurrency.put("group", group));
      if (!slots.per().isEmpty()) {
        ObjectNode per = concurrency.putObject("per");
        slots.per().forEach(per::set);
      }
    }
  }

  static String hash(WorkflowDefinition definition) {
    ObjectNode json = write(definition);
    json.remove(List.of("max_concurrent_steps", "max_steps_per_tick"));
    return hash(sorted(json).toString());
  }

  /** The same with the fields of every object in order: no order means anything. */
  private static JsonNode sorted(JsonNode json) {
    if (json.isArray()) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      json.forEach(element -> copy.add(sorted(element)));
      return copy;
    }
    if (!json.isObject()) {
      return json;
    }
    Map<String, JsonNode> fields = new TreeMap<>();
    json.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    fields.forEach(copy::set);
    return copy;
  }

  static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  /** The fields of an object, with messages that name it. */
  private record Fields(String what, JsonNode json, Set<String> allowed) {
    Fields {
      if (!json.isObject()) {
        throw new InvalidRequestException(what + " is not a JSON object.");
      }
      json.fieldNames()
          .forEachRemaining(
              field -> {
                if (!allowed.contains(field)) {
                  throw new InvalidRequestException(
                      "%s has the field '%s', which is not known. Known are: %s."
                          .formatted(
                              what, field, String.join(", ", allowed.stream().sorted().toList())));
                }
              });
    }

    InvalidRequestException missing(String field) {
      return new InvalidRequestException("%s has no %s.".formatted(what, field));
    }

    InvalidRequestException wrong(String field, String right) {
      JsonNode value = json.get(field);
      String shown = value == null ? "not there" : value.toString();
      return new InvalidRequestException(
          "%s of %s is %s; it must be %s."
              .formatted(
                  field, what, shown.length() > 60 ? shown.substring(0, 60) + "…" : shown, right));
    }

    void allow(String field, boolean allowedHere, String with) {
      if (json.has(field) && !allowedHere) {
        throw new InvalidRequestException(
            "%s of %s goes only with %s.".formatted(field, what, with));
      }
    }

    Optional<String> text(String field) {
      JsonNode value = json.get(field);
      if (value == null) {
        return Optional.empty();
      }
      if (!value.isTextual()) {
        throw wrong(field, "a text");
      }
      return Optional.of(value.textValue());
    }

    OptionalInt integer(String field) {
      JsonNode value = json.get(field);
      if (value == null) {
        return OptionalInt.empty();
      }
      if (!value.isInt()) {
        throw wrong(field, "a whole number");
      }
      return OptionalInt.of(value.intValue());
    }

    Optional<Duration> duration(String field) {
      try {
        return text(field).map(DurationText::parse);
      } catch (IllegalArgumentException e) {
        throw wrong(field, "a number with its unit: 500ms, 20s, 1m30s, 2h or 1d");
      }
    }

    Iterable<JsonNode> list(String field) {
      JsonNode value = json.get(field);
      if (value == null) {
        return List.of();
      }
      if (!value.isArray()) {
        throw wrong(field, "a list");
      }
      return value;
    }
  }
}
