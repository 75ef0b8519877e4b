-- Looking for jobs and handing them over: what both paths of the claim (see 006) have in common, and the plain one.

CREATE TYPE answer AS (
  -- a accepted (counted = as cancelled), j job (with its trace as the group_name, and the ms it has waited as the number), s slot, p proposed limit,
  -- x task passed over, m more to find, f full group that kept jobs from the worker, w freed group that jobs of any task
  -- may be waiting for, b group of which jobs were left behind, e where the claim ended, d ms until the next scheduled job
  -- is due, r rules changed, l lease lost, o of another epoch
  kind "char",
  id uuid,
  token bigint,
  task text,
  attempt integer,
  counted boolean,
  timeout_ms bigint,
  gates text[],            -- limited groups; with a '*' in front, groups without a limit; '*' alone: it was refiled before
  payload text,
  group_name text,
  number integer
);

-- Makes scheduled jobs ready whose time has come. The time is a query of its own, here and elsewhere, because it is asked
-- once then, and the index finds who is due; asked for each row it would be read through to its end.
CREATE FUNCTION promote_due(p_batch integer) RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
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

-- Where a claim ended in a lane: the place in line of the last job it found there.
CREATE TYPE place_in_line AS (
  lane text,
  priority integer,
  run_at timestamptz,
  id uuid
);

-- A job that a claim has found and locked. Its place in the table cannot change any more, so that is what it goes by.
CREATE TYPE candidate AS (
  ord integer,             -- best first
  tid tid,
  lane text,
  priority integer,
  run_at timestamptz,
  id uuid,
  task text,
  groups text[],
  limited_group text,
  submit_limit integer
);

-- The best ready jobs of these lanes and queues, so many of each, locked, passing over those that other workers are
-- claiming.
--
-- Where p_after has a place in the lane, the search starts behind it and keeps to its priority. Jobs that were claimed a
-- moment ago are still in the index, dead or about to be, at its very front: in a busy store every claim would read past
-- thousands of them. A worker therefore goes on from where its last claim ended, and looks at the whole line again when
-- it found too few there, and several times a second (see dev.sluice.postgres.LinePositions).
CREATE FUNCTION find(p_lanes text[], p_queues text[], p_counts integer[], p_tasks text[], p_after place_in_line[])
RETURNS candidate[]
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_nestloop = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_found candidate[];
BEGIN
  SELECT array_agg(
           (b.ord, b.tid, b.lane, b.priority, b.run_at, b.id, b.task, b.groups, b.limited_group, b.submit_limit)::candidate
           ORDER BY b.ord)
  INTO v_found
  FROM (
    SELECT f.*, row_number() OVER (ORDER BY f.priority DESC, f.run_at, f.id) AS ord
    FROM unnest(p_lanes, p_queues, p_counts) AS l(lane, queue, jobs)
    LEFT JOIN unnest(p_after) AS a ON a.lane = l.lane
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT j.ctid AS tid, j.lane, j.priority, j.run_at, j.id, j.task, j.groups, j.limited_group, j.submit_limit
        FROM job j
        WHERE a.id IS NULL
          AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR j.task = ANY (p_tasks))
        ORDER BY j.priority DESC, j.run_at, j.id
        LIMIT l.jobs
        FOR UPDATE SKIP LOCKED) from_the_front
      UNION ALL
      SELECT * FROM (
        SELECT j.ctid AS tid, j.lane, j.priority, j.run_at, j.id, j.task, j.groups, j.limited_group, j.submit_limit
        FROM job j
        WHERE a.id IS NOT NULL
          AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR j.task = ANY (p_tasks))
          AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
        ORDER BY j.run_at, j.id
        LIMIT l.jobs
        FOR UPDATE SKIP LOCKED) from_the_place
    ) f
  ) b;
  RETURN v_found;
END
$$;

-- Those of the candidates for whose task there is room, the best p_jobs of them. Joins an array with an array, of which
-- the planner believes that they are short: without the setting it would compare each element with each.
CREATE FUNCTION within_room(p_found candidate[], p_tasks text[], p_room integer[], p_jobs integer) RETURNS candidate[]
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET jit = off
AS $$
BEGIN
  IF p_jobs <= ALL (p_room) AND cardinality(p_found) <= p_jobs THEN
    RETURN p_found;
  END IF;
  RETURN ARRAY(
    SELECT (r.ord, r.tid, r.lane, r.priority, r.run_at, r.id, r.task, r.groups, r.limited_group, r.submit_limit)::candidate
    FROM (
      SELECT c.*, t.room, row_number() OVER (PARTITION BY c.task ORDER BY c.ord) AS rank_in_task
      FROM unnest(p_found) AS c
      JOIN unnest(p_tasks, p_room) AS t(task, room) ON t.task = c.task
    ) r
    WHERE r.rank_in_task <= r.room AND r.ord <= p_jobs
    ORDER BY r.ord);
END
$$;

-- Where a claim ended that found these jobs, best first, but for lanes with jobs that it left for the next claim.
CREATE FUNCTION ends_of(p_found candidate[], p_lanes text[], p_left_lanes text[]) RETURNS SETOF answer
LANGUAGE plpgsql STABLE
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_lane text;
  v_last candidate;
BEGIN
  FOR v_lane IN SELECT DISTINCT l FROM unnest(p_lanes) AS l WHERE l <> ALL (p_left_lanes) LOOP
    v_last := p_found[cardinality(p_found)];
    IF v_last.lane <> v_lane THEN
      SELECT * INTO v_last FROM unnest(p_found) AS c WHERE c.lane = v_lane ORDER BY c.ord DESC LIMIT 1;
    END IF;
    IF v_last.id IS NOT NULL THEN
      RETURN NEXT (
        'e', v_last.id, NULL, v_lane, v_last.priority, NULL, NULL, NULL, v_last.run_at::text, NULL, NULL)::answer;
    END IF;
  END LOOP;
END
$$;

-- Hands candidates over to a worker, in the order given. Gates are the limited groups of each, joined by newlines; NULL
-- = none. Jobs of the tasks p_full were held back by their task's group if they were due before p_full_until, and not just
-- now: whoever is claimed as soon as it came was kept waiting by nobody, though all places may be held, by the claiming
-- worker for such as this one.
CREATE FUNCTION hand_over(
  p_worker uuid, p_token bigint, p_tids tid[], p_gates text[], p_tasks text[], p_depth integer[],
  p_full text[] DEFAULT NULL, p_full_until timestamptz[] DEFAULT NULL)
RETURNS SETOF answer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH claimed AS (
    UPDATE job SET
      state = 2,
      worker_id = p_worker,
      token = p_token,
      attempt = job.attempt + (p_depth[array_position(p_tasks, job.task)] = 0)::integer,
      started_at = CASE WHEN p_depth[array_position(p_tasks, job.task)] = 0 THEN clock_timestamp() END,
      held_back_by = CASE
        WHEN job.run_at < p_full_until[array_position(p_full, job.task)]
          AND job.run_at < clock_timestamp() - interval '50 milliseconds'
        THEN job.task ELSE job.held_back_by END
    FROM unnest(p_tids, p_gates) WITH ORDINALITY AS c(tid, gates, ord)
    WHERE job.ctid = c.tid
    RETURNING c.ord, coalesce(string_to_array(c.gates, E'\n'), '{}') AS gates, job.groups, job.refiled, job.id, job.task, job.attempt, job.started_at IS NOT NULL AS counted, job.timeout_ms, job.payload,
              job.trace, job.run_at
  )
  SELECT 'j'::"char", c.id, p_token, c.task, c.attempt + (NOT c.counted)::integer, c.counted, c.timeout_ms,
         CASE
           WHEN c.groups <@ c.gates AND NOT c.refiled THEN c.gates
           ELSE c.gates || ARRAY(SELECT '*' || g FROM unnest(c.groups) AS g WHERE g <> ALL (c.gates))
                        || CASE WHEN c.refiled THEN '{*}'::text[] END
         END,
         c.payload::text, c.trace,
         least(greatest(date_part('epoch', clock_timestamp() - c.run_at) * 1000, 0), 2000000000)::integer
  FROM claimed c
  ORDER BY c.ord;
END
$$;

-- The plain path: no limit touches any job it can find. One index scan per queue, no join with anything of the limits.
CREATE FUNCTION claim_plain(
  p_worker uuid, p_token bigint, p_queues text[], p_jobs integer, p_tasks text[], p_room integer[], p_depth integer[],
  p_after place_in_line[])
RETURNS SETOF answer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_queues integer := cardinality(p_queues);
  v_found candidate[] := find(
    array_fill(''::text, ARRAY[v_queues]), p_queues, array_fill(p_jobs, ARRAY[v_queues]), p_tasks, p_after);
  v_chosen candidate[] := within_room(v_found, p_tasks, p_room, p_jobs);
BEGIN
  RETURN QUERY SELECT * FROM hand_over(
    p_worker, p_token, ARRAY(SELECT c.tid FROM unnest(v_chosen) AS c ORDER BY c.ord), NULL, p_tasks, p_depth);
  IF cardinality(v_chosen) = p_jobs THEN
    RETURN QUERY SELECT * FROM ends_of(v_chosen, '{""}', '{}');
  ELSIF (cardinality(v_chosen) > 0 AND p_jobs > ANY (p_room)) OR cardinality(p_after) > 0 THEN
    -- A task whose room is small may have stood in front of others; it has none left now, so look again without it. And a
    -- search that did not start at the front has not seen everything.
    RETURN NEXT ('m', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer;
  END IF;
END
$$;
