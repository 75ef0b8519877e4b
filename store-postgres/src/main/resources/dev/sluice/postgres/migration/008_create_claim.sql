-- The claim: which jobs a worker gets, and the slots that come with them.
--
-- A claim looks at the open lane, where jobs of all tasks stand, limited or not, and at those lanes of tasks whose groups may have
-- room. The search locks the best jobs, the admission chooses among them. If no job that was found is of a limited task or in a further
-- group, and the worker is short of room for none of its tasks, all of them are taken, and no table of the limits is read.
--
-- Jobs of full groups must not be in the way of others:
--   The jobs of a task whose own group is full are not wanted. The claim looks again without them; and where many of
--   them stand at the front of the open lane, their task gets a lane of its own (give_lanes).
--   The jobs of any other full group are passed by, as long as a look at whole lines takes at least one of four that it finds, or
--   comes to their end. Beyond that, they are set aside into the group's own lane. If the look takes any job, or is one of a claim
--   that goes on in shards, the crowds among them are, and the others every second or two; those at the end of the lines are, if looks
--   have been in vain for a while. It is done in bulk, under locks on all that fills the group: nothing can free a slot of it
--   without waiting for those locks, and what does calls the jobs back. So there is a bound to the looks in vain, and no job is
--   forgotten.

-- The tasks that a claim wants jobs of, and up to how many: not those of hot groups that are full. Of a task in its own lane,
-- more jobs than there is room for, under slots that are lent to the worker and under free places, would keep jobs of other
-- tasks from being found. And until when hot groups were last full.
CREATE FUNCTION wanted_now(p_demand demand, OUT p_wanted jsonb, OUT p_full_until jsonb)
${lookups} AS $$
DECLARE
  v_hot record;
BEGIN
  p_wanted := p_demand.rooms;
  FOR v_hot IN
    SELECT t.task, g.full_since < g.full_until AS was_full, g.full_until,
           coalesce(p_demand.spares[array_position(p_demand.spare_groups, t.task)], 0)
             + least(greatest(g.free, 0) * (1 + depth_of(t.task, p_demand.depths, p_demand.depth)), p_demand.jobs)::integer AS room
    FROM unnest(p_demand.hot) AS t(task)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(sg.capacity - sg.used), 0) AS free,
             CASE WHEN bool_and(sg.full_since IS NOT NULL) THEN max(sg.full_since) END AS full_since,
             coalesce(min(sg.full_until) FILTER (WHERE sg.used < sg.capacity), clock_timestamp()) AS full_until
      FROM slot_group sg
      WHERE sg.group_name = t.task
    ) g
  LOOP
    IF v_hot.room = 0 THEN
      p_wanted := p_wanted - v_hot.task;
    ELSIF p_wanted ? v_hot.task AND 4 * v_hot.room < least((p_wanted -> v_hot.task)::integer, p_demand.jobs) THEN
      p_wanted := p_wanted || jsonb_build_object(v_hot.task, 4 * v_hot.room);
    END IF;
    IF v_hot.was_full THEN
      p_full_until := coalesce(p_full_until, '{}') || jsonb_build_object(v_hot.task, v_hot.full_until);
    END IF;
  END LOOP;
END
$$;

-- The shards that a claim keeps to, of those that it has places in, has not tried, and no other claim keeps to: that of the worker's own which is
-- furthest behind; two of them, once one has run out, since there is less in each; or else any other. None: there is no such shard. The live workers
-- of the same tasks and queues divide the shards, by number. So a worker rarely meets a key of which another has claimed jobs ahead. Nothing
-- depends on it, nor on the locks of the shards: it is the latch and the look that decide.
CREATE FUNCTION shards_to_claim(p_worker uuid, p_after place_in_line[], p_tried smallint[]) RETURNS smallint[]
${lookups} AS $$
DECLARE
  v_mine bigint;           -- the worker's number among those that divide the shards, from 0 on
  v_all bigint;
  v_own smallint[];
  v_free smallint[];
BEGIN
  SELECT count(*) FILTER (WHERE w.id < p_worker), greatest(least(count(*), 8), 1) INTO v_mine, v_all
  FROM worker w
  JOIN worker o ON o.id = p_worker
  WHERE w.expires_at > clock_timestamp() AND w.queues = o.queues AND w.tasks = o.tasks;
  v_own := ARRAY(
    SELECT a.shard
    FROM (SELECT p.shard, row_number() OVER (ORDER BY ~p.priority, p.run_at, p.id) AS rank FROM unnest(p_after) AS p) a
    WHERE a.shard > 0 AND (a.shard - v_mine) % v_all = 0
    GROUP BY a.shard
    ORDER BY min(a.rank));
  v_free := ARRAY(
    SELECT s FROM unnest(v_own) AS s WHERE s <> ALL (p_tried) AND pg_try_advisory_xact_lock(latches(), latch_of_shard(s))
    LIMIT CASE WHEN cardinality(v_own) < (SELECT count(*) FROM unnest(all_shards()) AS s WHERE s > 0 AND (s - v_mine) % v_all = 0) THEN 2 ELSE 1 END);
  IF v_free = '{}' THEN
    v_free := ARRAY(
      SELECT o.shard
      FROM (SELECT DISTINCT a.shard FROM unnest(p_after) AS a WHERE a.shard > 0 AND a.shard <> ALL (v_own || p_tried)) o
      WHERE pg_try_advisory_xact_lock(latches(), latch_of_shard(o.shard))
      LIMIT 1);
  END IF;
  RETURN v_free;
END
$$;

-- The lines to look at: of the open lane, and of the lanes of tasks that are wanted; in the shard without further groups and these
-- others, which come first, or (NULL) in all shards.
CREATE FUNCTION lines_of(p_demand demand, p_wanted jsonb, p_shards smallint[]) RETURNS job_line[]
${lookups} AS $$
BEGIN
  RETURN ARRAY(
    SELECT (l.lane, s.shard, q.name, l.most, coalesce(a.priority, 2147483647), coalesce(a.run_at, '-infinity'),
            coalesce(a.id, '00000000-0000-0000-0000-000000000000'), coalesce(a.since, clock_timestamp()))::job_line
    FROM (
      SELECT '' AS lane, p_demand.jobs AS most
      UNION ALL
      SELECT t.task, least((p_wanted -> t.task)::integer, p_demand.jobs)
      FROM unnest(p_demand.lanes) AS t(task)
      WHERE p_wanted ? t.task
    ) l
    CROSS JOIN LATERAL (
      SELECT unnest(CASE
        WHEN p_shards IS NOT NULL THEN '{0}'::smallint[] || p_shards
        WHEN (SELECT g.is_called FROM further_groups g) THEN all_shards()
        ELSE '{0}' END) AS shard
    ) s
    CROSS JOIN unnest(p_demand.queues) AS q(name)
    LEFT JOIN unnest(p_demand.after) AS a
      ON a.lane = l.lane AND a.shard = s.shard AND a.since > clock_timestamp() - interval '0.5 seconds'
    WHERE l.most > 0
    ORDER BY array_position(p_shards, s.shard));
END
$$;

-- Notes on the jobs that were found and left which full group was in their way. Those that stand in an open lane though
-- their task has got a lane move there: claims may have had them locked whenever settle_lanes came by.
CREATE FUNCTION note_full(p_found found, p_claim claim, p_lanes text[]) RETURNS void
${lookups} AS $$
BEGIN
  UPDATE job SET held_back_by = held.by, lane = held.lane
  FROM (
    SELECT j.ctid AS tid, g.name AS by, h.lane
    FROM (SELECT unnest(p_found.tids) EXCEPT SELECT t.tid FROM unnest(p_claim.jobs) AS t) AS f(tid)
    JOIN job j ON j.ctid = f.tid
    CROSS JOIN LATERAL (
      SELECT n AS name FROM unnest(j.task || j.groups) AS n WHERE n = ANY (p_claim.full_groups) LIMIT 1
    ) g
    CROSS JOIN LATERAL (SELECT CASE WHEN j.lane = '' AND j.task = ANY (p_lanes) THEN j.task ELSE j.lane END AS lane) h
    WHERE j.held_back_by IS DISTINCT FROM g.name OR j.lane <> h.lane
  ) held
  WHERE job.ctid = held.tid;
END
$$;

-- Sets the ready jobs of full groups in these lanes aside, but for groups of which a slot may be coming free just now. A
-- group is full when all its counters are ours and none has a place; a cold one, when as many of its slots are ours to
-- lock, by the claimed jobs that name them and the permits that have them, as its limit says.
CREATE FUNCTION set_aside(p_groups text[], p_lanes text[]) RETURNS void
${lookups} AS $$
DECLARE
  v_full text[];
  v_passed text[];         -- further groups of jobs that are set aside
BEGIN
  SELECT array_agg(g.name) INTO v_full
  FROM unnest(p_groups, limits_of(p_groups)) AS g(name, max)
  WHERE CASE WHEN is_hot(g.name) THEN (
      SELECT sum(l.used) >= sum(l.capacity)
         AND count(*) = (SELECT count(*) FROM slot_group a WHERE a.group_name = g.name)
      FROM (SELECT c.capacity, c.used FROM slot_group c WHERE c.group_name = g.name FOR UPDATE SKIP LOCKED) l)
    ELSE g.max <= (SELECT count(DISTINCT s) FROM lock_slots(g.name) AS s) END;
  IF v_full IS NULL THEN
    RETURN;
  END IF;

  WITH set_aside AS (
    UPDATE job SET lane = '*' || aside.name, shard = 0, held_back_by = aside.name
    FROM (
      SELECT DISTINCT ON (b.id) b.id, f.name
      FROM unnest(v_full) AS f(name)
      CROSS JOIN LATERAL (
        SELECT j.id FROM job j
        WHERE j.id = ANY (ARRAY(
            SELECT i.id FROM job_in_group i WHERE i.group_name = f.name AND i.state = 1 AND i.lane = ANY (p_lanes) LIMIT 5000))
          AND j.state = 1 AND j.lane = ANY (p_lanes)
        FOR UPDATE SKIP LOCKED
      ) b
    ) aside
    WHERE job.id = ANY (ARRAY[aside.id])
    RETURNING job.groups
  )
  SELECT array_agg(DISTINCT g.name) INTO v_passed
  FROM set_aside s
  CROSS JOIN LATERAL unnest(s.groups) AS g(name)
  WHERE g.name <> ALL (v_full);

  -- They may have been called back for a place in another of their groups, which they do not take now: the next in
  -- line for that group get their chance.
  PERFORM call_back(g.name, 8)
  FROM unnest(v_passed) AS g(name)
  WHERE (SELECT true FROM job j WHERE j.state = 1 AND j.lane = '*' || g.name LIMIT 1) AND NOT is_full(g.name);
END
$$;

-- Those of these groups that an eighth of the found jobs are in, or more.
CREATE FUNCTION crowds_of(p_found found, p_groups text[]) RETURNS text[]
${lookups} AS $$
BEGIN
  RETURN ARRAY(
    SELECT n.name
    FROM (
      SELECT unnest(p_found.tasks || p_found.firsts) AS name
      UNION ALL
      SELECT unnest(j.groups[2:]) FROM unnest(CASE WHEN p_found.further THEN p_found.tids END) AS f(tid) JOIN job j ON j.ctid = f.tid
    ) n
    WHERE n.name = ANY (p_groups)
    GROUP BY n.name
    HAVING 8 * count(*) >= cardinality(p_found.tids));
END
$$;

-- Locks the claimed jobs of a cold group that name slots, and its permits, but for those that others have locked; returns
-- the slots.
CREATE FUNCTION lock_slots(p_group text) RETURNS SETOF integer
${lookups} AS $$
BEGIN
  RETURN QUERY
  SELECT c.slot
  FROM claimed_in(p_group) c
  CROSS JOIN LATERAL (SELECT FROM job j WHERE j.id = c.id AND j.state = 2 AND j.slots[c.place] = c.slot FOR UPDATE SKIP LOCKED) l;
  RETURN QUERY SELECT s.slot FROM slot s WHERE s.group_name = p_group FOR UPDATE SKIP LOCKED;
END
$$;

-- The tasks of the first jobs in a line of the open lane, if none of these jobs is wanted: a claim would read past them again
-- and again.
CREATE FUNCTION unwanted_in_front(p_queues text[], p_wanted jsonb) RETURNS text[]
${lookups} AS $$
BEGIN
  IF p_wanted = '{}' THEN
    RETURN NULL;
  END IF;
  RETURN (
    SELECT array_agg(DISTINCT t.task)
    FROM unnest(p_queues) AS q(name)
    CROSS JOIN unnest(all_shards()) AS s(shard)
    CROSS JOIN LATERAL (
      SELECT array_agg(f.task) AS tasks
      FROM (
        SELECT j.task FROM job j
        WHERE j.state = 1 AND j.lane = '' AND j.shard = s.shard AND j.queue = q.name
        ORDER BY ~j.priority, j.run_at, j.id
        LIMIT 200
      ) f
      HAVING count(*) = 200 AND NOT bool_or(p_wanted ? f.task)
    ) front
    CROSS JOIN LATERAL unnest(front.tasks) AS t(task));
END
$$;

-- The full groups that keep due jobs of these tasks from a worker, or some of them: of limited tasks those without a free
-- place that have jobs in their lane or in the open one, and of jobs set aside a few for each task.
CREATE FUNCTION groups_in_the_way(p_demand demand) RETURNS text[]
${lookups} AS $$
BEGIN
  RETURN ARRAY(
    SELECT t.task
    FROM (SELECT unnest(p_demand.lanes || p_demand.hot)) AS t(task)
    WHERE p_demand.rooms ? t.task AND p_demand.limited ? t.task AND is_full(t.task)
      AND EXISTS (
        SELECT
        FROM unnest(p_demand.queues) AS q(name)
        CROSS JOIN unnest(all_shards()) AS s(shard)
        CROSS JOIN LATERAL (
          SELECT j.task FROM job j
          WHERE j.state = 1 AND j.lane = ANY (ARRAY['', t.task]) AND j.shard = s.shard AND j.queue = q.name
          LIMIT 100
        ) front
        WHERE front.task = t.task)
    UNION
    SELECT substr(a.lane, 2)
    FROM jsonb_object_keys(p_demand.rooms) AS t(task)
    CROSS JOIN LATERAL (
      SELECT j.lane, j.queue
      FROM job j
      WHERE j.state = 1 AND j.lane <> '' AND j.lane <> j.task AND j.task = t.task
      LIMIT 8
    ) a
    WHERE a.queue = ANY (p_demand.queues) AND is_full(substr(a.lane, 2)));
END
$$;

-- Where the next claim may go on after a look that left so many candidates: in lines that did not run out, at the last job found; in
-- shards that were not looked at, where it might before; but not in shards in which the claim could take nothing. Candidates that were
-- left in shards are seen when these are searched from the front again; elsewhere the next claim goes on behind a few of them only.
-- Asked before the jobs are taken: they have another place in the table then.
CREATE FUNCTION next_places(p_found found, p_lines job_line[], p_demand demand, p_left integer, p_tried smallint[])
RETURNS place_in_line[]
${lookups} AS $$
DECLARE
  v_more_there boolean := cardinality(p_found.tids) >= p_demand.jobs
    -- Of two shards, one may have run out, and jobs of the other may have been locked.
    OR (p_demand.after <> '{}' AND (SELECT count(DISTINCT l.shard) FROM unnest(p_lines) AS l WHERE l.shard > 0) > 1);
BEGIN
  RETURN ARRAY(
    SELECT (l.lane, l.shard, coalesce(j.priority, l.priority), coalesce(j.run_at, l.run_at), coalesce(j.id, l.id), l.since)::place_in_line
    FROM (
      SELECT DISTINCT ON (l.lane, l.shard) l.* FROM unnest(p_lines) AS l
      WHERE v_more_there AND l.shard <> ALL (p_tried) AND (l.shard > 0 OR 8 * p_left <= cardinality(p_found.tids))
      ORDER BY l.lane, l.shard, ~l.priority, l.run_at, l.id
    ) l
    LEFT JOIN (
      SELECT f.lane, f.shard, max(f.ord)::integer AS ord
      FROM unnest(p_found.lanes, p_found.shards) WITH ORDINALITY AS f(lane, shard, ord)
      GROUP BY f.lane, f.shard
    ) f ON f.lane = l.lane AND f.shard = l.shard
    LEFT JOIN job j ON j.ctid = p_found.tids[f.ord]
    WHERE f.ord IS NOT NULL OR l.shard > 0
    UNION ALL
    SELECT a FROM unnest(p_demand.after) AS a
    WHERE a.shard > 0 AND a.shard <> ALL (p_tried) AND NOT EXISTS (SELECT FROM unnest(p_lines) AS l WHERE l.lane = a.lane AND l.shard = a.shard));
END
$$;

-- Of found jobs that are in no group besides their tasks' own: the hot groups they are in, if all fit under slots that are lent to the
-- worker already. NULL: the admission has to decide about them.
CREATE FUNCTION gates_of(p_worker uuid, p_found found, p_demand demand) RETURNS text[]
${lookups} AS $$
BEGIN
  IF EXISTS (SELECT FROM ask a WHERE a.worker_id <> p_worker) OR EXISTS (SELECT FROM reservation) THEN
    RETURN NULL;
  END IF;
  RETURN (
    SELECT CASE WHEN bool_and(n.jobs <= coalesce(p_demand.spares[array_position(p_demand.spare_groups, n.task)], 0)) THEN array_agg(n.task) END
    FROM (SELECT f AS task, count(*) AS jobs FROM unnest(p_found.tasks) AS f WHERE p_demand.limited ? f GROUP BY f) n);
END
$$;

-- What one look of a claim at these lines comes to. Jobs in no limited group are taken as they are, and so are jobs under slots that
-- their worker has already; of all others the admission decides.
CREATE FUNCTION look_at(p_worker uuid, p_demand demand, p_lines job_line[], p_wanted jsonb, OUT p_found found, OUT p_claim claim)
${lookups} AS $$
BEGIN
  IF EXISTS (SELECT FROM reservation) THEN
    p_found := kept_job(p_demand);
    IF p_found.tids IS NOT NULL THEN
      p_claim := admit(p_worker, p_found, p_demand);
      IF p_claim.stale THEN
        RETURN;
      ELSIF p_claim.jobs <> '{}' THEN
        p_claim.busy := true;                 -- others are looked for next
        RETURN;
      END IF;
    END IF;
  END IF;
  p_found := search(p_lines, p_demand.jobs, p_wanted);
  IF p_found.tids IS NULL THEN
    RETURN;
  END IF;
  p_claim.gates := CASE
    WHEN p_found.grouped OR p_found.further OR p_demand.tight THEN NULL
    WHEN p_demand.limited ?| p_found.tasks THEN gates_of(p_worker, p_found, p_demand)
    ELSE '{}' END;
  IF p_claim.gates IS NULL THEN
    p_claim := admit(p_worker, p_found, p_demand);
  ELSE
    p_claim.jobs := ARRAY(SELECT (t, NULL)::taken FROM unnest(p_found.tids) AS t);
  END IF;
END
$$;

-- Claims a job of a task of whose group a slot is the worker's to take (demand.turns), before older jobs of its other tasks: with these in
-- front, one look after the other might take some of them, and the slot be lost. Looks at the first jobs of the open lane and of the task's
-- own. Of a task whose jobs are fetched ahead it claims none: they come so often that they would keep the worker from all others.
CREATE FUNCTION claim_in_turn(p_worker uuid, p_demand demand) RETURNS claim
${scans} AS $$
DECLARE
  v_found found;
  v_claim claim;
BEGIN
  SELECT ARRAY[j.ctid], ARRAY[j.lane], ARRAY[j.shard], ARRAY[j.task], '{NULL}'::text[], false, j.limited_group IS NOT NULL INTO v_found
  FROM job j
  WHERE j.ctid = ANY (ARRAY(
      SELECT f.tid
      FROM unnest(p_demand.turns) AS t(task)
      CROSS JOIN unnest(p_demand.queues) AS q(name)
      CROSS JOIN LATERAL (VALUES (''), (t.task)) AS l(lane)
      CROSS JOIN LATERAL (
        SELECT b.ctid AS tid, b.task
        FROM job b
        WHERE b.state = 1 AND b.lane = l.lane AND b.shard = 0 AND b.queue = q.name
        ORDER BY ~b.priority, b.run_at, b.id
        LIMIT 200
      ) f
      WHERE f.task = t.task AND p_demand.rooms ? t.task AND depth_of(t.task, p_demand.depths, p_demand.depth) = 0))
    AND j.state = 1 AND j.shard = 0
  ORDER BY ~j.priority, j.run_at, j.id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    v_claim := admit(p_worker, v_found, p_demand);
    v_claim.more := p_demand.jobs > 1;
  END IF;
  RETURN v_claim;
END
$$;

-- Claims jobs for a worker. The caller holds the rules lock, shared, and has seen under it that the worker's view of the
-- limits is current.
--
-- A claim that goes on from places in shards keeps to one or two of them. If it can take nothing there, it goes on in others. If other claims
-- keep to all that are left, it takes nothing but jobs without further groups. If none is left, or after four, it looks at all lines from the
-- front. Such a look, where there are jobs in shards, is for the sake of order, and meets keys of all workers: it is for few jobs.
CREATE FUNCTION claim(p_worker uuid, p_demand demand) RETURNS claim
${lookups} AS $$
DECLARE
  v_asked integer := p_demand.jobs;
  v_shards smallint[];     -- those that it keeps to; NULL: all lines
  v_tried smallint[] := '{}';     -- shards in which nothing could be taken
  v_wanted jsonb := p_demand.rooms;
  v_lines job_line[];
  v_several boolean;       -- whether there was more than one line to look at
  v record;                -- what the latest look came to
  v_taken integer := 0;
  v_left integer := 0;     -- candidates that it does not take
  v_crowds text[];         -- full groups of which the jobs are set aside
  v_full_tasks text[];
  v_full_looks integer := 0;      -- looks that met such
  v_before claim;          -- what it came to before the latest look
  v_claim claim;
BEGIN
  PERFORM promote_due(500);
  p_demand.queues := ARRAY(
    SELECT q FROM unnest(p_demand.queues) AS q WHERE NOT EXISTS (SELECT FROM queue p WHERE p.name = q AND p.paused));
  IF p_demand.hot <> '{}' THEN
    SELECT w.p_wanted, w.p_full_until INTO v_wanted, v_claim.full_until FROM wanted_now(p_demand) w;
  END IF;
  IF p_demand.turns <> '{}' THEN
    v_before := claim_in_turn(p_worker, p_demand);
    IF v_before.jobs <> '{}' THEN
      v_before.full_until := v_claim.full_until;
      RETURN v_before;
    END IF;
  END IF;
  IF EXISTS (SELECT FROM unnest(p_demand.after) AS a WHERE a.shard > 0) THEN
    v_shards := shards_to_claim(p_worker, p_demand.after, v_tried);
  END IF;
  FOR v_look IN 1 .. 6 LOOP
    v_lines := CASE WHEN v_wanted = '{}' THEN '{}' ELSE lines_of(p_demand, v_wanted, v_shards) END;
    v_several := cardinality(v_lines) > 1;
    v_lines := with_jobs(v_lines, v_wanted);
    IF v_shards IS NOT NULL THEN
      v_tried := v_tried || ARRAY(SELECT unnest(v_shards) EXCEPT SELECT l.shard FROM unnest(v_lines) AS l);
    ELSIF EXISTS (SELECT FROM unnest(v_lines) AS l WHERE l.shard > 0) THEN
      p_demand.jobs := least(v_asked, 128);
    END IF;
    SELECT * INTO v FROM look_at(p_worker, p_demand, v_lines, v_wanted);
    v_before := v_claim;
    v_claim := v.p_claim;
    v_claim.contended := v_before.contended || v_claim.contended;
    v_claim.full_groups := v_before.full_groups || v_claim.full_groups;
    v_claim.capped := v_before.capped || v_claim.capped;
    v_claim.unwanted := v_before.unwanted;
    v_claim.full_until := v_before.full_until;
    IF v_claim.stale THEN
      RETURN v_claim;
    END IF;
    v_taken := coalesce(cardinality(v_claim.jobs), 0);
    v_left := coalesce(cardinality((v.p_found).tids), 0) - v_taken;
    v_full_tasks := ARRAY(SELECT g FROM unnest((v.p_claim).full_groups || (v.p_claim).capped) AS g WHERE v_wanted ? g);
    IF v_full_tasks <> '{}' AND v_taken < p_demand.jobs THEN
      PERFORM note_full(v.p_found, v.p_claim, p_demand.lanes);
      v_wanted := v_wanted - v_full_tasks;
      v_claim.unwanted := CASE WHEN v_full_looks > 0 THEN v_full_tasks END;   -- once more: their jobs are in the way
      v_full_looks := v_full_looks + 1;
      CONTINUE;
    END IF;
    IF v_shards IS NULL THEN
      -- Few jobs, with nothing behind them, are in no other job's way: mostly their slots are about to come free.
      EXIT WHEN v_left <= 3 * v_taken OR (v.p_claim).full_groups IS NULL OR (v_taken + v_left < p_demand.jobs AND NOT p_demand.vain);
      -- Where a claim gets anything, or goes on in shards, setting few jobs of many keys aside would cost more than looking at them again.
      v_crowds := CASE WHEN (v_taken = 0 AND p_demand.jobs = v_asked) OR p_demand.vain OR p_demand.front THEN (v.p_claim).full_groups
        ELSE crowds_of(v.p_found, (v.p_claim).full_groups) END;
      EXIT WHEN v_crowds = '{}';
      PERFORM note_full(v.p_found, v.p_claim, p_demand.lanes);
      PERFORM set_aside(v_crowds, ARRAY(SELECT DISTINCT l.lane FROM unnest(v_lines) AS l));
    END IF;
    EXIT WHEN v_taken > 0;
    v_tried := v_tried || v_shards;
    IF v_look < 4 AND EXISTS (SELECT FROM unnest(p_demand.after) AS a WHERE a.shard > 0 AND a.shard <> ALL (v_tried)) THEN
      v_shards := shards_to_claim(p_worker, p_demand.after, v_tried);
      EXIT WHEN v_shards = '{}';
    ELSE
      v_shards := NULL;
      p_demand.after := '{}';
    END IF;
  END LOOP;
  IF p_demand.front THEN
    v_claim.unwanted := v_claim.unwanted || unwanted_in_front(p_demand.queues, v_wanted);
  END IF;
  IF (v_taken > 0 OR v_shards = '{}') AND NOT EXISTS (SELECT FROM reservation) THEN
    v_claim.ends := next_places(v.p_found, v_lines, p_demand, v_left, v_tried);
  END IF;
  v_claim.more := v_taken < v_asked AND (
    coalesce(v_claim.busy, false) OR p_demand.after <> '{}' OR (v_left > 0 AND (v.p_claim).full_groups IS NOT NULL)
    OR (v_taken > 0 AND (p_demand.tight OR v_taken + v_left >= p_demand.jobs))
    OR (v_lines <> '{}' AND (p_demand.limited <> '{}' OR v_several)
      -- Jobs that were passed over are being claimed by others, which may leave them, or moved to another lane.
      AND v_taken + v_left < (SELECT sum(c) FROM unnest(count_best(v_lines, p_demand.jobs, v_wanted)) AS c)));
  RETURN v_claim;
END
$$;
