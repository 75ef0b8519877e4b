package dev.sluice.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.Standing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What {@code reconcile} answers: what the worker holds, and the limits it works by. */
final class ReconcileAnswer {
  private final JsonNode said;

  ReconcileAnswer(String json) {
    this.said = ExchangeAnswer.parse(json);
  }

  /** Another reconcile has overtaken this one, and nothing was changed. */
  boolean isLate() {
    return said.path("late").asBoolean();
  }

  long rulesVersion() {
    return said.get("version").longValue();
  }

  Standing standing() {
    Map<UUID, Standing.Held> jobs = new HashMap<>();
    said.get("jobs")
        .properties()
        .forEach(job -> jobs.put(UUID.fromString(job.getKey()), held(job.getValue())));
    List<HeldSlot> slots =
        ExchangeAnswer.list(
            said.get("slots"),
            slot ->
                new HeldSlot(
                    slot.get(0).textValue(), slot.get(1).intValue(), slot.get(2).longValue()));
    return new Standing(jobs, slots, new HashSet<>(texts(said.get("draining"))));
  }

  private static Standing.Held held(JsonNode job) {
    List<ClaimedJob.NamedSlot> slots = new ArrayList<>();
    job.get("named")
        .properties()
        .forEach(
            slot -> slots.add(new ClaimedJob.NamedSlot(slot.getKey(), slot.getValue().intValue())));
    return new Standing.Held(texts(job.get("gates")), slots);
  }

  private static List<String> texts(JsonNode array) {
    return ExchangeAnswer.list(array, JsonNode::textValue).stream().distinct().toList();
  }
}
