-- The tables. Everything lives in one schema; nothing outside it is touched.
--
-- The functions that follow carry planner settings. The tables change faster than their statistics, so a plan must not depend on how many
-- rows are believed to be there: on the hot path every access is by index, every join looks up one row for each of a bounded list, and
-- plans are made once. Functions that join lists with lists say so themselves.
--
-- Such a lookup reads "key = ANY (ARRAY[given.key])". With a plain "=" the planner might turn the join around and read
-- the whole table for the list: a good plan when it is made while the table is empty, and a terrible one ever after.
--
-- Names of tasks and groups are stored in their canonical, escaped form (see dev.sluice.Group). Columns of names have the
-- collation C, whatever the database's is: they are compared as bytes, which is quick, and sorted so everywhere. Parameters
-- and variables have the database's, which gives way to a column's; a list of them that must be in the order of others
-- names the collation itself.

-- One row: the version of the limits, which grows whenever a limit changes that workers must hear of; and when an audit
-- for all was last begun.
CREATE TABLE meta (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  store_id uuid NOT NULL DEFAULT gen_random_uuid(),   -- tells this store from others under the same name
  rules_version bigint NOT NULL DEFAULT 1,
  heat_above integer NOT NULL DEFAULT 64,             -- claimed jobs that a look may meet, or too many, before a group gets hot; 0: with its limit
  audited_at timestamptz
);
INSERT INTO meta DEFAULT VALUES;

-- Fencing tokens: one for all that an exchange claims, and one per permit; they only grow. See raise_tokens, in the slots.
CREATE SEQUENCE token CACHE 1;

-- Whether a job was ever submitted that is in a group besides its task's own: as long as none was, claims have one shard to look at.
-- A sequence that was called once, because calling it locks nothing and waits for no commit.
CREATE SEQUENCE further_groups;

-- Unfinished jobs. A ready job stands in a lane:
--   ''     jobs of all tasks
--   TASK   jobs of a task whose jobs were in the way of others (limit_rule.lane)
--   *GROUP jobs set aside because that group is full; a freed slot calls them back
-- Canonical names hold no '*', so the lanes of tasks and those of full groups never meet.
--
-- In a lane, it stands in a shard: 0 if it is in no group besides its task's own, and else one of 1 to 8, by the first of
-- these. Jobs that are set aside are in shard 0. See the search.
--
-- A claimed job names the slots it has in those of its limited groups that are cold: see the limits.
CREATE TABLE job (
  id uuid PRIMARY KEY,
  task text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  state smallint NOT NULL,                    -- 0 scheduled, 1 ready, 2 claimed
  priority integer NOT NULL,
  run_at timestamptz NOT NULL,
  groups text[] COLLATE "C" NOT NULL,         -- besides the task's own
  limited_group text COLLATE "C",             -- the group a submit-side limit is for ...
  submit_limit integer,                       -- ... and that limit
  refiled boolean NOT NULL DEFAULT false,     -- a worker found it in other groups than its task declares, and put it in these
  attempt integer NOT NULL DEFAULT 0,         -- attempts started
  token bigint NOT NULL DEFAULT 0,            -- of the latest claim
  worker_id uuid,                             -- the worker that has it while it is claimed; else the one that last had it, or none
  slots integer[],                            -- named while claimed: [1] of its task's own group, [2] to [5] of groups[1] to [4]
  started_at timestamptz,                     -- empty while a claimed job is still in its worker's buffer; set with the claim if it starts at once
  cancel_requested boolean NOT NULL DEFAULT false,
  dedupe_key text COLLATE "C",
  run_id uuid,                                -- the workflow run it is a step of
  timeout_ms bigint,
  submitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload json NOT NULL,
  failures jsonb NOT NULL DEFAULT '[]',
  progress text,
  held_back_by text COLLATE "C",              -- the limited group that was last found full in front of it
  trace text                                  -- handed to the handler
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Best first: a higher priority has a lower complement.
CREATE INDEX job_to_claim ON job (lane, shard, queue, (~priority), run_at, id) WHERE state = 1;
CREATE INDEX job_to_promote ON job (run_at) WHERE state = 0;
CREATE INDEX job_to_cancel ON job (worker_id) WHERE cancel_requested;
CREATE INDEX job_set_aside ON job (task) WHERE state = 1 AND lane <> '' AND lane <> task;
CREATE INDEX job_in_group_1 ON job ((groups[1]), state, lane) WHERE state < 2 AND groups[1] IS NOT NULL;
CREATE INDEX job_in_group_2 ON job ((groups[2]), state, lane) WHERE state < 2 AND groups[2] IS NOT NULL;
CREATE INDEX job_in_group_3 ON job ((groups[3]), state, lane) WHERE state < 2 AND groups[3] IS NOT NULL;
CREATE INDEX job_in_group_4 ON job ((groups[4]), state, lane) WHERE state < 2 AND groups[4] IS NOT NULL;
-- Claimed jobs, by their task in the order of their claims: a new entry comes behind all others of its task, which is cheap. The token orders
-- them so, and nothing else goes by it. Only what names a task may use this index (see claimed_job): a lookup by a group has one index to
-- choose, that of the group. With two, a plan that was made while they were empty may read all of the wrong one.
CREATE INDEX job_claimed ON job (task, token) WHERE state = 2 AND task IS NOT NULL;
-- Most jobs with further groups have one, and many keys: a new entry in a tree, between entries of jobs that have ended, costs several
-- times as much as one in a hash index. That serves nothing but lookups of a group.
CREATE INDEX job_claimed_in_group_1 ON job USING hash ((groups[1])) WHERE state = 2 AND groups[1] IS NOT NULL;
CREATE INDEX job_claimed_in_group_2 ON job ((groups[2])) WHERE state = 2 AND groups[2] IS NOT NULL;
CREATE INDEX job_claimed_in_group_3 ON job ((groups[3])) WHERE state = 2 AND groups[3] IS NOT NULL;
CREATE INDEX job_claimed_in_group_4 ON job ((groups[4])) WHERE state = 2 AND groups[4] IS NOT NULL;
CREATE UNIQUE INDEX job_dedupe ON job (task, dedupe_key) WHERE dedupe_key IS NOT NULL;

-- Every claimed job. The comparison has the server see that job_claimed has them all.
CREATE VIEW claimed_job AS
SELECT * FROM job WHERE state = 2 AND task >= '';

-- Every unfinished job by each of its groups besides its task's own, with the slot that it names there, and where that stands.
CREATE VIEW job_in_group AS
SELECT groups[1] AS group_name, 2 AS place, slots[2] AS slot, job.* FROM job WHERE groups[1] IS NOT NULL
UNION ALL SELECT groups[2], 3, slots[3], job.* FROM job WHERE groups[2] IS NOT NULL
UNION ALL SELECT groups[3], 4, slots[4], job.* FROM job WHERE groups[3] IS NOT NULL
UNION ALL SELECT groups[4], 5, slots[5], job.* FROM job WHERE groups[4] IS NOT NULL;

-- Finished jobs, kept for the retention time, without the columns of use to unfinished ones alone. States: 3 succeeded, 4 failed, 5 cancelled.
CREATE TABLE finished_job (LIKE job, finished_at timestamptz NOT NULL, result json, PRIMARY KEY (id));
ALTER TABLE finished_job DROP lane, DROP shard, DROP refiled, DROP slots, DROP cancel_requested;
CREATE INDEX finished_job_to_purge ON finished_job USING brin (finished_at);
-- What operators look for among a million that went well. Those that did are not in it and pay nothing for it.
CREATE INDEX finished_job_to_list ON finished_job (id) WHERE state <> 3;

-- Workers. One row renews everything its worker holds: jobs and slots live as long as expires_at says.
CREATE TABLE worker (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  queues text[] COLLATE "C" NOT NULL,
  tasks text[] COLLATE "C" NOT NULL,
  limit_names text[] COLLATE "C" NOT NULL,    -- what its tasks declare in code ...
  limit_values integer[] NOT NULL,
  lease_ms bigint NOT NULL,
  granted_ms bigint NOT NULL,                 -- how long the latest renewal, or signing on, was good for ...
  expires_at timestamptz NOT NULL,            -- ... and hence until when
  renewal bigint NOT NULL DEFAULT 0,          -- the number of the latest renewal: a late one changes nothing
  epoch bigint NOT NULL DEFAULT 0,            -- the number of the latest reconcile: see worker_lock
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  waiting_for text[] COLLATE "C",             -- found too little to do, and wants to be woken for jobs of these tasks
  rules_seen bigint NOT NULL DEFAULT 0,       -- the version of the limits it works by; by that version, of its tasks ...
  limited jsonb NOT NULL DEFAULT '{}',        -- ... those that have a limit, as keys,
  lanes text[] COLLATE "C" NOT NULL DEFAULT '{}',   -- those that have a lane,
  hot text[] COLLATE "C" NOT NULL DEFAULT '{}',     -- and those whose group is hot
  rooms jsonb NOT NULL,                       -- its tasks as keys, each with room for more jobs than a claim is ever for
  bulletin text                               -- what it last said about itself; out of line, so that renewing does not copy it
) WITH (fillfactor = 50, toast_tuple_target = 256);
-- Not compressed: a claim looks into them for every job, and each look would have to decompress them.
ALTER TABLE worker ALTER rooms SET STORAGE EXTERNAL, ALTER limited SET STORAGE EXTERNAL;

-- What each worker last said that it has: see attest, in the workers, and unlisted, in the audit.
CREATE TABLE attested (
  worker_id uuid PRIMARY KEY,
  epoch bigint NOT NULL,                      -- the worker's, and ...
  rules bigint NOT NULL,                      -- ... the version of the limits, by which it holds
  token bigint NOT NULL,                      -- claims and slots with a higher one came later
  jobs uuid[] NOT NULL, tokens bigint[] NOT NULL,
  groups text[] COLLATE "C" NOT NULL, slots integer[] NOT NULL, slot_tokens bigint[] NOT NULL
);

-- The stored limit of each group or family, one column per level, strongest first.
CREATE TABLE limit_rule (
  name text COLLATE "C" PRIMARY KEY,
  operator integer CHECK (operator >= 0),
  config integer CHECK (config >= 0),
  code integer CHECK (code >= 0),
  submit integer CHECK (submit >= 0),
  lane boolean NOT NULL DEFAULT false,        -- the jobs of the task of this name stand in a lane of their own
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_token bigint NOT NULL DEFAULT nextval('token')   -- claims and slots with a higher one came after the change
);
CREATE INDEX limit_rule_held ON limit_rule (name) WHERE operator = 0 OR config = 0 OR code = 0 OR submit = 0;

-- Where the payloads of a task have the values of a dimension: a JSON pointer by the family of the dimension. Only processes
-- evaluate them, and only while the family has a limit.
CREATE TABLE pointer (
  family text COLLATE "C" PRIMARY KEY,
  pointer text NOT NULL
);

-- The log of changed limits: which, when and by which user, at the levels operator and config. Pruned, but for the latest change of each limit.
CREATE TABLE limit_change (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  level text COLLATE "C" NOT NULL,
  before integer,
  after integer,
  by text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX limit_change_of ON limit_change (name, level, id);

-- The places of a hot group, spread over at most 50 rows so that claimers rarely meet: slot s is counted in row
-- s % 50. The capacities sum to exactly the limit; used is the number of rows in slot, and can be recounted from them.
-- A row was last full from full_since to full_until, or is since then; the group was when all its rows were.
CREATE TABLE slot_group (
  group_name text COLLATE "C" NOT NULL,
  n smallint NOT NULL,
  capacity integer NOT NULL CHECK (capacity >= 0),
  used integer NOT NULL CHECK (used >= 0),
  full_since timestamptz,
  full_until timestamptz,
  PRIMARY KEY (group_name, n)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- The slots that are lent: those of hot groups to a worker, for the jobs it runs, and those of any group to a permit.
CREATE TABLE slot (
  group_name text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  token bigint NOT NULL,
  worker_id uuid,                             -- held by this worker, as long as its lease lasts
  holder text,                                -- or by a permit: its holder,
  holder_worker text,                         -- the process that has it,
  expires_at timestamptz,                     -- its own lease,
  lease_ms bigint,                            -- and how long that was when it was taken or last extended
  acquired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (group_name, slot),
  CHECK ((worker_id IS NULL) = (expires_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX slot_to_expire ON slot (expires_at) WHERE expires_at IS NOT NULL;

-- Every slot that is held: lent, or named by a claimed job (a row for each job that names it).
CREATE VIEW held_slot AS
SELECT group_name, slot, token, worker_id FROM slot
UNION ALL
SELECT g.name, j.slots[g.place], j.token, j.worker_id
FROM claimed_job j
CROSS JOIN LATERAL unnest(j.task || j.groups) WITH ORDINALITY AS g(name, place)
WHERE j.slots[g.place] IS NOT NULL;

-- Queues that were ever paused.
CREATE TABLE queue (
  name text COLLATE "C" PRIMARY KEY,
  paused boolean NOT NULL
);
