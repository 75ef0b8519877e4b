package dev.sluice.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Alert;
import dev.sluice.server.view.AlertView;
import dev.sluice.server.view.ViewJson;
import java.util.List;

/** Alerts as {@code GET /api/v1/alerts} writes them, for programs that print the same. */
public final class AlertJson {
  private AlertJson() {}

  /** An array, in the order given. */
  public static JsonNode of(List<Alert> alerts) {
    return ViewJson.MAPPER.valueToTree(alerts.stream().map(AlertView::of).toList());
  }
}
