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
import java.util.TreeSet;
import java.util.UUID;

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
  private static final int GROUPS = 8;
  private static final int SLOTS = 9;
  private static final int REFILED = 10;
  private static final int PAYLOAD = 11;
  private static final int TRACE = 12;
  private static final int WAITED_MS = 13;

  private static final ObjectMapper JSON = new ObjectMapper();

  final List<ClaimedJob> jobs = new ArrayList<>();
  private final OwnTasks tasks;
  private JsonNode news = JSON.createObjectNode();

  ExchangeAnswer(OwnTasks tasks) {
    this.tasks = tasks;
  }

  Void add(ResultSet row) throws SQLException {
    String said = row.getString(NEWS);
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

  private ClaimedJob job(ResultSet row) throws SQLException {
    String task = row.getString(TASK);
    long timeout = row.getLong(TIMEOUT_MS);
    Optional<Duration> bound =
        row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(timeout));
    return new ClaimedJob(
        row.getObject(ID, UUID.class),
        row.getLong(TOKEN),
        tasks.names().get(task),
        new ClaimedJob.Run(
            row.getInt(ATTEMPT),
            row.getBoolean(COUNTED),
            bound,
            Duration.ofMillis(row.getInt(WAITED_MS)),
            Optional.ofNullable(row.getString(TRACE))),
        bond(task, row),
        row.getString(PAYLOAD));
  }

  /** All its groups in which it names no slot are among the others until the news is known. */
  private static ClaimedJob.Bond bond(String task, ResultSet row) throws SQLException {
    String[] groups = texts(row.getArray(GROUPS));
    List<NamedSlot> named = named(task, groups, row.getArray(SLOTS));
    List<String> others = List.of();
    for (String group : groups) {
      if (!isNamed(named, group)) {
        others = with(others, group);
      }
    }
    return new ClaimedJob.Bond(List.of(), named, others, row.getBoolean(REFILED), List.of());
  }

  /** The slots that have a number: the first is that of the task's own group. */
  private static List<NamedSlot> named(String task, String[] groups, Array numbers)
      throws SQLException {
    if (numbers == null) {
      return List.of();
    }
    Integer[] slots = (Integer[]) numbers.getArray();
    List<NamedSlot> named = List.of();
    for (int place = 0; place < slots.length; place++) {
      if (slots[place] != null) {
        named = with(named, new NamedSlot(place == 0 ? task : groups[place - 1], slots[place]));
      }
    }
    return named;
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

  private static boolean isNamed(List<NamedSlot> named, String group) {
    for (NamedSlot slot : named) {
      if (slot.group().equals(group)) {
        return true;
      }
    }
    return false;
  }

  /** The same job behind those of these gates that are groups of its own. */
  private ClaimedJob behind(Set<String> gates, ClaimedJob job) {
    ClaimedJob.Bond bond = job.bond();
    String task = tasks.canonical().get(job.task());
    List<String> own = new ArrayList<>();
    for (String gate : gates) {
      if (gate.equals(task) || bond.others().contains(gate)) {
        own.add(gate);
      }
    }
    List<String> others = bond.others();
    if (!others.isEmpty()) {
      others = new ArrayList<>(others);
      others.removeAll(own);
    }
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
