package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard and the alert rules in the docs ask for series that exist. */
class GrafanaDashboardTest {
  private static final Path GRAFANA = Path.of("..", "docs", "grafana");
  private static final Pattern NAME = Pattern.compile("sluice_[a-z_]+");

  @Test
  void dashboard_everyExpression_namesMetricsThatAreScraped() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(GRAFANA.resolve("sluice-dashboard.json").toFile());
    assertScraped(String.join("\n", dashboard.findValuesAsText("expr")));
  }

  @Test
  void alerts_everyExpression_namesMetricsThatAreScraped() throws IOException {
    assertScraped(Files.readString(GRAFANA.resolve("alerts.yml")));
  }

  private static void assertScraped(String expressions) {
    Set<String> asked = new TreeSet<>();
    Matcher matcher = NAME.matcher(expressions);
    while (matcher.find()) {
      asked.add(matcher.group().replaceFirst("_(bucket|sum|count)$", ""));
    }
    assertThat(asked).isNotEmpty();
    assertThat(MetricsContract.names()).containsAll(asked);
  }
}
