-- Lanes: in which line a ready job stands, and how it gets from one to another. The table of jobs says which lanes there are.
--
-- A job stands in its home lane unless it was set aside for a full group (set_aside, in the claim). Whatever frees a slot of that
-- group calls the best of its jobs back. A task gets a lane of its own where its jobs are in the way of others: claims find
-- a job in whichever lane it is, so its jobs are moved a batch at a time.

-- The lane a job of this task stands in when nothing holds it back.
CREATE FUNCTION home_lane(p_task text) RETURNS text
STABLE ${sql} AS $$ SELECT CASE WHEN EXISTS (SELECT FROM limit_rule r WHERE r.name = p_task AND r.lane) THEN p_task ELSE '' END $$;

-- The shard of a job in these groups besides its task's own.
CREATE FUNCTION shard_of(p_groups text[]) RETURNS smallint
LANGUAGE sql IMMUTABLE AS $$ SELECT (CASE WHEN p_groups[1] IS NULL THEN 0 ELSE 1 + (hashtext(p_groups[1]) & 7) END)::smallint $$;

CREATE FUNCTION all_shards() RETURNS smallint[]
LANGUAGE sql IMMUTABLE AS $$ SELECT '{0, 1, 2, 3, 4, 5, 6, 7, 8}'::smallint[] $$;

-- Notes that there are jobs in groups besides their tasks' own.
CREATE FUNCTION note_further_groups() RETURNS void
${sql} AS $$ SELECT nextval('further_groups') FROM further_groups WHERE NOT is_called $$;

-- The queues of the ready jobs in these shards of a lane.
CREATE FUNCTION queues_in(p_lane text, p_shards smallint[]) RETURNS SETOF text
STABLE ${sql} AS $$
  WITH RECURSIVE queues(shard, queue) AS (
    SELECT s.shard, (SELECT min(j.queue) FROM job j WHERE j.state = 1 AND j.lane = p_lane AND j.shard = s.shard)
    FROM unnest(p_shards) AS s(shard)
    UNION ALL
    SELECT q.shard, (SELECT min(j.queue) FROM job j WHERE j.state = 1 AND j.lane = p_lane AND j.shard = q.shard AND j.queue > q.queue)
    FROM queues q
    WHERE q.queue IS NOT NULL
  )
  SELECT DISTINCT queue FROM queues WHERE queue IS NOT NULL
$$;

-- Calls jobs that were set aside for a full group back to their own lanes: the best p_count of each queue.
CREATE FUNCTION call_back(p_group text, p_count bigint) RETURNS bigint
${lookups} AS $$
DECLARE
  called bigint;
BEGIN
  WITH best AS (
    SELECT b.id
    FROM queues_in('*' || p_group, '{0}') AS q
    CROSS JOIN LATERAL (
      SELECT j.id
      FROM job j
      WHERE j.state = 1 AND j.lane = '*' || p_group AND j.shard = 0 AND j.queue = q
      ORDER BY ~j.priority, j.run_at, j.id
      LIMIT p_count
      FOR UPDATE SKIP LOCKED
    ) b
  )
  UPDATE job SET lane = home_lane(job.task), shard = shard_of(job.groups)
  FROM best
  WHERE job.id = ANY (ARRAY[best.id]);
  GET DIAGNOSTICS called = ROW_COUNT;
  RETURN called;
END
$$;

-- The lanes of ready jobs after this one, in order.
CREATE FUNCTION lanes_after(p_lane text, p_most integer) RETURNS SETOF text
STABLE ${lookups} AS $$
DECLARE
  v_lane text := p_lane;
BEGIN
  FOR i IN 1 .. p_most LOOP
    SELECT j.lane INTO v_lane FROM job j WHERE j.state = 1 AND j.lane > v_lane ORDER BY j.lane LIMIT 1;
    EXIT WHEN v_lane IS NULL;
    RETURN NEXT v_lane;
  END LOOP;
END
$$;

-- Calls jobs back that stand aside for groups with room, such as those behind others that were called back and that
-- no claim takes because no worker handles their task. Looks at up to p_lanes groups; returns the lane to go on from, or NULL at the end.
-- One at a time.
CREATE FUNCTION call_back_forgotten(p_after text, p_lanes integer) RETURNS text
${lookups} AS $$
DECLARE
  v_lane text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('${schema}/forgotten', 0)) THEN
    RETURN p_after;
  END IF;
  FOR v_lane IN SELECT l FROM lanes_after(greatest(p_after, '*'), p_lanes) AS l WHERE left(l, 1) = '*' LOOP
    PERFORM call_back(substr(v_lane, 2), 100) WHERE NOT is_full(substr(v_lane, 2));
    p_lanes := p_lanes - 1;
  END LOOP;
  RETURN CASE WHEN p_lanes = 0 THEN v_lane END;
END
$$;

-- Gives tasks lanes of their own. A claim asks for this that finds many jobs of a task at the front of an open lane and
-- does not want them, because its worker does not handle the task or because the task's group is full; and so does a
-- submit that has to count the jobs of a task. A task with a lane and a limit is hot: its counters say whether to look into the lane.
CREATE FUNCTION give_lanes(p_tasks text[]) RETURNS void
${plpgsql} AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM unnest(p_tasks) AS t WHERE t NOT IN (SELECT r.name FROM limit_rule r WHERE r.lane)) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(rules_lock());
  INSERT INTO limit_rule AS r (name, lane) SELECT DISTINCT t, true FROM unnest(p_tasks) AS t
  ON CONFLICT (name) DO UPDATE SET lane = true;
  PERFORM make_hot(t) FROM unnest(p_tasks) AS t;
  PERFORM announce_rules();
END
$$;

-- Moves ready jobs of tasks that have just got a lane from the open lanes into it, a batch at a time in the order of ids: until they have
-- moved, claims find them where they are; a claim that notes which full group was in their way moves those that it leaves (note_full). Returns the id to go on from, or NULL at the end.
CREATE FUNCTION settle_lanes(p_tasks text[], p_after uuid, p_batch integer) RETURNS uuid
${lookups} AS $$
DECLARE
  v_tasks text[] := ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_tasks) AND r.lane);
  v_last uuid;
BEGIN
  WITH unsettled AS (
    SELECT j.id FROM job j
    WHERE j.id > p_after AND j.state = 1 AND j.lane = '' AND j.task = ANY (v_tasks)
    ORDER BY j.id
    LIMIT p_batch
    FOR UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE job SET lane = job.task FROM unsettled WHERE job.id = ANY (ARRAY[unsettled.id]) RETURNING job.id
  )
  SELECT id INTO v_last FROM moved ORDER BY id DESC LIMIT 1;
  RETURN v_last;
END
$$;
