package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.bench.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A store that cannot lend slots: the tables are gone, and empty views stand in for them, so that
 * what looks there now and then, off the path of jobs, finds nothing instead of failing. So do
 * functions that take none, for those that go with the tables.
 */
record NoSlotTables() implements Circumstance {
  private static final String REPLACE =
      """
      CREATE TEMPORARY TABLE kept AS SELECT pg_get_viewdef('sluice.held_slot') AS held_slot;
      DROP VIEW sluice.held_slot;
      DROP TABLE sluice.slot, sluice.slot_group CASCADE;
      CREATE VIEW sluice.slot AS
      SELECT NULL::text COLLATE "C" AS group_name, NULL::integer AS slot, NULL::bigint AS token, NULL::uuid AS worker_id,
             NULL::text AS holder, NULL::text AS holder_worker,
             NULL::timestamptz AS expires_at, NULL::bigint AS lease_ms, NULL::timestamptz AS acquired_at, NULL::tid AS ctid
      WHERE false;
      CREATE VIEW sluice.slot_group AS
      SELECT NULL::text COLLATE "C" AS group_name, NULL::smallint AS n, NULL::integer AS capacity, NULL::integer AS used
      WHERE false;
      CREATE RULE nothing AS ON DELETE TO sluice.slot_group DO INSTEAD NOTHING;
      CREATE RULE nothing AS ON UPDATE TO sluice.slot DO INSTEAD NOTHING;
      CREATE FUNCTION sluice.take_slots(sluice.slot, text[], integer[], integer[])
      RETURNS TABLE (group_name text, slot integer) LANGUAGE sql AS 'SELECT NULL::text, NULL::integer WHERE false';
      CREATE FUNCTION sluice.take_lent(sluice.slot[], boolean DEFAULT false)
      RETURNS text[] LANGUAGE sql AS 'SELECT NULL::text[]';
      DO $$ BEGIN EXECUTE 'CREATE VIEW sluice.held_slot AS ' || (SELECT held_slot FROM kept); END $$;
      """;

  @Override
  public Undo arrange(Sluice sluice, String url) {
    try (Connection connection = Endpoint.parse(url).connect();
        Statement statement = connection.createStatement()) {
      statement.execute(REPLACE);
      return () -> {};
    } catch (SQLException e) {
      throw new StoreUnavailableException(
          "The slot tables could not be put away: " + e.getMessage(), e);
    }
  }
}
