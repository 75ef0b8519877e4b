package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.scenario.Scenarios;
import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void list_namesEveryScenario() {
    assertThat(run("list")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(Scenarios.all().stream().map(Scenario::name).toList());
  }

  @Test
  void unknownScenario_isAUsageErrorWithSuggestions() {
    assertThat(run("latency-ilde")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("There is no scenario 'latency-ilde'", "latency-idle");
  }

  @Test
  void nothingNamed_isAUsageError() {
    assertThat(run()).isEqualTo(2);
  }

  @Test
  void noRounds_isAUsageError() {
    assertThat(run("submit-one", "--runs=0")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("--runs is at least 1");
  }

  private int run(String... arguments) {
    return BenchMain.run(Console.plain(out, err), arguments);
  }
}
