package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CpuClockIT {
  /** Keeps a backend busy for a while: a tenth of a second of CPU time is ten ticks. */
  private static final String WORK =
      """
      DO $$
      DECLARE
        x numeric := 0;
      BEGIN
        FOR i IN 1 .. 1000000 LOOP
          x := x + sqrt(i::numeric);
        END LOOP;
      END $$
      """;

  @BeforeAll
  static void needsLinux() {
    assumeTrue(Files.exists(Path.of("/proc/self/stat")), "there is no /proc");
  }

  @Test
  void workOfAConnection_countsWhileItIsOpenAndAfterItWasClosed() throws SQLException {
    try (BenchServer server = BenchServer.open("embedded:")) {
      CpuClock clock = CpuClock.of(server.endpoint());
      CpuClock.Count count = clock.start();
      long whileOpen;
      try (Connection connection = server.endpoint().connect();
          Statement statement = connection.createStatement()) {
        statement.execute(WORK);
        whileOpen = count.stop(1).nanos().orElseThrow();
      }
      assertThat(whileOpen).as("CPU time of a backend that is there").isPositive();
      assertThat(count.stop(1).nanos().orElseThrow())
          .as("CPU time after its end")
          .isGreaterThanOrEqualTo(whileOpen);
    }
  }

  @Test
  void serverOutOfReach_isUnknown() {
    CpuClock clock = CpuClock.of(new Endpoint("127.0.0.1", 1, "none", "nobody", ""));
    assertThat(clock.start().stop(1).microsPerJob()).isEmpty();
  }
}
