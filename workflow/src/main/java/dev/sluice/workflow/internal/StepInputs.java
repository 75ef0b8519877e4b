package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepWork;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What steps get: the JSON of their definition with its references replaced. Lists that steps go
 * over are kept for a while, because every tick that starts some of their elements needs them.
 */
final class StepInputs {
  private static final int CACHED_LISTS = 16;

  private final StepResults results;
  private final Map<String, JsonNode> lists =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, JsonNode> eldest) {
              return size() > CACHED_LISTS;
            }
          });

  StepInputs(StepResults results) {
    this.results = results;
  }

  /** Inputs of one run, as of one tick: each result is read once. */
  Tick of(LoadedRun run) {
    return new Tick(run);
  }

  final class Tick {
    private final LoadedRun run;
    private final Map<String, JsonNode> known = new HashMap<>();

    private Tick(LoadedRun run) {
      this.run = run;
    }

    /**
     * The list that a step goes over.
     *
     * @throws InvalidRequestException if it is none
     */
    JsonNode list(int index) {
      StepDefinition step = run.graph().step(index);
      String key = run.id() + "/" + run.step(index).number();
      JsonNode list = lists.get(key);
      if (list == null) {
        list = resolve(((StepWork.Each) step.work()).over(), Optional.empty());
        if (list.isTextual() && list.textValue().strip().startsWith("[")) {
          // What a shell command prints is a text, also if it is JSON.
          list = parse(list.textValue());
        }
        if (!list.isArray()) {
          throw new InvalidRequestException(
              "what it goes over is no list but %s"
                  .formatted(list.getNodeType().name().toLowerCase(Locale.ROOT)));
        }
        lists.put(key, list);
      }
      return list;
    }

    private static JsonNode parse(String text) {
      try {
        return Charter.tree(text);
      } catch (StoreIncompatibleException e) {
        throw new InvalidRequestException(
            "what it goes over begins like a list, and is none: " + e.getMessage(), e);
      }
    }

    /** What a step's job, or that of one of its elements, gets. */
    JsonNode payload(int index, int item) {
      return run.graph()
          .step(index)
          .input()
          .map(input -> value(index, item, input))
          .orElseGet(() -> element(index, item).orElse(run.charter().input()));
    }

    /** This JSON of a step's definition with its references replaced. */
    JsonNode value(int index, int item, JsonNode json) {
      return resolve(json, element(index, item));
    }

    private Optional<JsonNode> element(int index, int item) {
      return run.graph().step(index).work() instanceof StepWork.Each
          ? Optional.of(list(index).path(item))
          : Optional.empty();
    }

    JsonNode resolve(JsonNode json, Optional<JsonNode> element) {
      return Refs.resolve(
          json,
          (kind, name) ->
              switch (kind) {
                case "$input" -> run.charter().input();
                case "$item" -> element.orElse(NullNode.getInstance());
                default ->
                    known.computeIfAbsent(name, step -> results.of(run, run.graph().indexOf(step)));
              });
    }
  }
}
