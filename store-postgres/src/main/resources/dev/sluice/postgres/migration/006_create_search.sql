-- The search: the best ready jobs of the lines that a claim looks at, locked.
--
-- A line is what the index job_to_claim has in order: the ready jobs of a lane, a shard and a queue. A search starts at the front of a
-- line, or at a place in it. Jobs that were claimed a moment ago are still in the index, dead or about to be, at its very
-- front: in a busy store every claim would read past thousands of them. A worker therefore goes on from where its last claim
-- ended, for half a second. Then it starts at the front again, and so it does when it found too few (see
-- dev.sluice.postgres.LinePositions).
--
-- Shards keep workers apart. Jobs in further groups are divided among eight shards by the first of these, and workers divide the shards
-- (shards_to_claim, in the claim): so they rarely meet at a key.

-- A place in a line: that of the last job that a claim found there. It holds for all queues.
CREATE TYPE place_in_line AS (
  lane text,
  shard smallint,
  priority integer,
  run_at timestamptz,
  id uuid,
  since timestamptz        -- when the line was last searched from its front
);

-- A line to search, and the place at which the search starts.
CREATE TYPE job_line AS (
  lane text,
  shard smallint,
  queue text,
  most integer,            -- how many of its jobs may be taken
  priority integer,
  run_at timestamptz,
  id uuid,
  since timestamptz
);

-- What a worker could take on. Tasks are the keys of objects: of a thousand of them, one is found in ten comparisons. The
-- server takes longer to read such an object from text than for the claim, so the worker names the exceptions only, and the
-- exchange completes them with what the worker's row says.
CREATE TYPE demand AS (
  rules bigint,            -- the version of the limits that the worker works by
  queues text[],
  jobs integer,            -- how many, of all tasks together
  rooms jsonb,             -- the tasks with room for fewer, and for how many; completed: all tasks that have any
  tight boolean,           -- whether any of these has room, and for fewer
  depth integer,           -- how many to fetch ahead behind each slot; 0: to start at once
  depths jsonb,            -- the tasks for which that is another number
  spare_groups text[],     -- hot groups of which slots are lent to the worker ...
  spares integer[],        -- ... and how many more jobs fit under these
  after place_in_line[],   -- where in which lane to start
  tell boolean,            -- whether to look for groups that keep jobs away, ...
  front boolean,           -- ... and, every second or two, for tasks and full groups of which the jobs stay in front of others,
  highest_token bigint,    -- which the worker has seen
  vain boolean,            -- whether its latest looks were all in vain: jobs of full groups stay in its way
  limited jsonb,           -- completed: the tasks that have a limit,
  lanes text[],            -- a lane,
  hot text[],              -- and a group that is hot;
  turns text[]             -- and groups of which a slot is the worker's to take: it was offered one, or has its turn (see the fairness)
);

-- How many jobs of a task to fetch ahead behind each slot.
CREATE FUNCTION depth_of(p_task text, p_depths jsonb, p_depth integer) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce((p_depths -> p_task)::integer, p_depth) $$;

-- Completes a demand with what the worker's row says.
CREATE FUNCTION completed(p_worker uuid, p_demand demand) RETURNS demand
${plpgsql} AS $$
DECLARE
  v record;
BEGIN
  SELECT (ARRAY[w.rooms])[1] AS rooms, (ARRAY[w.limited])[1] AS limited, w.lanes, w.hot, w.rules_seen INTO v FROM worker w WHERE w.id = p_worker;
  IF v.rules_seen <> p_demand.rules THEN
    p_demand.rules := 0;                          -- what the row says is of another version: the demand is stale
  END IF;
  p_demand.rooms := CASE WHEN p_demand.rooms = '{}' THEN v.rooms ELSE
    (v.rooms || p_demand.rooms) - ARRAY(SELECT r.key FROM jsonb_each(p_demand.rooms) AS r WHERE r.value = '0') END;
  p_demand.limited := v.limited;
  p_demand.lanes := v.lanes;
  p_demand.hot := v.hot;
  p_demand.turns := ARRAY(
    SELECT a.group_name FROM ask a WHERE a.worker_id = p_worker AND (a.offered_at IS NOT NULL OR a.turn_ends > clock_timestamp()));
  RETURN p_demand;
END
$$;

-- Makes scheduled jobs ready whose time has come. The time is a query of its own, here and elsewhere, because it is asked
-- once then, and the index finds the jobs that are due; asked for each row it would be read through to its end.
CREATE FUNCTION promote_due(p_batch integer) RETURNS integer
${lookups} AS $$
DECLARE
  v_promoted integer;
BEGIN
  UPDATE job SET state = 1, lane = home_lane(job.task), shard = shard_of(job.groups)
  FROM (
    SELECT d.id
    FROM job d
    WHERE d.state = 0 AND d.run_at <= (SELECT clock_timestamp())
    ORDER BY d.run_at
    LIMIT p_batch
    FOR UPDATE SKIP LOCKED
  ) due
  WHERE job.id = ANY (ARRAY[due.id]);
  GET DIAGNOSTICS v_promoted = ROW_COUNT;
  RETURN v_promoted;
END
$$;

-- Jobs that a claim has found and locked, best first. The place of a locked job in the table does not change, so that is
-- what it goes by.
CREATE TYPE found AS (
  tids tid[],
  lanes text[],
  shards smallint[],
  tasks text[],
  firsts text[],           -- the first of its groups besides its task's own
  grouped boolean,         -- whether any is in such a group
  further boolean          -- whether any is in more of them, or brings a limit along
);

-- The best ready jobs of these lines, so many of each, locked, passing over those that other workers are claiming. Of the
-- open lane, only jobs of tasks that are wanted.
CREATE FUNCTION find(p_lines job_line[], p_counts integer[], p_wanted jsonb) RETURNS found
${scans} AS $$
DECLARE
  v_found found;
BEGIN
  SELECT array_agg(b.tid), array_agg(b.lane), array_agg(b.shard), array_agg(b.task), array_agg(b.first),
         bool_or(b.first IS NOT NULL), bool_or(b.further)
  INTO v_found
  FROM (
    SELECT f.tid, l.lane, l.shard, f.task, f.first, f.further
    FROM unnest(p_lines, p_counts) AS l(lane, shard, queue, most, priority, run_at, id, since, jobs)
    CROSS JOIN LATERAL (
      SELECT j.ctid AS tid, j.task, nullif(j.groups[1], j.task) AS first,
             j.groups[2] IS NOT NULL OR j.limited_group IS NOT NULL AS further, j.priority, j.run_at, j.id
      FROM job j
      WHERE j.state = 1 AND j.lane = l.lane AND j.shard = l.shard AND j.queue = l.queue
        AND (~j.priority, j.run_at, j.id) >= (~l.priority, l.run_at, l.id) AND (j.lane = j.task OR p_wanted ? j.task)
      ORDER BY ~j.priority, j.run_at, j.id
      LIMIT l.jobs
      FOR UPDATE SKIP LOCKED
    ) f
    WHERE l.jobs > 0
    ORDER BY f.priority DESC, f.run_at, f.id
  ) b;
  RETURN v_found;
END
$$;

-- Those of these lines that have jobs, from the first of them on. Of one line alone, the search itself tells.
CREATE FUNCTION with_jobs(p_lines job_line[], p_wanted jsonb) RETURNS job_line[]
${scans} AS $$
BEGIN
  IF cardinality(p_lines) < 2 THEN
    RETURN p_lines;
  END IF;
  RETURN ARRAY(
    SELECT (l.lane, l.shard, l.queue, l.most, f.priority, f.run_at, f.id, l.since)::job_line
    FROM unnest(p_lines) WITH ORDINALITY AS l(lane, shard, queue, most, priority, run_at, id, since, ord)
    CROSS JOIN LATERAL (
      SELECT j.priority, j.run_at, j.id
      FROM job j
      WHERE j.state = 1 AND j.lane = l.lane AND j.shard = l.shard AND j.queue = l.queue
        AND (~j.priority, j.run_at, j.id) >= (~l.priority, l.run_at, l.id) AND (j.lane = j.task OR p_wanted ? j.task)
      ORDER BY ~j.priority, j.run_at, j.id
      LIMIT 1
    ) f
    ORDER BY l.ord);
END
$$;

-- How many of the best p_jobs stand in which line. Of many lines it reads a few jobs each, and more only of those whose jobs so
-- far are all among the best.
CREATE FUNCTION count_best(p_lines job_line[], p_jobs integer, p_wanted jsonb) RETURNS integer[]
${scans} AS $$
DECLARE
  v_quota integer[] := ARRAY(
    SELECT least(l.most, greatest(2 * p_jobs / cardinality(p_lines), least(p_jobs, 16))) FROM unnest(p_lines) AS l);
  v_counts integer[];
  v_more integer[];
BEGIN
  LOOP
    v_counts := ARRAY(
      SELECT count(b.ord)::integer
      FROM generate_subscripts(p_lines, 1) AS l(ord)
      LEFT JOIN (
        SELECT l.ord
        FROM unnest(p_lines, v_quota) WITH ORDINALITY AS l(lane, shard, queue, most, priority, run_at, id, since, jobs, ord)
        CROSS JOIN LATERAL (
          SELECT j.priority, j.run_at, j.id
          FROM job j
          WHERE j.state = 1 AND j.lane = l.lane AND j.shard = l.shard AND j.queue = l.queue
            AND (~j.priority, j.run_at, j.id) >= (~l.priority, l.run_at, l.id) AND (j.lane = j.task OR p_wanted ? j.task)
          ORDER BY ~j.priority, j.run_at, j.id
          LIMIT l.jobs
        ) f
        ORDER BY f.priority DESC, f.run_at, f.id
        LIMIT p_jobs
      ) b ON b.ord = l.ord
      GROUP BY l.ord
      ORDER BY l.ord);
    v_more := ARRAY(
      SELECT CASE WHEN l.jobs = l.quota THEN least(4 * l.quota, (p_lines[l.ord]).most) ELSE l.quota END
      FROM unnest(v_counts, v_quota) WITH ORDINALITY AS l(jobs, quota, ord)
      ORDER BY l.ord);
    EXIT WHEN v_more = v_quota;
    v_quota := v_more;
  END LOOP;
  RETURN v_counts;
END
$$;

-- Locks the best p_jobs of these lines, which have jobs. If there are several, it sees first how many of them stand in which. Mostly the
-- first line is long and the others are short: then it does no harm to lock a few too many.
CREATE FUNCTION search(p_lines job_line[], p_jobs integer, p_wanted jsonb) RETURNS found
${lookups} AS $$
DECLARE
  v_counts integer[];
  v_found found;
BEGIN
  v_counts := ARRAY[least((p_lines[1]).most, p_jobs)];
  IF cardinality(p_lines) > 1 THEN
    v_counts := v_counts || count_best(p_lines[2:], p_jobs / 4 + 1, p_wanted);
    IF (SELECT sum(c) FROM unnest(v_counts[2:]) AS c) > p_jobs / 4 THEN
      v_counts := count_best(p_lines, p_jobs, p_wanted);
    END IF;
  END IF;
  v_found := find(p_lines, v_counts, p_wanted);
  IF cardinality(v_found.tids) > p_jobs THEN
    v_found.tids := v_found.tids[:p_jobs];
    v_found.lanes := v_found.lanes[:p_jobs];
    v_found.shards := v_found.shards[:p_jobs];
    v_found.tasks := v_found.tasks[:p_jobs];
    v_found.firsts := v_found.firsts[:p_jobs];
  END IF;
  RETURN v_found;
END
$$;

