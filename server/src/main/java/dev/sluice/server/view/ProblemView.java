package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import java.util.Map;

/** What went wrong, as RFC 9457 has it; some problems say more under keys of their own. */
public record ProblemView(
    String type,
    String title,
    int status,
    String detail,
    String instance,
    @JsonAnyGetter Map<String, Object> more) {
  /** The content type of problems. */
  public static final String CONTENT_TYPE = "application/problem+json";
}
