package dev.sluice.postgres;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.Group;
import dev.sluice.spi.JobOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Turns outcomes into one SQL array per column. The numbers of the verdicts are those of {@code
 * finish} in the migrations.
 */
final class OutcomeColumns {
  private static final short REFILED = -1;
  private static final short RETRY = 0;
  private static final short SNOOZED = 1;
  private static final short HANDED_BACK = 2;
  private static final short SUCCEEDED = 3;
  private static final short FAILED = 4;
  private static final short CANCELLED = 5;

  private OutcomeColumns() {}

  /** What the verdict of an outcome comes to. */
  private record Row(
      JobOutcome outcome,
      short verdict,
      Duration delay,
      String result,
      JobOutcome.Failure failure) {
    static Row of(JobOutcome outcome) {
      JobOutcome.Verdict verdict = outcome.verdict();
      if (verdict instanceof JobOutcome.Succeeded done) {
        return new Row(outcome, SUCCEEDED, Duration.ZERO, done.result().orElse(null), null);
      } else if (verdict instanceof JobOutcome.Failed failed) {
        return new Row(outcome, FAILED, Duration.ZERO, null, failed.failure());
      } else if (verdict instanceof JobOutcome.Retry retry) {
        return new Row(outcome, RETRY, retry.delay(), null, retry.failure());
      } else if (verdict instanceof JobOutcome.Snoozed snoozed) {
        return new Row(outcome, SNOOZED, snoozed.delay(), null, null);
      } else if (verdict instanceof JobOutcome.Refiled refiled) {
        String groups =
            refiled.groups().stream().map(Group::toString).collect(Collectors.joining("\n"));
        return new Row(outcome, REFILED, Duration.ZERO, groups, null);
      }
      short left = verdict instanceof JobOutcome.Cancelled ? CANCELLED : HANDED_BACK;
      return new Row(outcome, left, Duration.ZERO, null, null);
    }

    /** Nothing if the attempt never started. */
    Long ranMillis() {
      return verdict == CANCELLED && outcome.ran().isZero() ? null : outcome.ran().toMillis();
    }

    /** Attempt and time are filled in by the server. */
    String failureJson() {
      if (failure == null) {
        return null;
      }
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      json.put("type", storable(failure.type()));
      json.put("message", storable(failure.message()));
      json.put("stackTrace", storable(failure.stackTrace()));
      return json.toString();
    }
  }

  /** The first columns of the type {@code report}. */
  static List<Object> of(List<JobOutcome> outcomes) {
    List<Row> rows = outcomes.stream().map(Row::of).toList();
    return List.of(
        SqlArray.UUID.of(rows, row -> row.outcome.id()),
        SqlArray.INT8.of(rows, row -> row.outcome.token()),
        SqlArray.INT2.of(rows, Row::verdict),
        SqlArray.INT8.of(rows, row -> row.delay.toMillis()),
        SqlArray.INT8.of(rows, Row::ranMillis),
        SqlArray.TEXT.of(rows, Row::result),
        SqlArray.JSONB.of(rows, Row::failureJson));
  }

  /** Whether any outcome makes a job ready for another worker, now. */
  static boolean anyReturned(List<JobOutcome> outcomes) {
    return outcomes.stream()
        .map(Row::of)
        .anyMatch(row -> row.verdict <= HANDED_BACK && row.delay.isZero());
  }

  /** PostgreSQL's jsonb cannot hold NUL or half a surrogate pair; an error message may. */
  private static String storable(String text) {
    return text == null
        ? ""
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
            .replace('\u0000', '\uFFFD');
  }
}
