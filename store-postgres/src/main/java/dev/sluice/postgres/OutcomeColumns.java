package dev.sluice.postgres;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.Group;
import dev.sluice.spi.JobOutcome;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Turns outcomes into one SQL array per column. The numbers of the verdicts are those of {@code
 * finish} in the migrations.
 */
record OutcomeColumns(Connection connection, List<JobOutcome> outcomes) {
  private static final short REFILED = -1;
  private static final short RETRY = 0;
  private static final short SNOOZED = 1;
  private static final short HANDED_BACK = 2;
  private static final short SUCCEEDED = 3;
  private static final short FAILED = 4;
  private static final short CANCELLED = 5;

  /** Whether any outcome makes a job ready for someone else. */
  static boolean anyReturned(List<JobOutcome> outcomes) {
    for (JobOutcome outcome : outcomes) {
      if (verdict(outcome) <= HANDED_BACK && delay(outcome).isZero()) {
        return true;
      }
    }
    return false;
  }

  Array ids() throws SQLException {
    return column(SqlArray.UUID, JobOutcome::id);
  }

  Array tokens() throws SQLException {
    return column(SqlArray.INT8, JobOutcome::token);
  }

  Array verdicts() throws SQLException {
    return column(SqlArray.INT2, OutcomeColumns::verdict);
  }

  Array delays() throws SQLException {
    return column(SqlArray.INT8, outcome -> delay(outcome).toMillis());
  }

  Array durations() throws SQLException {
    return column(
        SqlArray.INT8,
        outcome ->
            verdict(outcome) == CANCELLED && outcome.ran().isZero()
                ? null
                : outcome.ran().toMillis());
  }

  Array results() throws SQLException {
    return column(SqlArray.TEXT, OutcomeColumns::result);
  }

  private static String result(JobOutcome outcome) {
    if (outcome.verdict() instanceof JobOutcome.Refiled refiled) {
      return refiled.groups().stream().map(Group::toString).collect(Collectors.joining("\n"));
    }
    return outcome.verdict() instanceof JobOutcome.Succeeded done
        ? done.result().orElse(null)
        : null;
  }

  Array failures() throws SQLException {
    return column(SqlArray.JSONB, OutcomeColumns::failure);
  }

  private Array column(SqlArray type, Function<JobOutcome, Object> value) throws SQLException {
    return type.of(connection, outcomes, value);
  }

  private static short verdict(JobOutcome outcome) {
    JobOutcome.Verdict verdict = outcome.verdict();
    if (verdict instanceof JobOutcome.Succeeded) {
      return SUCCEEDED;
    } else if (verdict instanceof JobOutcome.Failed) {
      return FAILED;
    } else if (verdict instanceof JobOutcome.Retry) {
      return RETRY;
    } else if (verdict instanceof JobOutcome.Cancelled) {
      return CANCELLED;
    } else if (verdict instanceof JobOutcome.Snoozed) {
      return SNOOZED;
    }
    return verdict instanceof JobOutcome.Refiled ? REFILED : HANDED_BACK;
  }

  private static Duration delay(JobOutcome outcome) {
    if (outcome.verdict() instanceof JobOutcome.Retry retry) {
      return retry.delay();
    }
    return outcome.verdict() instanceof JobOutcome.Snoozed snoozed
        ? snoozed.delay()
        : Duration.ZERO;
  }

  /** Attempt and time are filled in by the server. */
  private static String failure(JobOutcome outcome) {
    JobOutcome.Failure failure = null;
    if (outcome.verdict() instanceof JobOutcome.Failed failed) {
      failure = failed.failure();
    } else if (outcome.verdict() instanceof JobOutcome.Retry retry) {
      failure = retry.failure();
    }
    if (failure == null) {
      return null;
    }
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("type", storable(failure.type()));
    json.put("message", storable(failure.message()));
    json.put("stackTrace", storable(failure.stackTrace()));
    return json.toString();
  }

  /** PostgreSQL's jsonb cannot hold NUL or half a surrogate pair; an error message may. */
  private static String storable(String text) {
    return text == null
        ? ""
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
            .replace('\u0000', '\uFFFD');
  }
}
