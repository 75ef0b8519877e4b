-- Runs of workflows, and schedules, as documents: what is in their texts concerns their writers alone; the other columns are what the store
-- itself looks at. A document is replaced by its version alone, so two writers never both succeed.

-- The charter is what does not change while a run goes on. It is large, and an update that leaves it alone does not write it
-- again: it lies out of line.
CREATE TABLE run (
  id uuid PRIMARY KEY,
  type text COLLATE "C" NOT NULL,
  state text NOT NULL,
  live boolean NOT NULL,
  version bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attention_at timestamptz,                   -- when a tick should look, if nothing has happened by then
  content text NOT NULL,
  charter_name text NOT NULL,
  charter text NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX run_to_attend ON run (attention_at) WHERE live AND attention_at IS NOT NULL;
CREATE INDEX run_to_list ON run (type, id);
CREATE INDEX run_to_purge ON run (updated_at) WHERE NOT live;

-- Versions of schedules come from one sequence, so none is ever used again for a name.
CREATE SEQUENCE schedule_version;

CREATE TABLE schedule (
  name text COLLATE "C" PRIMARY KEY,
  text text NOT NULL,
  next timestamptz,                           -- when it is due; NULL = never
  version bigint NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

CREATE INDEX schedule_due ON schedule (next) WHERE next IS NOT NULL;
