package dev.sluice.postgres;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.UUID;
import java.util.function.Function;

/**
 * What {@code exchange} answers: rows of the type {@code answer}, one for each claimed job, and one
 * with the news. The names of the news are explained where that type is made.
 */
final class ExchangeAnswer {
  // The places of the columns, as the session selects them: to look for a name in each row costs
  // more than to read what is there.
  private static final int NEWS = 1;
  private static final int ID = 2;
  private static final int TOKEN = 3;
  private static final int TASK = 4;
  private static final int ATTEMPT = 5;
  private static final int COUNTED = 6;
  private static final int TIMEOUT_MS = 7;
  private static final int FIRST_GROUP = 8;
  private static final int OWN_SLOT = 9;
  private static final int FIRST_SLOT = 10;
  private static final int GROUPS = 11;
  private static final int SLOTS = 12;
  private static final int REFILED = 13;
  private static final int PAYLOAD = 14;
  private static final int TRACE = 15;
  private static final int WAITED_MS = 16;

  private static final String[] NO_GROUPS = {};
  private static final Integer[] NO_SLOTS = {};
  private static final ObjectMapper JSON = new ObjectMapper();

  private final OwnTasks tasks;
  private final List<Row> rows = new ArrayList<>();
  private JsonNode news = JSON.createObjectNode();

  ExchangeAnswer(OwnTasks tasks) {
    this.tasks = tasks;
  }

  /** The row of a job; its bond is made when the news is known, which comes last. */
  private record Row(
      UUID id,
      long token,
      String task,
      ClaimedJob.Run run,
      String[] groups,
      Integer[] slots,
      boolean refiled,
      String payload) {}

  Void add(ResultSet row) throws SQLException {
    String said = row.getString(NEWS);
    if (said != null) {
      news = parse(said);
      return null;
    }
    long timeout = row.getLong(TIMEOUT_MS);
    Optional<Duration> bound =
        row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(timeout));
    Array several = row.getArray(GROUPS);
    rows.add(
        new Row(
            row.getObject(ID, UUID.class),
            row.getLong(TOKEN),
            row.getString(TASK),
            new ClaimedJob.Run(
                row.getInt(ATTEMPT),
                row.getBoolean(COUNTED),
                bound,
                Duration.ofMillis(row.getInt(WAITED_MS)),
                Optional.ofNullable(row.getString(TRACE))),
            several == null ? oneGroup(row) : (String[]) several.getArray(),
            several == null ? itsSlots(row) : allSlots(row.getArray(SLOTS)),
            row.getBoolean(REFILED),
            row.getString(PAYLOAD)));
    return null;
  }

  private static String[] oneGroup(ResultSet row) throws SQLException {
    String group = row.getString(FIRST_GROUP);
    return group == null ? NO_GROUPS : new String[] {group};
  }

  private static Integer[] itsSlots(ResultSet row) throws SQLException {
    Integer own = row.getObject(OWN_SLOT, Integer.class);
    Integer first = row.getObject(FIRST_SLOT, Integer.class);
    return own == null && first == null ? NO_SLOTS : new Integer[] {own, first};
  }

  private static Integer[] allSlots(Array slots) throws SQLException {
    return slots == null ? NO_SLOTS : (Integer[]) slots.getArray();
  }

  /** The claimed jobs, best first. */
  List<ClaimedJob> jobs() {
    Set<String> gates = names("gates");
    List<ClaimedJob> jobs = new ArrayList<>(rows.size());
    for (Row row : rows) {
      String task = tasks.names().get(row.task);
      jobs.add(new ClaimedJob(row.id, row.token, task, row.run, bond(row, gates), row.payload));
    }
    return jobs;
  }

  /**
   * A group in which the job names a slot is no gate, and all groups that are neither are others.
   */
  private static ClaimedJob.Bond bond(Row row, Set<String> gates) {
    List<String> behind = List.of();
    List<NamedSlot> named = List.of();
    List<String> others = List.of();
    boolean ownIsLimited = false;
    for (int place = 0; place <= row.groups.length; place++) {
      String group = place == 0 ? row.task : row.groups[place - 1];
      if (place < row.slots.length && row.slots[place] != null) {
        named = with(named, new NamedSlot(group, row.slots[place]));
      } else if (place > 0 && ownIsLimited && group.equals(row.task)) {
        continue; // listed once more
      } else if (gates.contains(group)) {
        behind = with(behind, group);
      } else if (place > 0) {
        others = with(others, group);
      }
      ownIsLimited |= place == 0 && !(behind.isEmpty() && named.isEmpty());
    }
    return new ClaimedJob.Bond(behind, named, others, row.refiled, List.of());
  }

  /** Most jobs have one group or none: lists of them are as small as can be. */
  private static <T> List<T> with(List<T> some, T another) {
    if (some.isEmpty()) {
      return List.of(another);
    }
    List<T> more = new ArrayList<>(some);
    more.add(another);
    return more;
  }

  static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new SluiceException("The store's answer is no JSON: " + json, e);
    }
  }

  /** The elements of an array. */
  static <T> List<T> list(JsonNode array, Function<JsonNode, T> element) {
    List<T> elements = new ArrayList<>(array.size());
    array.forEach(node -> elements.add(element.apply(node)));
    return elements;
  }

  /** Whether something is so, by its name. */
  boolean says(String name) {
    return news.path(name).asBoolean();
  }

  /** Names of groups or tasks. */
  Set<String> names(String name) {
    return new HashSet<>(list(news.path(name), JsonNode::textValue));
  }

  /** Ids of jobs. */
  Set<UUID> ids(String name) {
    return new HashSet<>(list(news.path(name), element -> UUID.fromString(element.textValue())));
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
    long token = news.path("token").longValue();
    return list(
        news.path("lent"),
        slot -> new HeldSlot(slot.get(0).textValue(), slot.get(1).intValue(), token));
  }

  /** Where the claim ended, in each lane or shard of one where the next claim may go on. */
  List<String> ends() {
    return list(news.path("ends"), JsonNode::textValue);
  }

  /** Until the next scheduled job is due. */
  Optional<Duration> due() {
    return news.has("due_ms")
        ? Optional.of(Duration.ofMillis(news.get("due_ms").longValue()))
        : Optional.empty();
  }
}
