package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.throttle.CpuBudget.Sources;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThrottlesTest {
  @TempDir private Path empty;

  @ParameterizedTest(name = "{0} on {1} cores")
  @CsvSource(
      delimiter = '|',
      value = {
        // variables | cores | s3 | http | disk | db
        "'' | 1 | 4 | 4 | 1 | 2",
        "'' | 3 | 6 | 6 | 1 | 3",
        "'' | 8 | 16 | 16 | 1 | 8",
        "GREEDY_PER_JOB=false | 8 | 16 | 16 | 8 | 8",
        "GREEDY_MODE=false | 8 | 16 | 16 | 8 | 8",
        "GREEDY_MODE=0 | 8 | 16 | 16 | 8 | 8",
        "GREEDY_PER_JOB=true GREEDY_MODE=false | 8 | 16 | 16 | 1 | 8",
        "GREEDY_PER_JOB=No GREEDY_MODE=true | 8 | 16 | 16 | 8 | 8",
        "SEMAPHORE_MAX_CONCURRENCY=5 | 8 | 5 | 5 | 1 | 5",
        "SEMAPHORE_MAX_CONCURRENCY=5 GREEDY_MODE=off | 8 | 5 | 5 | 5 | 5",
        "SEMAPHORE_MAX_CONCURRENCY=1 | 8 | 1 | 1 | 1 | 1",
        "SEMAPHORE_MAX_CONCURRENCY=5 DISK_CONCURRENCY=3 | 8 | 5 | 5 | 3 | 5",
        "DISK_CONCURRENCY=3 | 8 | 16 | 16 | 3 | 8",
        "S3_UPLOAD_CONCURRENCY=7 HTTP_CONCURRENCY=9 DB_MAX_INFLIGHT=1 | 8 | 7 | 9 | 1 | 1"
      })
  void limits_ofEnvironment_followThePrecedence(
      String variables, int cores, int s3, int http, int disk, int db) {
    Throttles throttles = throttles(variables, cores);
    assertThat(throttles.s3().limit()).as("s3").isEqualTo(s3);
    assertThat(throttles.http().limit()).as("http").isEqualTo(http);
    assertThat(throttles.disk().limit()).as("disk").isEqualTo(disk);
    assertThat(throttles.db().limit()).as("db").isEqualTo(db);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "S3_UPLOAD_CONCURRENCY",
        "HTTP_CONCURRENCY",
        "DISK_CONCURRENCY",
        "DB_MAX_INFLIGHT",
        "SEMAPHORE_MAX_CONCURRENCY"
      })
  void numbers_thatAreNone_areRefusedByName(String variable) {
    for (String value : new String[] {"", "0", "-3", "many", "2.5", "1e3", "0x10"}) {
      assertThatThrownBy(() -> from(Map.of(variable, value), 4))
          .isInstanceOfSatisfying(
              InvalidSettingException.class, e -> assertThat(e.variable()).isEqualTo(variable))
          .hasMessageStartingWith(variable + " is '" + value + "'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GREEDY_PER_JOB", "GREEDY_MODE"})
  void flags_thatAreNeitherYesNorNo_areRefusedByName(String variable) {
    for (String value : new String[] {"", "2", "maybe", "truee"}) {
      assertThatThrownBy(() -> from(Map.of(variable, value), 4))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith(variable + " is '" + value + "', which is not true or false");
    }
  }

  @Test
  void report_names_whereEachNumberCameFrom() {
    Throttles throttles =
        throttles("HTTP_CONCURRENCY=9 SEMAPHORE_MAX_CONCURRENCY=5 GREEDY_MODE=yes", 3);
    throttles.db().resize(2);
    assertThat(throttles.report())
        .contains(
            new ReportLine("JVM", "3", "Runtime.availableProcessors()"),
            new ReportLine("effective cores", "3", "Runtime.availableProcessors()"),
            new ReportLine("cpu default", "3", "computed: max(1, 3 cores)"),
            new ReportLine("io default", "6", "computed: max(4, 2 × 3 cores)"),
            new ReportLine("greedy", "true", "GREEDY_MODE"),
            new ReportLine("s3", "5", "SEMAPHORE_MAX_CONCURRENCY"),
            new ReportLine("http", "9", "HTTP_CONCURRENCY"),
            new ReportLine("disk", "1", "greedy mode (GREEDY_MODE)"),
            new ReportLine("db", "2", "resized; was 5, SEMAPHORE_MAX_CONCURRENCY"));
  }

  @Test
  void logConfiguration_logs_everyLineOfTheReport() {
    try (CapturedLog log = CapturedLog.of(Throttles.class)) {
      Throttles throttles = throttles("", 3);
      throttles.logConfiguration();
      assertThat(log.lines())
          .hasSameSizeAs(throttles.report())
          .contains(
              "effective cores: 3 (Runtime.availableProcessors())",
              "greedy: true (default; GREEDY_PER_JOB is not set)",
              "s3: 6 (computed: max(4, 2 × 3 cores))",
              "db: 3 (computed: max(2, 3 cores))");
    }
  }

  private Throttles throttles(String variables, int cores) {
    Map<String, String> environment =
        Arrays.stream(variables.split(" "))
            .filter(pair -> !pair.isEmpty())
            .map(pair -> pair.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (a, b) -> b, TreeMap::new));
    return from(environment, cores);
  }

  private Throttles from(Map<String, String> variables, int cores) {
    Environment environment = new Environment(variables);
    return Throttles.from(environment, CpuBudget.detect(new Sources(empty, environment, cores)));
  }
}
