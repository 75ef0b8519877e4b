package dev.sluice.object.state;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.object.state.Asks.Ask;
import dev.sluice.object.state.Asks.Reservation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Asks and reservations in a control object, as JSON; left out while there are none. */
final class AskDocuments {
  private AskDocuments() {}

  static void write(JsonGenerator json, Asks asks, Map<String, Integer> numbers)
      throws IOException {
    if (!asks.byGroup().isEmpty()) {
      json.writeObjectFieldStart("asks");
      for (Map.Entry<String, List<Ask>> group : new TreeMap<>(asks.byGroup()).entrySet()) {
        json.writeArrayFieldStart(group.getKey());
        for (Ask ask : group.getValue()) {
          json.writeStartArray();
          json.writeNumber(numbers.get(ask.worker()));
          json.writeNumber(ask.since());
          json.writeNumber(ask.offeredAt());
          json.writeEndArray();
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    if (!asks.reservations().isEmpty()) {
      json.writeArrayFieldStart("kept");
      for (Reservation kept : asks.reservations()) {
        json.writeStartArray();
        json.writeNumber(kept.job().segment());
        json.writeNumber(kept.job().index());
        json.writeNumber(kept.priority());
        json.writeNumber(numbers.get(kept.worker()));
        json.writeNumber(kept.since());
        json.writeNumber(kept.offeredAt());
        json.writeNumber(kept.until());
        json.writeNumber(kept.times());
        for (String group : kept.groups()) {
          json.writeString(group);
        }
        json.writeEndArray();
      }
      json.writeEndArray();
    }
  }

  static Asks read(JsonNode json, List<String> ids) {
    Map<String, List<Ask>> byGroup = new HashMap<>();
    json.path("asks")
        .properties()
        .forEach(
            group -> {
              List<Ask> asks = new ArrayList<>();
              for (JsonNode ask : group.getValue()) {
                asks.add(
                    new Ask(
                        ids.get(ask.get(0).intValue()),
                        ask.get(1).longValue(),
                        ask.get(2).longValue()));
              }
              byGroup.put(group.getKey(), asks);
            });
    List<Reservation> reservations = new ArrayList<>();
    for (JsonNode kept : json.path("kept")) {
      List<String> groups = new ArrayList<>();
      for (int i = 8; i < kept.size(); i++) {
        groups.add(kept.get(i).textValue());
      }
      reservations.add(
          new Reservation(
              new JobPlace(kept.get(0).longValue(), kept.get(1).intValue()),
              kept.get(2).intValue(),
              groups,
              ids.get(kept.get(3).intValue()),
              kept.get(4).longValue(),
              kept.get(5).longValue(),
              kept.get(6).longValue(),
              kept.get(7).intValue()));
    }
    return new Asks(byGroup, reservations);
  }
}
