package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The demo as users run it, in real processes. */
class DemoIT {
  @Test
  void demo_fewSeconds_provesThatTheLimitsHeld() throws Exception {
    Run run = Program.run(TestStore.with(DemoIT.class, "--json", "demo", "--for", "4s"));
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).containsPattern("Dashboard: http://127\\.0\\.0\\.1:\\d+/");
    JsonNode summary = new ObjectMapper().readTree(run.out());
    assertThat(summary.get("every_limit_held").asBoolean()).isTrue();
    assertThat(summary.get("done").asInt()).isGreaterThan(50);
    assertThat(summary.get("groups"))
        .hasSize(7)
        .allSatisfy(group -> assertThat(group.get("peak").asInt()).isPositive());
  }

  @Test
  void demo_interrupted_endsWithTheSummary() throws Exception {
    try (Program demo = Program.start(TestStore.with(DemoIT.class, "demo", "--for", "10m"))) {
      await().atMost(Duration.ofMinutes(2)).until(() -> demo.err().contains("of 10m 0s: "));
      String dashboard = demo.err().replaceAll("(?s).*Dashboard: (\\S+).*", "$1");
      assertThat(Http.get(dashboard + "api/v1/overview")).contains("\"counts\"");
      demo.signal("INT");
      Run run = demo.await();
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).contains("PEAK", "Every limit held.");
    }
  }
}
