-- Submitting jobs.

-- Stores jobs; returns for each that was not stored the id of the job it duplicates. Groups come as one text per job, joined by newlines
-- (which canonical names never hold). Stores nothing and returns 0 if the number on record for a key is forgotten, and jobs bring another
-- one along or none (see propose_limits), unless told to store them anyway.
--
-- Left alone, the server would plan it anew at every call: it knows how long the lists are then, and believes in longer ones
-- otherwise, so that a plan for all calls looks dear.
CREATE FUNCTION submit(
  p_ids uuid[], p_explicit boolean[], p_tasks text[], p_queues text[], p_priorities integer[], p_run_at timestamptz[],
  p_delays_ms bigint[], p_timeouts_ms bigint[], p_dedupe_keys text[], p_groups text[], p_limited_groups text[], p_limits integer[],
  p_payloads text[], p_runs uuid[], p_traces text[], p_anyway boolean) RETURNS TABLE (ord bigint, duplicate_of uuid)
${lookups} AS $$
DECLARE
  v_stored uuid[];
BEGIN
  IF EXISTS (SELECT FROM unnest(p_groups) AS g WHERE g <> '') THEN
    PERFORM note_further_groups();
  END IF;
  IF NOT p_anyway AND EXISTS (SELECT FROM unnest(p_groups) AS g WHERE is_keyed(g)) AND (
    SELECT forgotten_among(array_agg(k.name), array_agg(k.max)) <> '{}'
    FROM (
      SELECT DISTINCT ON (n.name) n.name, n.max     -- the first number of each counts
      FROM (
        SELECT l.name, l.max, l.ord FROM unnest(p_limited_groups, p_limits) WITH ORDINALITY AS l(name, max, ord)
        UNION ALL
        SELECT unnest(string_to_array(g, E'\n')), NULL, NULL FROM unnest(p_groups) AS g
      ) n
      WHERE is_keyed(n.name)
      ORDER BY n.name, n.ord
    ) k)
  THEN
    RETURN QUERY SELECT 0::bigint, NULL::uuid;
    RETURN;
  END IF;
  WITH given AS (
    SELECT *, string_to_array(nullif(g.groups, ''), E'\n') AS in_groups,
           coalesce(g.run_at, clock_timestamp() + g.delay_ms * interval '1 millisecond') AS due
    FROM unnest(p_ids, p_explicit, p_tasks, p_queues, p_priorities, p_run_at, p_delays_ms, p_timeouts_ms, p_dedupe_keys, p_groups,
                p_limited_groups, p_limits, p_payloads, p_runs, p_traces)
      AS g(id, explicit, task, queue, priority, run_at, delay_ms, timeout_ms, dedupe_key, groups, limited_group, max, payload, run_id, trace)
  ), stored AS (
    INSERT INTO job (
      id, task, queue, lane, shard, state, priority, run_at, groups, limited_group, submit_limit, dedupe_key, timeout_ms, payload, run_id, trace)
    SELECT g.id, g.task, g.queue,
           CASE WHEN g.task IN (SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_tasks) AND r.lane) THEN g.task ELSE '' END,
           shard_of(g.in_groups), (g.due <= clock_timestamp())::integer, g.priority, g.due, coalesce(g.in_groups, '{}'), g.limited_group, g.max,
           g.dedupe_key, g.timeout_ms, g.payload::json, g.run_id, g.trace
    FROM given g
    WHERE NOT (g.explicit AND EXISTS (SELECT FROM finished_job f WHERE f.id = ANY (ARRAY[g.id])))
    ON CONFLICT DO NOTHING
    RETURNING id
  )
  SELECT array_agg(id) INTO v_stored FROM stored;

  -- A job whose id the caller chose may have finished after the statement above began: neither was it among the finished
  -- then, nor in the way any more when this one was stored. A statement that begins now sees it.
  IF true = ANY (p_explicit) AND v_stored IS NOT NULL THEN
    WITH late AS (
      DELETE FROM job j USING finished_job f WHERE j.id = ANY (v_stored) AND f.id = ANY (ARRAY[j.id]) RETURNING j.id
    )
    SELECT array_agg(s.id) INTO v_stored FROM unnest(v_stored) AS s(id) WHERE s.id NOT IN (SELECT l.id FROM late l);
  END IF;

  IF coalesce(cardinality(v_stored), 0) < cardinality(p_ids) THEN
    RETURN QUERY
    SELECT g.ord,
           coalesce(
             (SELECT j.id FROM job j WHERE j.task = g.task AND j.dedupe_key = g.dedupe_key),
             (SELECT j.id FROM job j WHERE j.id = g.id),
             (SELECT f.id FROM finished_job f WHERE f.id = g.id))
    FROM unnest(p_ids, p_tasks, p_dedupe_keys) WITH ORDINALITY AS g(id, task, dedupe_key, ord)
    WHERE g.id <> ALL (coalesce(v_stored, '{}'))
       OR EXISTS (SELECT FROM unnest(p_ids) WITH ORDINALITY AS e(id, ord) WHERE e.id = g.id AND e.ord < g.ord);
  END IF;
END
$$;

-- Stores one job, as submit does, but without lists: half the time. A job with an id of the caller's choice, and one that
-- meets another in its way, go to submit. Says what came of it: stored, woke (stored, and a worker is woken for it: p_wake
-- asks for that, see wake_one), duplicate (of which), forgotten (a number, and the job is not stored), or vanished (the job that
-- was in the way, so that this one is to be stored again).
CREATE FUNCTION submit_one(
  p_id uuid, p_explicit boolean, p_task text, p_queue text, p_priority integer, p_run_at timestamptz, p_delay_ms bigint,
  p_timeout_ms bigint, p_dedupe_key text, p_groups text, p_limited_group text, p_limit integer, p_payload text, p_run uuid, p_trace text,
  p_anyway boolean, p_wake boolean, OUT said text, OUT duplicate_of uuid)
${lookups} AS $$
DECLARE
  v_groups text[] := coalesce(string_to_array(nullif(p_groups, ''), E'\n'), '{}');
  v_due timestamptz := coalesce(p_run_at, clock_timestamp() + p_delay_ms * interval '1 millisecond');
BEGIN
  IF v_groups <> '{}' THEN
    PERFORM note_further_groups();
  END IF;
  IF NOT p_explicit AND (p_anyway OR NOT is_keyed(p_groups) OR '{}' = forgotten_among(
      v_groups, ARRAY(SELECT CASE WHEN g = p_limited_group THEN p_limit END FROM unnest(v_groups) AS g))) THEN
    INSERT INTO job (
      id, task, queue, lane, shard, state, priority, run_at, groups, limited_group, submit_limit, dedupe_key, timeout_ms, payload, run_id, trace)
    VALUES (
      p_id, p_task, p_queue, home_lane(p_task), shard_of(v_groups), (v_due <= clock_timestamp())::integer, p_priority, v_due, v_groups,
      p_limited_group, p_limit, p_dedupe_key, p_timeout_ms, p_payload::json, p_run, p_trace)
    ON CONFLICT DO NOTHING
    RETURNING 'stored' INTO said;
  END IF;
  IF said IS NULL THEN
    SELECT CASE WHEN s.ord = 0 THEN 'forgotten' WHEN s.duplicate_of IS NULL THEN 'vanished' ELSE 'duplicate' END, s.duplicate_of
    INTO said, duplicate_of
    FROM submit(
      ARRAY[p_id], ARRAY[p_explicit], ARRAY[p_task], ARRAY[p_queue], ARRAY[p_priority], ARRAY[p_run_at], ARRAY[p_delay_ms], ARRAY[p_timeout_ms],
      ARRAY[p_dedupe_key], ARRAY[p_groups], ARRAY[p_limited_group], ARRAY[p_limit], ARRAY[p_payload], ARRAY[p_run], ARRAY[p_trace], p_anyway) s;
    said := coalesce(said, 'stored');
  END IF;
  IF p_wake AND said = 'stored' AND v_due <= clock_timestamp() AND wake_one(p_task, p_queue) THEN
    said := 'woke';
  END IF;
END
$$;

-- How many jobs of a group are ready, and (p_claimed) how many are with a worker, counted no further than p_enough. The
-- ready jobs of a task count for its own group only if the task has a lane: see give_lanes_to_count.
CREATE FUNCTION pending_in(p_group text, p_claimed boolean, p_enough integer) RETURNS integer
STABLE ${lookups} AS $$
BEGIN
  RETURN (
    SELECT count(*)::integer FROM (
      (SELECT 1 FROM job WHERE state = 1 AND lane = p_group LIMIT p_enough)
      UNION ALL (SELECT 1 FROM job WHERE state = 1 AND lane <> '' AND lane <> task AND task = p_group LIMIT p_enough)
      UNION ALL (SELECT 1 FROM claimed_job WHERE task = p_group AND p_claimed LIMIT p_enough)
      UNION ALL (SELECT 1 FROM job_in_group WHERE group_name = p_group AND state = 1 LIMIT p_enough)
      UNION ALL (SELECT 1 FROM job_in_group WHERE group_name = p_group AND state = 2 AND p_claimed LIMIT p_enough)
      LIMIT p_enough
    ) counted);
END
$$;

-- Gives lanes to those of these groups that have a limit and may be a task's own, so that the jobs of the task can be
-- counted once they are all in it. Returns these tasks.
CREATE FUNCTION give_lanes_to_count(p_groups text[]) RETURNS SETOF text
${plpgsql} AS $$
DECLARE
  v_tasks text[] := ARRAY(SELECT g FROM unnest(p_groups) AS g WHERE NOT is_keyed(g) AND limit_of(g) IS NOT NULL);
BEGIN
  PERFORM give_lanes(v_tasks);
  RETURN QUERY SELECT unnest(v_tasks);
END
$$;

-- Gives lanes to those of these tasks, of each of which many jobs are about to be submitted, whose groups are full: in the open lane the jobs would
-- stand in front of others, and be written once more when claims meet them. Returns these tasks.
CREATE FUNCTION give_lanes_to_crowds(p_tasks text[]) RETURNS SETOF text
${plpgsql} AS $$
DECLARE
  v_tasks text[] := ARRAY(SELECT t FROM unnest(p_tasks) AS t WHERE home_lane(t) = '' AND is_full(t));
BEGIN
  PERFORM give_lanes(v_tasks);
  RETURN QUERY SELECT unnest(v_tasks);
END
$$;

-- Locks the limited groups of jobs about to be submitted, one after the other in one order for all, so that the check that follows and the
-- insert after it are one. Limited are those that have a limit, and those that the jobs bring a number along for (NULL = none), whether it
-- is on record or not. Two statements, because a statement that locks and counts would count by a snapshot from before the lock. There are
-- 1,024 such locks, which groups share, whatever the number of jobs: the server has room for some thousands in all.
--
-- The jobs are not stored yet, so their key may look idle to another submit, and its number forgotten. Therefore the row of
-- the number is locked too, as by a foreign key: the number on record stays until the commit. Returns whether one was
-- forgotten before that, and has to be proposed again.
CREATE FUNCTION lock_for_reject(p_groups text[], p_limits integer[]) RETURNS boolean
${plpgsql} AS $$
DECLARE
  v_numbered text[] := ARRAY(SELECT g.name FROM unnest(p_groups, p_limits) AS g(name, max) WHERE g.max IS NOT NULL);
  v_locked text[];
BEGIN
  PERFORM rules_lock();                            -- not taken: it sees to the isolation
  PERFORM pg_advisory_xact_lock(hashtext('${schema}/reject'), l.number)
  FROM (
    SELECT DISTINCT hashtext(g.name) & 1023 AS number
    FROM unnest(p_groups, p_limits) AS g(name, max)
    WHERE g.max IS NOT NULL OR limit_of(g.name) IS NOT NULL
    ORDER BY 1
  ) l;
  LOOP
    v_locked := ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (v_numbered) FOR KEY SHARE);
    -- A row that was replaced while the statement above waited for it: again.
    EXIT WHEN NOT EXISTS (SELECT FROM limit_rule r WHERE r.name = ANY (v_numbered) AND r.name <> ALL (v_locked));
  END LOOP;
  RETURN EXISTS (SELECT FROM unnest(v_numbered) AS g WHERE limit_of(g) IS NULL);
END
$$;

-- The first of these groups that has as many pending or running jobs as its limit allows; without a limit, as the number
-- that comes along (NULL = none).
CREATE FUNCTION full_group(p_groups text[], p_limits integer[]) RETURNS TABLE (group_name text, max integer, pending integer)
${plpgsql} AS $$
BEGIN
  RETURN QUERY
  SELECT p.name, l.max, c.pending
  FROM unnest(p_groups, limits_of(p_groups), p_limits) AS p(name, stored, brought)
  CROSS JOIN LATERAL (SELECT coalesce(p.stored, p.brought) AS max) l
  CROSS JOIN LATERAL pending_in(p.name, true, least(l.max, 2000000000) + 1000) AS c(pending)
  WHERE l.max IS NOT NULL AND c.pending >= l.max
  ORDER BY p.name
  LIMIT 1;
END
$$;

-- Calls a job off: at once if no worker has it, else by asking its worker. False if it is finished or unknown.
CREATE FUNCTION cancel(p_id uuid) RETURNS boolean
${plpgsql} AS $$
DECLARE
  v_job job;
BEGIN
  SELECT * INTO v_job FROM job WHERE id = p_id FOR UPDATE;
  IF v_job.state = 2 THEN
    UPDATE job SET cancel_requested = true WHERE id = p_id;
    PERFORM pg_notify('sluice_${schema}', v_job.worker_id::text);
  ELSIF FOUND THEN
    PERFORM bury(ARRAY[p_id], ARRAY[5::smallint], NULL, NULL, NULL);
  END IF;
  RETURN v_job.id IS NOT NULL;
END
$$;

-- Makes a failed or cancelled job ready again, with all its attempts before it. False if it is neither.
CREATE FUNCTION retry(p_id uuid) RETURNS boolean
${plpgsql} AS $$
BEGIN
  WITH revived AS (
    DELETE FROM finished_job WHERE id = p_id AND state IN (4, 5) RETURNING *
  )
  INSERT INTO job (
    lane, shard, state, run_at,
    id, task, queue, priority, groups, limited_group, submit_limit, token, dedupe_key, run_id, timeout_ms, submitted_at, payload, failures, trace)
  SELECT
    home_lane(task), shard_of(groups), 1, clock_timestamp(),
    id, task, queue, priority, groups, limited_group, submit_limit, token, dedupe_key, run_id, timeout_ms, submitted_at, payload, failures, trace
  FROM revived;
  RETURN FOUND;
END
$$;
