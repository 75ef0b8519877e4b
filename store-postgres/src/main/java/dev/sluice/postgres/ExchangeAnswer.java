package dev.sluice.postgres;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Group;
import dev.sluice.SluiceException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import dev.sluice.spi.HeldSlot;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What {@code exchange} answers: rows of the type {@code answer}, one for each claimed job, and one
 * with the news. The names of the news are explained where that type is made.
 */
final class ExchangeAnswer {
  private static final ObjectMapper JSON = new ObjectMapper();

  final List<ClaimedJob> jobs = new ArrayList<>();
  private JsonNode news = JSON.createObjectNode();

  Void add(ResultSet row) throws SQLException {
    String said = row.getString("news");
    if (said == null) {
      jobs.add(job(row));
    } else {
      news = parse(said);
      Set<String> gates = new TreeSet<>(names("gates"));
      if (!gates.isEmpty()) {
        jobs.replaceAll(job -> behind(gates, job));
      }
    }
    return null;
  }

  static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new SluiceException("The store's answer is no JSON: " + json, e);
    }
  }

  /** Whether something is so, by its name. */
  boolean says(String name) {
    return news.path(name).asBoolean();
  }

  /** Names of groups or tasks. */
  Set<String> names(String name) {
    Set<String> names = new HashSet<>();
    news.path(name).forEach(element -> names.add(element.textValue()));
    return names;
  }

  /** Ids of jobs. */
  Set<UUID> ids(String name) {
    Set<UUID> ids = new HashSet<>();
    news.path(name).forEach(element -> ids.add(UUID.fromString(element.textValue())));
    return ids;
  }

  /** Limits that claimed jobs bring along and that are not set yet, by group. */
  Map<String, Integer> proposed() {
    Map<String, Integer> limits = new HashMap<>();
    news.path("proposed")
        .properties()
        .forEach(limit -> limits.put(limit.getKey(), limit.getValue().intValue()));
    return limits;
  }

  /** Slots that are lent to the worker from now on. */
  List<HeldSlot> lent() {
    List<HeldSlot> slots = new ArrayList<>();
    long token = news.path("token").longValue();
    news.path("lent")
        .forEach(
            slot ->
                slots.add(new HeldSlot(slot.get(0).textValue(), slot.get(1).intValue(), token)));
    return slots;
  }

  /** Where the claim ended, in each lane or shard of one where the next claim may go on. */
  List<String> ends() {
    List<String> ends = new ArrayList<>();
    news.path("ends").forEach(end -> ends.add(end.textValue()));
    return ends;
  }

  /** Until the next scheduled job is due. */
  Optional<Duration> due() {
    return news.has("due_ms")
        ? Optional.of(Duration.ofMillis(news.get("due_ms").longValue()))
        : Optional.empty();
  }

  private static ClaimedJob job(ResultSet row) throws SQLException {
    long timeout = row.getLong("timeout_ms");
    Optional<Duration> bound =
        row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(timeout));
    return new ClaimedJob(
        row.getObject("id", UUID.class),
        row.getLong("token"),
        Group.parse(row.getString("task")).plainName(),
        new ClaimedJob.Run(
            row.getInt("attempt"),
            row.getBoolean("counted"),
            bound,
            Duration.ofMillis(row.getInt("waited_ms")),
            Optional.ofNullable(row.getString("trace"))),
        bond(row),
        row.getString("payload"));
  }

  /** All its groups in which it names no slot are among the others until the news is known. */
  private static ClaimedJob.Bond bond(ResultSet row) throws SQLException {
    String[] groups = texts(row.getArray("groups"));
    Array numbers = row.getArray("slots");
    List<NamedSlot> named = List.of();
    if (numbers != null) {
      Integer[] slots = (Integer[]) numbers.getArray();
      named = new ArrayList<>(slots.length);
      for (int place = 0; place < slots.length; place++) {
        if (slots[place] != null) {
          named.add(
              new NamedSlot(place == 0 ? row.getString("task") : groups[place - 1], slots[place]));
        }
      }
    }
    List<String> others = groups.length == 0 ? List.of() : new ArrayList<>();
    for (String group : groups) {
      if (named.stream().noneMatch(slot -> slot.group().equals(group))) {
        others.add(group);
      }
    }
    return new ClaimedJob.Bond(List.of(), named, others, row.getBoolean("refiled"), List.of());
  }

  /** The same job behind those of these gates that are groups of its own. */
  private static ClaimedJob behind(Set<String> gates, ClaimedJob job) {
    ClaimedJob.Bond bond = job.bond();
    String task = Group.of(job.task()).toString();
    List<String> own =
        gates.stream().filter(gate -> gate.equals(task) || bond.others().contains(gate)).toList();
    List<String> others = bond.others().stream().filter(group -> !own.contains(group)).toList();
    return new ClaimedJob(
        job.id(),
        job.token(),
        job.task(),
        job.run(),
        new ClaimedJob.Bond(own, bond.named(), others, bond.refiled(), List.of()),
        job.payload());
  }

  private static String[] texts(Array array) throws SQLException {
    return array == null ? new String[0] : (String[]) array.getArray();
  }
}
