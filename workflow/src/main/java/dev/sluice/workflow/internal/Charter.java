package dev.sluice.workflow.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.tick.WorkflowGraph;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What does not change while a run goes on. It holds the definition itself, and those of the
 * workflows it runs, so that any process can tick any run.
 *
 * @param graph the definition
 * @param others the definitions of the workflows its steps run, and of those theirs run
 * @param input what the run was started with
 * @param parent the run that began it
 */
public record Charter(
    WorkflowGraph graph, List<WorkflowDefinition> others, JsonNode input, Optional<UUID> parent) {
  private static final ObjectMapper MAPPER = JsonMapper.builder().build();

  WorkflowDefinition definition() {
    return graph.definition();
  }

  /** All definitions in it, that of the run first. */
  public List<WorkflowDefinition> all() {
    List<WorkflowDefinition> all = new ArrayList<>(List.of(definition()));
    all.addAll(others);
    return all;
  }

  Optional<WorkflowDefinition> other(String type) {
    return others.stream().filter(other -> other.type().equals(type)).findFirst();
  }

  /** The charter of a run that this one begins. */
  Charter child(WorkflowDefinition child, JsonNode childInput, UUID run) {
    List<WorkflowDefinition> below = new ArrayList<>(others);
    below.remove(child);
    return new Charter(new WorkflowGraph(child), List.copyOf(below), childInput, Optional.of(run));
  }

  Charter with(WorkflowDefinition next, List<WorkflowDefinition> itsChildren) {
    return new Charter(new WorkflowGraph(next), itsChildren, input, parent);
  }

  String write() {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", 1);
    json.set("definition", tree(definition().toJson()));
    if (!others.isEmpty()) {
      ArrayNode all = json.putArray("others");
      others.forEach(other -> all.add(tree(other.toJson())));
    }
    json.set("input", input);
    parent.ifPresent(run -> json.put("parent", run.toString()));
    return json.toString();
  }

  static String nameOf(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  static Charter read(UUID run, String text) {
    JsonNode json = tree(text);
    if (!json.has("definition") || json.path("format").asInt() > 1) {
      throw new StoreIncompatibleException(
          "The charter of run %s is not one this version of Sluice can read.".formatted(run));
    }
    List<WorkflowDefinition> others = new ArrayList<>();
    json.path("others").forEach(other -> others.add(WorkflowDefinition.parse(other.toString())));
    return new Charter(
        new WorkflowGraph(WorkflowDefinition.parse(json.get("definition").toString())),
        List.copyOf(others),
        json.has("input") ? json.get("input") : NullNode.getInstance(),
        Optional.ofNullable(json.get("parent")).map(id -> UUID.fromString(id.textValue())));
  }

  static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new StoreIncompatibleException("Not JSON: " + e.getOriginalMessage(), e);
    }
  }
}
