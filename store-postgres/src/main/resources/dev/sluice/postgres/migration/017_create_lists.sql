-- What operators look at: jobs a page at a time, places in line, groups in a line each. All of it answers in a bounded
-- time, whatever the number of jobs and groups.

-- The state of a job, as users see it. A job that is due waits if one of its groups is full (p_held).
CREATE FUNCTION state_of(p_state smallint, p_started_at timestamptz, p_run_at timestamptz, p_now timestamptz, p_held boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_state > 2 THEN (ARRAY['SUCCEEDED', 'FAILED', 'CANCELLED'])[p_state - 2]
    WHEN p_state = 2 AND p_started_at IS NOT NULL THEN 'RUNNING'
    WHEN p_state = 0 AND p_run_at > p_now THEN 'SCHEDULED'
    WHEN p_state < 2 AND p_held THEN 'WAITING'
    ELSE 'READY'
  END
$$;

-- Every job on record.
CREATE VIEW job_on_record AS
SELECT
  false AS finished, id, task, queue, priority, run_at, groups, attempt, worker_id, started_at, NULL::timestamptz AS finished_at, dedupe_key,
  timeout_ms, submitted_at, payload, NULL::json AS result, failures, progress, cancel_requested, held_back_by, state AS stage
FROM job
UNION ALL
SELECT
  true, id, task, queue, priority, run_at, groups, attempt, worker_id, started_at, finished_at, dedupe_key,
  timeout_ms, submitted_at, payload, result, failures, progress, false, held_back_by, state
FROM finished_job;

-- The same, as users see them.
CREATE VIEW job_info AS
SELECT r.*, state_of(r.stage, r.started_at, r.run_at, clock_timestamp(),
                     EXISTS (SELECT FROM unnest(r.task || r.groups) AS g WHERE ${schema}.is_full(g))) AS state
FROM job_on_record r;

-- The unfinished jobs of a keyed group, if they are few; else NULL.
CREATE FUNCTION few_in(p_group text, p_few integer) RETURNS uuid[]
STABLE ${lookups} AS $$
DECLARE
  v_ids uuid[] := ARRAY(
    (SELECT id FROM job_in_group WHERE group_name = p_group AND state < 2 LIMIT p_few)
    UNION ALL (SELECT id FROM job_in_group WHERE group_name = p_group AND state = 2 LIMIT p_few)
    LIMIT p_few);
BEGIN
  RETURN CASE WHEN cardinality(v_ids) < p_few THEN v_ids END;
END
$$;

-- Jobs with ids below p_before, and not below p_floor, that match; newest first. Unfinished ones whose state depends on
-- whether their groups are full are told apart together, not one by one.
--
-- Where there is an index, a stretch need not be read: p_claimed says that only jobs with a worker are wanted, p_ids which
-- unfinished ones can match, p_bad that finished ones are wanted only if they did not succeed. Plans are made for the
-- parameters given, so that those not given cost nothing.
CREATE FUNCTION list_jobs(
  p_before uuid, p_floor uuid, p_live boolean, p_finished boolean, p_claimed boolean, p_bad boolean, p_ids uuid[],
  p_task text, p_queue text, p_group text, p_text text, p_states text[], p_limit integer)
RETURNS SETOF job_info
STABLE ${plpgsql} SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  -- Ready is told from waiting only by looking at the groups: then all of the stretch has to be.
  v_told_apart boolean := cardinality(p_states) > 0 AND ('READY' = ANY (p_states)) <> ('WAITING' = ANY (p_states));
  v_states text[] := CASE WHEN v_told_apart THEN p_states || '{READY, WAITING}' ELSE p_states END;
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT r.*
    FROM job_on_record r
    WHERE r.id < p_before AND r.id >= p_floor
      AND CASE WHEN r.finished THEN p_finished AND (NOT p_bad OR r.stage <> 3)
        ELSE p_live AND (NOT p_claimed OR r.id = ANY (ARRAY(SELECT c.id FROM claimed_job c))) AND (p_ids IS NULL OR r.id = ANY (p_ids)) END
      AND (p_task IS NULL OR r.task = p_task) AND (p_queue IS NULL OR r.queue = p_queue)
      AND (p_group IS NULL OR r.task = p_group OR p_group = ANY (r.groups))
      AND (p_text IS NULL OR strpos(r.payload::text, p_text) > 0)
      AND (cardinality(p_states) = 0 OR state_of(r.stage, r.started_at, r.run_at, v_now, true) = ANY (v_states))
    ORDER BY r.id DESC
    LIMIT CASE WHEN v_told_apart THEN NULL ELSE p_limit END
  ), due AS (
    SELECT r.id, g.name FROM found r CROSS JOIN LATERAL unnest(r.task || r.groups) AS g(name)
    WHERE state_of(r.stage, r.started_at, r.run_at, v_now, true) = 'WAITING'
  ), held AS MATERIALIZED (
    SELECT DISTINCT d.id FROM due d JOIN full_among(ARRAY(SELECT DISTINCT name FROM due)) AS f(name) ON f.name = d.name
  ), listed AS (
    SELECT r.*, state_of(r.stage, r.started_at, r.run_at, v_now, h.id IS NOT NULL) AS state FROM found r LEFT JOIN held h ON h.id = r.id
  )
  SELECT * FROM listed l WHERE cardinality(p_states) = 0 OR l.state = ANY (p_states) ORDER BY l.id DESC LIMIT p_limit;
END
$$;

-- Where to end a stretch of so many jobs below p_before, of those that are looked at; NULL = there are fewer.
CREATE FUNCTION floor_of(p_before uuid, p_live boolean, p_finished boolean, p_bad boolean, p_jobs integer) RETURNS uuid
STABLE ${lookups} AS $$
BEGIN
  RETURN greatest(
    (SELECT j.id FROM job j WHERE p_live AND j.id < p_before ORDER BY j.id DESC OFFSET p_jobs - 1 LIMIT 1),
    (SELECT f.id FROM finished_job f WHERE p_finished AND NOT p_bad AND f.id < p_before ORDER BY f.id DESC OFFSET p_jobs - 1 LIMIT 1),
    (SELECT f.id FROM finished_job f
     WHERE p_finished AND p_bad AND f.id < p_before AND f.state <> 3 ORDER BY f.id DESC OFFSET p_jobs - 1 LIMIT 1));
END
$$;

-- How many due jobs that have not started come before this one, counted up to p_most: those in a group; or, without one, those of these
-- tasks that could be claimed from its queue, which are in no full group beside their task's own, and of each limited task no more than
-- its group has places. Some thousands are read in each lane.
CREATE FUNCTION ahead(p_id uuid, p_group text, p_tasks text[], p_most integer) RETURNS integer
STABLE ${lookups} AS $$
DECLARE
  v_job job;
  v_lanes text[];
BEGIN
  SELECT * INTO v_job FROM job WHERE id = p_id;
  v_lanes := CASE
    WHEN is_keyed(p_group) THEN ARRAY['*' || p_group]
    WHEN p_group IS NOT NULL THEN ARRAY['*' || p_group, p_group, '']
    ELSE ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_tasks) AND r.lane) || ''::text END;
  RETURN (
    WITH before AS MATERIALIZED (
      SELECT DISTINCT b.id, b.task, b.groups
      FROM (
        SELECT * FROM (SELECT j.id, j.task, j.queue, j.groups, j.priority, j.run_at FROM job j
          WHERE j.state = 0 AND j.run_at <= (SELECT clock_timestamp()) ORDER BY j.run_at LIMIT 10000) due
        UNION ALL
        SELECT r.*
        FROM unnest(v_lanes) AS l(lane)
        CROSS JOIN LATERAL queues_in(l.lane, all_shards()) AS q
        CROSS JOIN LATERAL (SELECT j.id, j.task, j.queue, j.groups, j.priority, j.run_at FROM job j
          WHERE j.state = 1 AND j.lane = l.lane AND j.shard = ANY (all_shards()) AND j.queue = q
            AND (~j.priority, j.run_at, j.id) < (~v_job.priority, v_job.run_at, v_job.id)
          LIMIT greatest(p_most, 5000)) r
        UNION ALL
        SELECT * FROM (SELECT j.id, j.task, j.queue, j.groups, j.priority, j.run_at FROM job j
          WHERE j.state = 1 AND j.lane <> '' AND j.lane <> j.task AND j.task = p_group LIMIT 5000) aside
        UNION ALL
        SELECT * FROM (SELECT j.id, j.task, j.queue, j.groups, j.priority, j.run_at FROM job_in_group j
          WHERE j.group_name = p_group AND j.state = 1 LIMIT 5000) grouped
      ) b
      WHERE (~b.priority, b.run_at, b.id) < (~v_job.priority, v_job.run_at, v_job.id)
        AND CASE WHEN p_group IS NULL THEN b.queue = v_job.queue AND b.task = ANY (p_tasks) ELSE p_group = ANY (b.task || b.groups) END
    )
    SELECT least(p_most, coalesce(sum(least(t.jobs, CASE WHEN p_group IS NULL AND limit_of(t.task) IS NOT NULL
             THEN greatest(limit_of(t.task) - slots_used(t.task), 0) END)), 0))
    FROM (
      SELECT b.task, count(*) AS jobs
      FROM before b
      WHERE p_group IS NOT NULL OR NOT b.groups && ARRAY(SELECT full_among(ARRAY(SELECT DISTINCT unnest(n.groups) FROM before n)))
      GROUP BY b.task
    ) t);
END
$$;

-- How many ready jobs of which tasks stand in the open lane, counted up to 10,000 without further groups and as many with.
CREATE FUNCTION ready_in_open_lane() RETURNS TABLE (task text, jobs integer)
STABLE ${sql} AS $$
  SELECT r.task, count(*)::integer
  FROM (
    (SELECT j.task FROM job j WHERE j.state = 1 AND j.lane = '' AND j.shard = 0 LIMIT 10000)
    UNION ALL (SELECT j.task FROM job j WHERE j.state = 1 AND j.lane = '' AND j.shard > 0 LIMIT 10000)
  ) r
  GROUP BY r.task
$$;

-- How many ready jobs of a group there are, as far as they are counted.
CREATE FUNCTION waiting_in(p_group text) RETURNS integer
STABLE ${sql} AS $$
  SELECT pending_in(p_group, false, 10000)
    + CASE WHEN is_keyed(p_group) THEN 0 ELSE coalesce((SELECT w.jobs FROM ready_in_open_lane() w WHERE w.task = p_group), 0) END
$$;

-- Groups in a line each, in the order given.
CREATE FUNCTION summaries_of(p_groups text[])
RETURNS TABLE (group_name text, max integer, level text, active integer, waiting integer)
STABLE ${sql} SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
  SELECT g.name,
         number_of(o, f),
         CASE
           WHEN coalesce(o.operator, f.operator) IS NOT NULL THEN 'OPERATOR'
           WHEN coalesce(o.config, f.config) IS NOT NULL THEN 'CONFIG'
           WHEN coalesce(o.code, f.code) IS NOT NULL THEN 'CODE'
           WHEN coalesce(o.submit, f.submit) IS NOT NULL THEN 'SUBMIT'
         END,
         slots_used(g.name),
         pending_in(g.name, false, 10000) + coalesce(w.jobs, 0)
  FROM unnest(p_groups) WITH ORDINALITY AS g(name, ord)
  LEFT JOIN limit_rule o ON o.name = ANY (ARRAY[g.name])
  LEFT JOIN limit_rule f ON f.name = ANY (ARRAY[family_of(g.name)])
  LEFT JOIN ready_in_open_lane() w ON w.task = g.name
  ORDER BY g.ord
$$;

-- Whether a name contains a text, whatever the case of its letters. The server folds the case of those letters that its
-- locale knows; p_upper are the capitals of those in the text, one for each letter of p_lower.
CREATE FUNCTION name_contains(p_name text, p_text text, p_upper text, p_lower text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_text = ''
    OR strpos(CASE WHEN p_upper = '' THEN lower(p_name) ELSE translate(lower(p_name), p_upper, p_lower) END, p_text) > 0
$$;
