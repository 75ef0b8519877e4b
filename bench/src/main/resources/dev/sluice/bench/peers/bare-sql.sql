-- The least a job table can be.
CREATE TABLE job (
  id uuid PRIMARY KEY,
  task text NOT NULL,
  state smallint NOT NULL,                    -- 1 ready, 2 claimed
  priority integer NOT NULL,
  run_at timestamptz NOT NULL,
  payload json NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX job_to_claim ON job (priority, run_at, id) WHERE state = 1;

CREATE TABLE finished_job (
  id uuid PRIMARY KEY,
  task text NOT NULL,
  priority integer NOT NULL,
  run_at timestamptz NOT NULL,
  payload json NOT NULL,
  finished_at timestamptz NOT NULL
);
