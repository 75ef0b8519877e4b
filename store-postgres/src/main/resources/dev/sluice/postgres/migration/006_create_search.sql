-- The search: the best ready jobs of the lines that a claim looks at, locked.

-- Where a claim ended in a lane, or in a shard of it: the place in line of the last job it found there.
CREATE TYPE place_in_line AS (
  lane text,
  shard integer,           -- NULL: the whole lane
  priority integer,
  run_at timestamptz,
  id uuid
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
  tell boolean,            -- whether to look for what kept jobs away
  highest_token bigint,    -- which the worker has seen
  limited jsonb,           -- completed: the tasks that have a limit,
  lanes text[],            -- a lane,
  hot text[]               -- and a group that is hot
);

-- How many jobs of a task to fetch ahead behind each slot.
CREATE FUNCTION depth_of(p_task text, p_depths jsonb, p_depth integer) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT coalesce((p_depths -> p_task)::integer, p_depth) $$;

-- Completes a demand with what the worker's row says.
CREATE FUNCTION completed(p_worker uuid, p_demand demand) RETURNS demand
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v record;
BEGIN
  SELECT w.rooms, w.limited, w.lanes, w.hot, w.rules_seen INTO v FROM worker w WHERE w.id = p_worker;
  IF v.rules_seen <> p_demand.rules THEN
    p_demand.rules := 0;                          -- what the row says is of another version: the demand is stale
  END IF;
  p_demand.rooms := CASE WHEN p_demand.rooms = '{}' THEN v.rooms ELSE
    (v.rooms || p_demand.rooms) - ARRAY(SELECT r.key FROM jsonb_each(p_demand.rooms) AS r WHERE r.value = '0') END;
  p_demand.limited := v.limited;
  p_demand.lanes := v.lanes;
  p_demand.hot := v.hot;
  RETURN p_demand;
END
$$;

-- Makes scheduled jobs ready whose time has come. The time is a query of its own, here and elsewhere, because it is asked
-- once then, and the index finds the jobs that are due; asked for each row it would be read through to its end.
CREATE FUNCTION promote_due(p_batch integer) RETURNS integer
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_promoted integer;
BEGIN
  UPDATE job SET state = 1, lane = home_lane(job.task, job.groups, job.limited_group)
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
  tasks text[],
  firsts text[],           -- the first of its groups besides its task's own ...
  slots integer[],         -- ... and the slot in it, where that is decided (admit_keys, in the admission)
  further boolean          -- whether any is in more groups, or brings a limit along
);

-- Lines of ready jobs: of a lane and a queue, all or those of a shard, and how many jobs of each may be taken.
CREATE TYPE lines AS (lanes text[], queues text[], shards integer[], allow integer[]);

-- The best ready jobs of these lines, so many of each, locked, passing over those that other workers are claiming. Of the
-- open lanes, only jobs of tasks that are wanted.
--
-- Shards. The jobs of a lane are divided by their first further group into sixteen shards, which an index of its own has in
-- order. Workers that keep to different shards meet neither at jobs nor at keys. A search in a shard always starts at a place.
--
-- Places. Where p_after has a place in the line, the search starts behind it and keeps to its priority. Jobs that were
-- claimed a moment ago are still in the index, dead or about to be, at its very front: in a busy store every claim would read
-- past thousands of them. A worker therefore goes on from where its last claim ended, and looks at the whole lane again when
-- it found too few there, and several times a second (see dev.sluice.postgres.LinePositions).
CREATE FUNCTION find(p_lines lines, p_counts integer[], p_wanted jsonb, p_after place_in_line[]) RETURNS found
LANGUAGE plpgsql
${scans}
AS $$
DECLARE
  v_found found;
BEGIN
  SELECT array_agg(b.tid), array_agg(b.lane), array_agg(b.task), array_agg(nullif(b.first, b.task)), NULL, bool_or(b.further)
  INTO v_found
  FROM (
    SELECT f.tid, f.lane, f.task, f.first, f.further
    FROM unnest(p_lines.lanes, p_lines.queues, p_lines.shards, p_counts) AS l(lane, queue, shard, jobs)
    LEFT JOIN unnest(p_after) AS a ON a.lane = l.lane AND a.shard IS NOT DISTINCT FROM l.shard
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT j.ctid AS tid, j.lane, j.task, j.groups[1] AS first,
               j.groups[2] IS NOT NULL OR j.limited_group IS NOT NULL AS further, j.priority, j.run_at, j.id
        FROM job j
        WHERE l.shard IS NULL AND a.id IS NULL
          AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR p_wanted ? j.task)
        ORDER BY j.priority DESC, j.run_at, j.id
        LIMIT l.jobs
        FOR UPDATE SKIP LOCKED) from_the_front
      UNION ALL
      SELECT * FROM (
        SELECT j.ctid AS tid, j.lane, j.task, j.groups[1] AS first,
               j.groups[2] IS NOT NULL OR j.limited_group IS NOT NULL AS further, j.priority, j.run_at, j.id
        FROM job j
        WHERE l.shard IS NULL AND a.id IS NOT NULL
          AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR p_wanted ? j.task)
          AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
        ORDER BY j.run_at, j.id
        LIMIT l.jobs
        FOR UPDATE SKIP LOCKED) from_the_place
      UNION ALL
      SELECT * FROM (
        SELECT j.ctid AS tid, j.lane, j.task, j.groups[1] AS first,
               j.groups[2] IS NOT NULL OR j.limited_group IS NOT NULL AS further, j.priority, j.run_at, j.id
        FROM job j
        WHERE l.shard IS NOT NULL
          AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR p_wanted ? j.task)
          AND j.lane > '' AND (hashtext(coalesce(j.groups[1], '')) & 15) = l.shard
          AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
        ORDER BY j.run_at, j.id
        LIMIT l.jobs
        FOR UPDATE SKIP LOCKED) from_the_place_in_the_shard
    ) f
    ORDER BY f.priority DESC, f.run_at, f.id
  ) b;
  RETURN v_found;
END
$$;

-- How many of the best p_jobs stand in which line, up to as many as that line allows. Of many lines it reads a few jobs
-- each, and more only of those whose jobs so far are all among the best.
CREATE FUNCTION count_best(p_lines lines, p_jobs integer, p_wanted jsonb, p_after place_in_line[]) RETURNS integer[]
LANGUAGE plpgsql
${scans}
AS $$
DECLARE
  v_quota integer[] := ARRAY(
    SELECT least(l.allow, greatest(2 * p_jobs / cardinality(p_lines.allow), 8))
    FROM unnest(p_lines.allow) WITH ORDINALITY AS l(allow, ord)
    ORDER BY l.ord);
  v_counts integer[];
  v_more integer[];
BEGIN
  LOOP
    v_counts := ARRAY(
      WITH best AS (
        SELECT l.ord
        FROM unnest(p_lines.lanes, p_lines.queues, p_lines.shards, v_quota) WITH ORDINALITY AS l(lane, queue, shard, jobs, ord)
        LEFT JOIN unnest(p_after) AS a ON a.lane = l.lane AND a.shard IS NOT DISTINCT FROM l.shard
        CROSS JOIN LATERAL (
          SELECT * FROM (
            SELECT j.id, j.priority, j.run_at
            FROM job j
            WHERE l.shard IS NULL AND a.id IS NULL
              AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR p_wanted ? j.task)
            ORDER BY j.priority DESC, j.run_at, j.id
            LIMIT l.jobs) from_the_front
          UNION ALL
          SELECT * FROM (
            SELECT j.id, j.priority, j.run_at
            FROM job j
            WHERE l.shard IS NULL AND a.id IS NOT NULL
              AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR p_wanted ? j.task)
              AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
            ORDER BY j.run_at, j.id
            LIMIT l.jobs) from_the_place
          UNION ALL
          SELECT * FROM (
            SELECT j.id, j.priority, j.run_at
            FROM job j
            WHERE l.shard IS NOT NULL
              AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR p_wanted ? j.task)
              AND j.lane > '' AND (hashtext(coalesce(j.groups[1], '')) & 15) = l.shard
              AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
            ORDER BY j.run_at, j.id
            LIMIT l.jobs) from_the_place_in_the_shard
        ) f
        ORDER BY f.priority DESC, f.run_at, f.id
        LIMIT p_jobs
      )
      SELECT coalesce(c.jobs, 0)::integer
      FROM generate_subscripts(p_lines.lanes, 1) AS l(ord)
      LEFT JOIN (SELECT ord, count(*) AS jobs FROM best GROUP BY ord) c ON c.ord = l.ord
      ORDER BY l.ord);
    v_more := ARRAY(
      SELECT CASE WHEN l.jobs = l.quota THEN least(4 * l.quota, l.allow) ELSE l.quota END
      FROM unnest(v_counts, v_quota, p_lines.allow) WITH ORDINALITY AS l(jobs, quota, allow, ord)
      ORDER BY l.ord);
    EXIT WHEN v_more = v_quota;
    v_quota := v_more;
  END LOOP;
  RETURN v_counts;
END
$$;

-- The best of these jobs, so many.
CREATE FUNCTION best_of(p_found found, p_jobs integer) RETURNS found
LANGUAGE sql IMMUTABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT (p_found.tids[:p_jobs], p_found.lanes[:p_jobs], p_found.tasks[:p_jobs], p_found.firsts[:p_jobs], NULL, p_found.further)::found
$$;

-- Where a claim ended that found these jobs, but for lanes that ran out of jobs. In lanes where it kept to a shard, in that
-- shard. Of other lanes where most jobs are in further groups, the next claims keep to a shard: it ended at the same place in
-- each. And in those that are left, unless it left jobs there for the next claim. Asked before the jobs are taken: they have
-- another place in the table then.
CREATE FUNCTION ends_of(p_found found, p_ran_out text[], p_left_lanes text[], p_sharded_lanes text[], p_shard integer)
RETURNS place_in_line[]
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN ARRAY(
    SELECT (j.lane, s.shard, j.priority, j.run_at, j.id)::place_in_line
    FROM (
      SELECT f.lane, max(f.ord)::integer AS ord,
             f.lane = ANY (p_sharded_lanes) AS sharded, f.lane <> '' AND 2 * count(f.first) > count(*) AS keyed
      FROM unnest(p_found.lanes, p_found.firsts) WITH ORDINALITY AS f(lane, first, ord)
      WHERE f.lane <> ALL (p_ran_out)
      GROUP BY f.lane
    ) l
    CROSS JOIN LATERAL (
      SELECT p_shard WHERE l.sharded
      UNION ALL
      SELECT shard FROM generate_series(0, 15) AS shard WHERE NOT l.sharded AND l.keyed
      UNION ALL
      SELECT NULL WHERE NOT l.sharded AND NOT l.keyed AND (l.lane = ANY (p_left_lanes)) IS NOT TRUE
    ) AS s(shard)
    JOIN job j ON j.ctid = p_found.tids[l.ord]);
END
$$;
