-- Schedules, as documents. What the text says concerns its writers alone. A schedule is replaced by its version
-- alone, so two writers never both succeed; versions come from one sequence, so none is ever used again for a name.
CREATE SEQUENCE schedule_version;

CREATE TABLE schedule (
  name text COLLATE "C" PRIMARY KEY,
  text text NOT NULL,
  next timestamptz,                           -- when it is due; NULL = never
  version bigint NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

CREATE INDEX schedule_due ON schedule (next) WHERE next IS NOT NULL;
