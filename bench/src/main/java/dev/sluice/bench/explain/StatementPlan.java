package dev.sluice.bench.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The plan of one statement that was executed.
 *
 * @param place the function and line it stands in: {@code claim_plain, line 6}
 * @param query its text
 * @param root its outermost node
 * @param millis how long it took, being watched
 */
record StatementPlan(String place, String query, PlanNode root, double millis) {
  /** The place of the statement that a worker sends itself. */
  static final String CALL = "the call";

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Pattern DURATION = Pattern.compile("duration: ([0-9.]+) ms");
  private static final Pattern PLACE =
      Pattern.compile("function \"?(?:\\w+\\.)?(\\w+)\"?[^\\n]*?(?:line (\\d+)[^\\n]*)?(?:\\n|$)");

  /**
   * Reads what auto_explain tells of a statement in JSON.
   *
   * @param message the notice
   * @param context the functions it comes from, innermost first; null for the call itself
   */
  static StatementPlan parse(String message, String context) {
    try {
      JsonNode json = MAPPER.readTree(message.substring(message.indexOf('{')));
      return new StatementPlan(
          place(context),
          json.path("Query Text").asText(),
          new PlanNode(json.path("Plan")),
          millis(message));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("auto_explain gave no JSON: " + message, e);
    }
  }

  private static double millis(String message) {
    Matcher matcher = DURATION.matcher(message);
    return matcher.find() ? Double.parseDouble(matcher.group(1)) : 0;
  }

  private static String place(String context) {
    Matcher matcher = PLACE.matcher(context == null ? "" : context);
    if (!matcher.find()) {
      return CALL;
    }
    return matcher.group(2) == null
        ? matcher.group(1)
        : matcher.group(1) + ", line " + matcher.group(2);
  }

  /** How many rows it read from tables. */
  long rowsRead() {
    return root.all().mapToLong(PlanNode::rowsRead).sum();
  }

  /** Whether it has to do with a table at all. */
  boolean touchesTables() {
    return root.all().anyMatch(node -> node.relation().isPresent());
  }

  /** What it read: {@code job by job_to_claim: 200, queue by queue_pkey: 0}. */
  String reads() {
    Map<String, Long> reads = new LinkedHashMap<>();
    root.all()
        .filter(PlanNode::isScan)
        .forEach(node -> reads.merge(source(node), node.rowsRead(), Long::sum));
    return reads.entrySet().stream()
        .map(read -> "%s: %,d".formatted(read.getKey(), read.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String source(PlanNode node) {
    String relation = node.relation().orElseThrow();
    return node.index()
        .map(index -> relation + " by " + index)
        .orElse(relation + " (" + node.type() + ")");
  }
}
