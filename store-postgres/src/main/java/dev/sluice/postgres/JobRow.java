package dev.sluice.postgres;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Group;
import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads a row of the view {@code job_info}. */
final class JobRow {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JobRow() {}

  static JobInfo read(ResultSet row) throws SQLException {
    Group task = Group.parse(row.getString("task"));
    List<Group> groups = new ArrayList<>(List.of(task));
    for (String group : (String[]) row.getArray("groups").getArray()) {
      groups.add(Group.parse(group));
    }
    JobInfo.Schedule schedule =
        new JobInfo.Schedule(
            Database.instant(row, "submitted_at"),
            Database.instant(row, "run_at"),
            Optional.ofNullable(row.getObject("timeout_ms", Long.class)).map(Duration::ofMillis),
            Optional.ofNullable(row.getString("dedupe_key")));
    return new JobInfo(
        row.getObject("id", UUID.class),
        new JobInfo.Spec(
            task.plainName(),
            row.getString("queue"),
            row.getInt("priority"),
            List.copyOf(groups),
            schedule,
            row.getString("payload")),
        JobState.valueOf(row.getString("state")),
        new JobInfo.Progress(
            row.getInt("attempt"),
            Optional.ofNullable(row.getString("worker_id")),
            Optional.ofNullable(Database.instant(row, "started_at")),
            Optional.ofNullable(row.getString("progress")),
            row.getBoolean("cancel_requested"),
            Optional.ofNullable(row.getString("held_back_by")).map(Group::parse)),
        new JobInfo.Outcome(
            Optional.ofNullable(Database.instant(row, "finished_at")),
            Optional.ofNullable(row.getString("result"))),
        failures(row.getString("failures")));
  }

  private static List<JobFailure> failures(String json) throws SQLException {
    try {
      List<JobFailure> failures = new ArrayList<>();
      for (JsonNode failure : MAPPER.readTree(json)) {
        failures.add(
            new JobFailure(
                failure.path("attempt").asInt(),
                OffsetDateTime.parse(failure.path("at").asText()).toInstant(),
                failure.path("type").asText(),
                failure.path("message").asText(),
                failure.path("stackTrace").asText()));
      }
      return List.copyOf(failures);
    } catch (JsonProcessingException e) {
      throw new SQLException("the failures of a job are not readable", "22000", e);
    }
  }
}
