package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.HeldSlot;
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

/**
 * The rows that {@code exchange} answers with, sorted by kind; the kinds are those of the type
 * {@code answer}.
 */
final class ExchangeRows {
  /** Names of groups hold no such character. */
  private static final char MARK = '*';

  final Set<UUID> accepted = new HashSet<>();

  /** Those of the accepted that are on record as cancelled. */
  final Set<UUID> cancelled = new HashSet<>();

  final List<ClaimedJob> jobs = new ArrayList<>();
  final List<HeldSlot> slots = new ArrayList<>();

  /** Submit-side limits that claimed jobs brought along and nobody has set yet. */
  final Map<String, Integer> proposals = new HashMap<>();

  /** Tasks of which many jobs had to be read past. */
  final Set<String> passedOver = new HashSet<>();

  /** Where the claim ended, in each lane of which it left nothing for the next. */
  final List<String> ends = new ArrayList<>();

  /** Groups of which slots were given back, and that jobs of any task may be waiting for. */
  final Set<String> shared = new HashSet<>();

  /** Groups for which jobs have to be called back that others had locked. */
  final Set<String> leftBehind = new HashSet<>();

  /** Full groups that kept due jobs from the worker. */
  final Set<String> full = new HashSet<>();

  /** There may be more to find at once. */
  boolean more;

  boolean stale;
  boolean lost;

  /** The exchange is of another epoch than the worker's row, and changed nothing. */
  boolean outOfStep;

  Duration nextDue;

  Void add(ResultSet row) throws SQLException {
    switch (row.getString("kind")) {
      case "a" -> {
        accepted.add(row.getObject("id", UUID.class));
        if (row.getBoolean("counted")) {
          cancelled.add(row.getObject("id", UUID.class));
        }
      }
      case "j" -> jobs.add(job(row));
      case "s" ->
          slots.add(
              new HeldSlot(
                  row.getString("group_name"), row.getInt("number"), row.getLong("token")));
      case "p" -> proposals.put(row.getString("group_name"), row.getInt("number"));
      case "x" -> passedOver.add(row.getString("task"));
      case "e" -> ends.add(LinePositions.read(row));
      case "m" -> {
        more = true;
        nextDue = Duration.ZERO;
      }
      case "f" -> full.add(row.getString("group_name"));
      case "w" -> shared.add(row.getString("group_name"));
      case "b" -> leftBehind.add(row.getString("group_name"));
      case "d" -> nextDue = nextDue == null ? Duration.ofMillis(row.getInt("number")) : nextDue;
      case "r" -> stale = true;
      case "o" -> outOfStep = true;
      default -> lost = true;
    }
    return null;
  }

  private static ClaimedJob.Bond bond(String[] marked) {
    List<String> gates = new ArrayList<>(marked.length);
    List<String> others = List.of();
    boolean refiled = false;
    for (String group : marked) {
      if (group.charAt(0) != MARK) {
        gates.add(group);
      } else if (group.length() == 1) {
        refiled = true;
      } else {
        others = others.isEmpty() ? new ArrayList<>() : others;
        others.add(group.substring(1));
      }
    }
    return new ClaimedJob.Bond(gates, others, refiled);
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
            Duration.ofMillis(row.getInt("number")),
            Optional.ofNullable(row.getString("group_name"))),
        bond((String[]) row.getArray("gates").getArray()),
        row.getString("payload"));
  }
}
