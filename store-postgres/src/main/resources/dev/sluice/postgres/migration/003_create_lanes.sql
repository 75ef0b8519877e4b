-- Lanes: in which line a ready job stands, and how it gets from one to another. The table of jobs says which lanes there are.
--
-- A job stands in its home lane unless it was set aside for a full group (set_aside, in the claim). Whatever frees a slot of that
-- group calls the best of its jobs back. A task gets a lane of its own where its jobs are in the way of others: claims find
-- a job in whichever lane it is, so its jobs are moved a batch at a time.

-- The lane a job of this task and these groups stands in when nothing holds it back.
CREATE FUNCTION home_lane(p_task text, p_groups text[], p_limited_group text) RETURNS text
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT CASE
    WHEN r.lane THEN p_task
    WHEN cardinality(p_groups) > 0 OR p_limited_group IS NOT NULL THEN '*'
    ELSE ''
  END
  FROM (VALUES (1)) AS one
  LEFT JOIN limit_rule r ON r.name = p_task
$$;

-- The queues of the ready jobs in a lane.
CREATE FUNCTION queues_in(p_lane text) RETURNS SETOF text
LANGUAGE sql STABLE
${lookups}
AS $$
  WITH RECURSIVE queues(queue) AS (
    SELECT min(queue) FROM job WHERE state = 1 AND lane = p_lane
    UNION ALL
    SELECT (SELECT min(j.queue) FROM job j WHERE j.state = 1 AND j.lane = p_lane AND j.queue > q.queue)
    FROM queues q
    WHERE q.queue IS NOT NULL
  )
  SELECT queue FROM queues WHERE queue IS NOT NULL
$$;

-- Calls jobs that were set aside for a full group back to their own lanes: the best p_count of each queue.
CREATE FUNCTION call_back(p_group text, p_count bigint) RETURNS bigint
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  called bigint;
BEGIN
  WITH best AS (
    SELECT b.id
    FROM queues_in('*' || p_group) AS q
    CROSS JOIN LATERAL (
      SELECT j.id
      FROM job j
      WHERE j.state = 1 AND j.lane = '*' || p_group AND j.queue = q
      ORDER BY j.priority DESC, j.run_at, j.id
      LIMIT p_count
      FOR UPDATE SKIP LOCKED
    ) b
  )
  UPDATE job SET lane = home_lane(job.task, job.groups, job.limited_group)
  FROM best
  WHERE job.id = ANY (ARRAY[best.id]);
  GET DIAGNOSTICS called = ROW_COUNT;
  RETURN called;
END
$$;

-- Calls jobs back that stand aside for groups with room, such as those behind others that were called back and that
-- nobody takes because no worker handles their task. Looks at up to p_lanes groups after the lane p_after; returns the
-- lane to go on from, or NULL at the end.
CREATE FUNCTION call_back_forgotten(p_after text, p_lanes integer) RETURNS text
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_lane text := greatest(p_after, '*');
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('${schema}/forgotten', 0)) THEN
    RETURN p_after;                               -- someone else is at it
  END IF;
  FOR i IN 1 .. p_lanes LOOP
    SELECT j.lane INTO v_lane FROM job j WHERE j.state = 1 AND j.lane > v_lane ORDER BY j.lane LIMIT 1;
    IF v_lane IS NULL OR left(v_lane, 1) <> '*' THEN
      RETURN NULL;
    END IF;
    IF NOT is_full(substr(v_lane, 2)) THEN
      PERFORM call_back(substr(v_lane, 2), 100);
    END IF;
  END LOOP;
  RETURN v_lane;
END
$$;

-- Gives tasks lanes of their own. A claim asks for this that finds many jobs of a task at the front of an open lane and
-- does not want them, because its worker does not handle the task or because the task's group is full; and so does a
-- submit that has to count the jobs of a task.
CREATE FUNCTION give_lanes(p_tasks text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM unnest(p_tasks) AS t WHERE t NOT IN (SELECT r.name FROM limit_rule r WHERE r.lane)) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(rules_lock());
  INSERT INTO limit_rule AS r (name, lane) SELECT DISTINCT t, true FROM unnest(p_tasks) AS t
  ON CONFLICT (name) DO UPDATE SET lane = true;
  UPDATE meta SET rules_version = rules_version + 1;
  PERFORM pg_notify('sluice_${schema}', 'rules');
END
$$;

-- Moves ready jobs of tasks that have just got a lane from the open lanes into it, a batch at a time in the order of ids:
-- until they have moved, claims find them where they are, and move those that they leave for a full group. Returns the id to go on from, or NULL at the end.
CREATE FUNCTION settle_lanes(p_tasks text[], p_after uuid, p_batch integer) RETURNS uuid
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_tasks text[] := ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_tasks) AND r.lane);
  v_last uuid;
BEGIN
  WITH unsettled AS (
    SELECT j.id
    FROM job j
    WHERE j.id > p_after AND j.state = 1 AND j.lane IN ('', '*') AND j.task = ANY (v_tasks)
    ORDER BY j.id
    LIMIT p_batch
    FOR UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE job SET lane = job.task
    FROM unsettled
    WHERE job.id = ANY (ARRAY[unsettled.id])
    RETURNING job.id
  )
  SELECT id INTO v_last FROM moved ORDER BY id DESC LIMIT 1;
  RETURN v_last;
END
$$;
