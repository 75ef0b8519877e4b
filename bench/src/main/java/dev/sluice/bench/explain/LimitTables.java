package dev.sluice.bench.explain;

import dev.sluice.bench.server.Endpoint;

/**
 * The tables of the limits, out of a schema for a while: whoever needs one of them meanwhile fails.
 * They are back when this is closed, so that the workers of the schema can sign off.
 */
final class LimitTables implements AutoCloseable {
  private static final String ELSEWHERE = "elsewhere";

  private final Endpoint endpoint;
  private final String schema;

  private LimitTables(Endpoint endpoint, String schema) {
    this.endpoint = endpoint;
    this.schema = schema;
  }

  /** Takes them out of this schema. */
  static LimitTables remove(Endpoint endpoint, String schema) {
    LimitTables tables = new LimitTables(endpoint, schema);
    Sql.execute(endpoint, "CREATE SCHEMA " + ELSEWHERE);
    tables.move(schema, ELSEWHERE);
    return tables;
  }

  @Override
  public void close() {
    move(ELSEWHERE, schema);
    Sql.execute(endpoint, "DROP SCHEMA " + ELSEWHERE);
  }

  private void move(String from, String to) {
    PlanCheck.OF_LIMITS.forEach(
        table ->
            Sql.execute(endpoint, "ALTER TABLE %s.%s SET SCHEMA %s".formatted(from, table, to)));
  }
}
