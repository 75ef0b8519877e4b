package dev.sluice.bench.explain;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A node of a plan that was executed, as {@code EXPLAIN (ANALYZE, FORMAT JSON)} tells it. */
record PlanNode(JsonNode json) {
  private static final String SEQUENTIAL = "Seq Scan";

  /** What it does: {@code Index Scan}, {@code Limit}. */
  String type() {
    return json.path("Node Type").asText();
  }

  /** The table it reads or changes. */
  Optional<String> relation() {
    return text("Relation Name");
  }

  /** The index it reads. */
  Optional<String> index() {
    return text("Index Name");
  }

  /** Whether it reads rows of a table. */
  boolean isScan() {
    return relation().isPresent() && type().endsWith("Scan");
  }

  /** Whether it reads a table from one end to the other. */
  boolean isSequential() {
    return type().equals(SEQUENTIAL);
  }

  /** How often it was executed. */
  long loops() {
    return number("Actual Loops");
  }

  /** How many rows came out of it, of all executions together. */
  long rows() {
    return Math.round(json.path("Actual Rows").asDouble() * loops());
  }

  /** How many rows it read and threw away. */
  long removed() {
    return loops() * (number("Rows Removed by Filter") + number("Rows Removed by Index Recheck"));
  }

  /** How many rows of its table it read; zero if it reads no table. */
  long rowsRead() {
    return isScan() ? rows() + removed() : 0;
  }

  /** How many pages it and what is below it touched. */
  long pages() {
    return number("Shared Hit Blocks") + number("Shared Read Blocks");
  }

  /** The nodes right below. */
  List<PlanNode> children() {
    List<PlanNode> children = new ArrayList<>();
    json.path("Plans").forEach(child -> children.add(new PlanNode(child)));
    return children;
  }

  /** This node and all below it. */
  Stream<PlanNode> all() {
    return Stream.concat(Stream.of(this), children().stream().flatMap(PlanNode::all));
  }

  /** What remains of it without numbers: node types, tables and indexes, nested. */
  String shape() {
    StringBuilder shape = new StringBuilder(type());
    text("Operation").ifPresent(operation -> shape.append(' ').append(operation));
    relation().ifPresent(relation -> shape.append(" on ").append(relation));
    index().ifPresent(index -> shape.append(" by ").append(index));
    children().forEach(child -> shape.append(" (").append(child.shape()).append(')'));
    return shape.toString();
  }

  /** A property that only some nodes have. */
  Optional<String> text(String key) {
    return json.hasNonNull(key) ? Optional.of(json.get(key).asText()) : Optional.empty();
  }

  long number(String key) {
    return json.path(key).asLong();
  }
}
