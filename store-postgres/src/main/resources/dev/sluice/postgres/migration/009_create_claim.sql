-- The claim: which jobs a worker gets, and the slots that come with them.
--
-- Ready jobs stand in lanes. A claim looks at the open lanes '' and '*', where jobs of all tasks stand, limited or
-- not, and at those lanes of tasks whose groups may have room. The search locks the best jobs, the admission
-- chooses among them. If none of the worker's tasks has a limit or a lane and no job stands in '*', the claim is plain:
-- one index scan for each queue, and no table of the limits is read.
--
-- Jobs of full groups must not be in the way of others:
--   The jobs of a task whose own group is full are not wanted. The claim looks again without them; and where many of
--   them stand at the front of an open lane, their task gets a lane of its own (give_lanes).
--   The jobs of any other full group are passed by, as long as a claim for few jobs takes at least one of four that it finds, and
--   one for many takes any and finds no crowd (claim_limited). Beyond that they are set aside into the group's own lane, in bulk, under locks on
--   all that fills the group: nothing can free a slot of it without waiting for those locks, and what does calls the jobs
--   back. So there is a bound to the looks in vain, and no job is forgotten.

-- What a claim comes to.
CREATE TYPE claim AS (
  jobs taken[],            -- best first
  gates text[],            -- hot groups that jobs are in
  lend places,             -- slots that the worker is lent for them
  ends place_in_line[],    -- where the next claim may start
  more boolean,            -- there may be more to find, now
  full_groups text[],      -- that kept jobs from the worker
  capped text[],           -- that did so for the sake of other workers or jobs
  unwanted text[],         -- tasks whose jobs are in the way
  contended text[],        -- cold groups that should be hot
  proposed_groups text[],  -- groups that have to be given the limit that a job brings along ...
  proposed_limits integer[],
  stale boolean,           -- limits have changed, and nothing is claimed
  full_until jsonb         -- tasks of hot groups that were full a moment ago, or are, and until when
);

-- Whether a cold group may admit jobs of this worker: a slot is free, or one that the worker's jobs name is not as deep as it
-- should be. See admit_cold.
CREATE FUNCTION may_admit(p_worker uuid, p_group text, p_depth integer) RETURNS boolean
LANGUAGE plpgsql STABLE
${lookups}
AS $$
DECLARE
  v_limit integer := limit_of(p_group);
BEGIN
  RETURN (
    SELECT count(DISTINCT h.slot) < v_limit OR (
      count(DISTINCT h.slot) = v_limit
      AND count(*) FILTER (WHERE own) < count(DISTINCT h.slot) FILTER (WHERE own) * (1 + p_depth))
    FROM (
      SELECT s.slot, s.job_id IS NOT NULL AND s.worker_id = p_worker AS own FROM held_slot s WHERE s.group_name = p_group
    ) h);
END
$$;

-- For how many jobs the worker's hot tasks have room, under slots that are lent to it and under free places; and until when
-- they were last full.
CREATE FUNCTION hot_rooms(p_demand demand)
RETURNS TABLE (task text, room integer, full_until timestamptz)
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN QUERY
  SELECT t.task,
         coalesce(p_demand.spares[array_position(p_demand.spare_groups, t.task)], 0)
           + least(greatest(coalesce(g.free, 0), 0) * (1 + depth_of(t.task, p_demand.depths, p_demand.depth)), p_demand.jobs)::integer,
         CASE WHEN g.full_since < g.full_until THEN g.full_until END
  FROM unnest(p_demand.hot) AS t(task)
  CROSS JOIN LATERAL (
    SELECT sum(sg.capacity - sg.used) AS free,
           CASE WHEN bool_and(sg.full_since IS NOT NULL) THEN max(sg.full_since) END AS full_since,
           coalesce(min(sg.full_until) FILTER (WHERE sg.used < sg.capacity), clock_timestamp()) AS full_until
    FROM slot_group sg
    WHERE sg.group_name = t.task
  ) g;
END
$$;

-- The shard that a claim keeps to: one of those in which the worker's latest claims ended somewhere; NULL: it looks at all.
-- The live workers of the same tasks and queues divide the shards, by number. Three claims of four are for a worker's own, so it
-- rarely meets a key of which another has claimed jobs ahead; the fourth is for any, so that the jobs of a worker without
-- room go on too. Nothing depends on it: it is the latch and the look that decide.
CREATE FUNCTION shard_to_claim(p_worker uuid, p_after place_in_line[], p_own_only boolean, OUT shard integer, OUT own boolean)
LANGUAGE sql
SET search_path = ${schema}, pg_temp
AS $$
  SELECT s.shard, s.own
  FROM (
    SELECT a.shard, (a.shard - w.mine) % w.all = 0 AS own
    FROM (SELECT DISTINCT a.shard FROM unnest(p_after) AS a WHERE a.shard IS NOT NULL) a
    CROSS JOIN (
      SELECT count(*) FILTER (WHERE w.id < p_worker) AS mine, greatest(least(count(*), 16), 1) AS all
      FROM worker w
      JOIN worker o ON o.id = p_worker
      WHERE w.expires_at > clock_timestamp() AND w.queues = o.queues AND w.tasks = o.tasks
    ) w
  ) s
  CROSS JOIN (SELECT random() < 0.75 AS own OFFSET 0) r
  WHERE s.own OR NOT p_own_only
  ORDER BY r.own AND NOT s.own, random()
  LIMIT 1
$$;

-- The lines that have room, and any jobs: the open lanes, and the lanes of tasks that are wanted; of lanes with places in
-- shards, the one shard. Where the last claim ended somewhere in a line, there probably are jobs.
CREATE FUNCTION lines_with_room(
  p_worker uuid, p_demand demand, p_after place_in_line[], p_queues text[], p_wanted jsonb, p_shard integer) RETURNS lines
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_places text[] := ARRAY(SELECT a.lane FROM unnest(p_after) AS a WHERE a.shard IS NULL OR a.shard = p_shard);
  v_sharded text[] := ARRAY(SELECT a.lane FROM unnest(p_after) AS a WHERE p_shard IS NOT NULL AND a.shard IS NOT NULL);
  v_lines lines;
BEGIN
  SELECT array_agg(l.lane), array_agg(q.name), array_agg(CASE WHEN l.lane = ANY (v_sharded) THEN p_shard END), array_agg(l.allow)
  INTO v_lines
  FROM (
    SELECT o.lane, p_demand.jobs AS allow FROM (VALUES (''), ('*')) AS o(lane)
    UNION ALL
    SELECT t.task, least((p_wanted -> t.task)::integer, p_demand.jobs)
    FROM unnest(p_demand.lanes) AS t(task)
    WHERE p_wanted ? t.task
      AND (NOT p_demand.limited ? t.task OR t.task = ANY (p_demand.hot) 
        OR may_admit(p_worker, t.task, depth_of(t.task, p_demand.depths, p_demand.depth)))
  ) l
  CROSS JOIN unnest(p_queues) AS q(name)
  WHERE l.allow > 0
    AND (l.lane = ANY (v_places) OR (
      l.lane <> ALL (v_sharded) AND EXISTS (SELECT FROM job j WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name)));
  RETURN v_lines;
END
$$;

-- Locks the best jobs of these lines. If they stand in several, it sees first how many of them stand in which. Mostly the
-- first line is long and the others are short: then it does no harm to lock a few too many. Says how many jobs there were to
-- see, and which lanes ran out of jobs.
CREATE FUNCTION search(
  p_lines lines, p_jobs integer, p_wanted jsonb, p_after place_in_line[], OUT p_found found, OUT p_seen integer, OUT p_ran_out text[])
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_counts integer[] := p_lines.allow;
  v_counted boolean := false;
BEGIN
  IF cardinality(p_lines.lanes) > 1 THEN
    v_counts := p_lines.allow[1] || count_best(
      (p_lines.lanes[2:], p_lines.queues[2:], p_lines.shards[2:], p_lines.allow[2:])::lines, p_jobs / 4 + 1, p_wanted, p_after);
    v_counted := (SELECT sum(l.jobs) FROM unnest(v_counts[2:]) AS l(jobs)) > p_jobs / 4;
    IF v_counted THEN
      v_counts := count_best(p_lines, p_jobs, p_wanted, p_after);
    END IF;
  END IF;
  p_found := find(p_lines, v_counts, p_wanted, p_after);
  IF cardinality(p_found.tids) > p_jobs THEN
    p_found := best_of(p_found, p_jobs);
  END IF;
  p_seen := coalesce(cardinality(p_found.tids), 0);
  IF p_seen < p_jobs THEN
    -- Others may have been passed over. In a shard it is as if they were not there: other shards are next.
    IF NOT v_counted AND array_position(p_lines.shards, NULL) IS NOT NULL THEN
      v_counts := count_best(p_lines, p_jobs, p_wanted, p_after);
      v_counted := true;
    END IF;
    IF v_counted THEN
      p_seen := least(p_jobs, (SELECT sum(l.jobs) FROM unnest(v_counts) AS l(jobs)));
    END IF;
  END IF;
  p_ran_out := ARRAY(
    SELECT l.lane
    FROM unnest(p_lines.lanes, p_lines.allow, v_counts) AS l(lane, allow, jobs)
    WHERE p_seen < p_jobs
    GROUP BY l.lane
    HAVING max(l.allow) > CASE WHEN v_counted THEN sum(l.jobs) ELSE cardinality(array_positions(p_found.lanes, l.lane)) END);
END
$$;

-- The tasks that a claim wants jobs of, and up to how many: not those of hot groups that are full. Of a task in its own lane,
-- more jobs than there is room for would keep jobs of other tasks from being found. And until when hot groups were full.
CREATE FUNCTION wanted_now(p_demand demand, OUT p_wanted jsonb, OUT p_full_until jsonb)
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_hot record;
BEGIN
  p_wanted := p_demand.rooms;
  FOR v_hot IN SELECT * FROM hot_rooms(p_demand) LOOP
    IF v_hot.room = 0 THEN
      p_wanted := p_wanted - v_hot.task;
    ELSIF p_wanted ? v_hot.task AND 4 * v_hot.room < least((p_wanted -> v_hot.task)::integer, p_demand.jobs) THEN
      p_wanted := p_wanted || jsonb_build_object(v_hot.task, 4 * v_hot.room);
    END IF;
    IF v_hot.full_until IS NOT NULL THEN
      p_full_until := coalesce(p_full_until, '{}') || jsonb_build_object(v_hot.task, v_hot.full_until);
    END IF;
  END LOOP;
END
$$;

-- One look of a claim, in a shard or in whole lanes.
CREATE TYPE looked AS (
  jobs integer,            -- how many it was for
  lines lines,             -- where
  found found,
  ran_out text[],          -- lanes that have no more jobs
  more boolean,            -- there may be more to find, now
  admission admission      -- what was admitted of the jobs that were found
);

-- Looks once. For few jobs, it takes no more than 128, unless it only looks at the lane of jobs without further groups.
CREATE FUNCTION look_once(
  p_worker uuid, p_demand demand, p_after place_in_line[], p_queues text[], p_wanted jsonb, p_shard integer, p_few boolean)
RETURNS looked
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_lines lines := lines_with_room(p_worker, p_demand, p_after, p_queues, p_wanted, p_shard);
  v_search record;
  v_looked looked;
BEGIN
  IF p_few AND '' <> ANY (v_lines.lanes) THEN
    p_demand.jobs := least(p_demand.jobs, 128);
    v_lines.allow := ARRAY(SELECT least(l.allow, 128) FROM unnest(v_lines.allow) WITH ORDINALITY AS l(allow, ord) ORDER BY l.ord);
  END IF;
  v_looked.jobs := p_demand.jobs;
  v_looked.lines := v_lines;
  IF v_lines.lanes IS NOT NULL THEN
    SELECT * INTO v_search FROM search(v_lines, p_demand.jobs, p_wanted, p_after);
    v_looked.found := v_search.p_found;
    v_looked.ran_out := v_search.p_ran_out;
    -- Jobs that were passed over are being claimed by others, or moved to another lane: they may be there in a moment. And a
    -- search that did not start at the front of a lane has not seen all of it.
    v_looked.more := v_search.p_seen > coalesce(cardinality((v_search.p_found).tids), 0)
                  OR EXISTS (SELECT FROM unnest(p_after) AS a WHERE a.lane = ANY (v_search.p_ran_out));
    IF (v_search.p_found).tids IS NOT NULL THEN
      v_looked.admission := admit(p_worker, v_looked.found, p_demand, p_shard);
    END IF;
  END IF;
  RETURN v_looked;
END
$$;

-- Where a look ended: see ends_of, in the search.
CREATE FUNCTION ends_of_look(p_looked looked, p_shard integer) RETURNS place_in_line[]
LANGUAGE sql
SET search_path = ${schema}, pg_temp
AS $$
  SELECT ends_of(p_looked.found, p_looked.ran_out, (p_looked.admission).left_lanes, ARRAY(
    SELECT l.lane FROM unnest((p_looked.lines).lanes, (p_looked.lines).shards) AS l(lane, shard) WHERE l.shard IS NOT NULL), p_shard)
$$;

-- The limited path: looks, and looks once more without the tasks whose groups turn out to be full.
--
-- A claim for many jobs looks at whole lanes now and then, and in shards otherwise. A look at whole lanes is for the sake of
-- order, and meets keys of all workers, as a look in a shard of another worker does: both are for few jobs. A look that can
-- take none is followed by one in another shard, of the worker's own after whole lanes; after four such, by one at whole lanes.
-- Jobs of a full group are set aside if there is a crowd of them, or if the claim can take none at all; a claim for few jobs
-- sets them aside if it can take less than one of four that it finds.
CREATE FUNCTION claim_limited(p_worker uuid, p_demand demand, p_queues text[]) RETURNS claim
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_many boolean := p_demand.jobs >= 64;           -- see LinePositions
  v_after place_in_line[] := p_demand.after;
  v_shard record;
  v_shards integer := 0;                           -- in how many it could take none
  v_ahead boolean := false;                        -- whether it looks past jobs that are in front of whole lanes
  v_looked looked;
  v_admission admission;
  v_taken integer;
  v_wanted jsonb;
  v_full_tasks text[];
  v_rounds integer := 0;
  v_claim claim;
BEGIN
  SELECT * INTO v_wanted, v_claim.full_until FROM wanted_now(p_demand);
  LOOP
    v_looked := NULL;
    v_admission := NULL;
    EXIT WHEN v_wanted = '{}';
    SELECT * INTO v_shard FROM shard_to_claim(p_worker, v_after, v_ahead);
    v_looked := look_once(p_worker, p_demand, v_after, p_queues, v_wanted, v_shard.shard,
      v_many AND v_rounds = 0 AND v_shard.own IS NOT TRUE AND (v_shard.shard IS NOT NULL OR p_demand.after = '{}'));
    v_admission := v_looked.admission;
    v_taken := coalesce(cardinality(v_admission.jobs), 0);
    IF v_admission.stale THEN
      v_claim.stale := true;
      RETURN v_claim;
    END IF;
    v_claim.contended := v_claim.contended || v_admission.contended;
    v_claim.full_groups := v_claim.full_groups || v_admission.full_groups;
    v_claim.capped := v_claim.capped || v_admission.capped;
    v_full_tasks := ARRAY(SELECT g FROM unnest(v_admission.full_groups || v_admission.capped) AS g WHERE v_wanted ? g);
    IF v_taken = 0 AND v_shard.shard IS NOT NULL THEN
      v_shards := v_shards + 1;
      v_after := CASE WHEN v_shards < 4 THEN ARRAY(SELECT a FROM unnest(v_after) AS a WHERE a.shard <> v_shard.shard) ELSE '{}' END;
      v_wanted := v_wanted - v_full_tasks;
      PERFORM set_aside(v_admission.crowded, (v_looked.lines).lanes);
      CONTINUE;
    ELSIF v_taken = 0 AND v_many AND p_demand.after = '{}' AND NOT v_ahead AND v_admission.full_groups IS NOT NULL THEN
      v_ahead := true;
      v_after := ends_of_look(v_looked, NULL);
      PERFORM set_aside(v_admission.crowded, (v_looked.lines).lanes);
      CONTINUE WHEN EXISTS (SELECT FROM unnest(v_after) AS a WHERE a.shard IS NOT NULL);
    END IF;
    EXIT WHEN v_admission IS NULL OR v_taken >= v_looked.jobs OR (v_full_tasks = '{}' AND (v_taken > 0 OR v_looked.jobs = p_demand.jobs));
    v_rounds := v_rounds + 1;
    IF v_rounds = 2 THEN
      -- Too many full tasks are in the way to look past them.
      v_claim.unwanted := v_full_tasks;
      EXIT;
    END IF;
    PERFORM note_full(v_looked.found, v_admission, p_demand.lanes);
    v_wanted := v_wanted - v_full_tasks;
  END LOOP;
  -- A claim that found as many as it wanted sees whether unwanted jobs are in front if it has looked there.
  IF p_demand.tell AND (coalesce(cardinality((v_looked.found).tids), 0) < v_looked.jobs OR p_demand.after = '{}') IS NOT FALSE THEN
    v_claim.unwanted := v_claim.unwanted || unwanted_in_front(p_queues, v_wanted);
  END IF;
  v_claim.more := v_looked.more;
  IF v_admission IS NULL THEN
    RETURN v_claim;
  END IF;
  v_claim.jobs := v_admission.jobs;
  v_claim.gates := v_admission.gates;
  v_claim.lend := v_admission.lend;
  v_claim.proposed_groups := v_admission.proposed_groups;
  v_claim.proposed_limits := v_admission.proposed_limits;
  IF v_taken > 0 AND v_many THEN
    -- The places in other shards are as they were.
    v_claim.ends := ARRAY(SELECT a FROM unnest(v_after) AS a WHERE a.shard <> v_shard.shard) || ends_of_look(v_looked, v_shard.shard);
  END IF;
  v_claim.more := v_claim.more OR v_admission.busy OR (v_admission.left_jobs > 0 AND v_admission.full_groups IS NOT NULL)
    OR (v_looked.jobs < p_demand.jobs AND v_taken > 0 AND cardinality((v_looked.found).tids) = v_looked.jobs)
    OR (v_taken > 0 AND v_taken < p_demand.jobs AND (p_demand.tight OR v_shard.shard IS NOT NULL));
  IF v_admission.left_jobs > 3 * v_taken AND (v_taken = 0 OR NOT v_many) THEN
    PERFORM note_full(v_looked.found, v_admission, p_demand.lanes);
    PERFORM set_aside(v_admission.full_groups, (v_looked.lines).lanes);
  ELSE
    PERFORM set_aside(v_admission.crowded, (v_looked.lines).lanes);
  END IF;
  RETURN v_claim;
END
$$;

-- Notes on the jobs that were found and left which full group was in their way. Those that stand in an open lane though
-- their task has got a lane move there: claims may have had them locked whenever settle_lanes came by.
CREATE FUNCTION note_full(p_found found, p_admission admission, p_lanes text[]) RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  UPDATE job SET held_back_by = held.by, lane = held.lane
  FROM (
    SELECT j.ctid AS tid, g.name AS by, h.lane
    FROM (SELECT unnest(p_found.tids) EXCEPT SELECT t.tid FROM unnest(p_admission.jobs) AS t) AS f(tid)
    JOIN job j ON j.ctid = f.tid
    CROSS JOIN LATERAL (
      SELECT n AS name FROM unnest(j.task || j.groups) AS n WHERE n = ANY (p_admission.full_groups) LIMIT 1
    ) g
    CROSS JOIN LATERAL (
      SELECT CASE WHEN j.lane IN ('', '*') AND j.task = ANY (p_lanes) THEN j.task ELSE j.lane END AS lane
    ) h
    WHERE j.held_back_by IS DISTINCT FROM g.name OR j.lane <> h.lane
  ) held
  WHERE job.ctid = held.tid;
END
$$;

-- Sets the ready jobs of full groups in these lanes aside, but for groups of which a slot may be coming free just now. A
-- group is full when all its counters are ours and none has a place; a cold one, when as many of its slots are ours to
-- lock, by the claimed jobs that name them and the permits that have them, as its limit says.
CREATE FUNCTION set_aside(p_groups text[], p_lanes text[]) RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_full text[];
  v_passed text[];         -- further groups of jobs that are set aside
BEGIN
  IF p_groups IS NULL THEN
    RETURN;
  END IF;
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
    UPDATE job SET lane = '*' || aside.name, held_back_by = aside.name
    FROM (
      SELECT DISTINCT ON (b.id) b.id, f.name
      FROM unnest(v_full) AS f(name)
      CROSS JOIN LATERAL (
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[1] = f.name AND j.state = 1 AND j.lane = ANY (p_lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g1
        UNION ALL
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[2] = f.name AND j.state = 1 AND j.lane = ANY (p_lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g2
        UNION ALL
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[3] = f.name AND j.state = 1 AND j.lane = ANY (p_lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g3
        UNION ALL
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[4] = f.name AND j.state = 1 AND j.lane = ANY (p_lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g4
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

-- Locks the claimed jobs of a cold group that name slots, and its permits, but for those that others have locked; returns
-- the slots.
CREATE FUNCTION lock_slots(p_group text) RETURNS SETOF integer
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN QUERY SELECT j.slots[1] FROM job j
    WHERE j.state = 2 AND j.task = p_group AND j.slots[1] IS NOT NULL FOR UPDATE SKIP LOCKED;
  RETURN QUERY SELECT j.slots[2] FROM job j
    WHERE j.groups[1] = p_group AND j.state > 1 AND j.slots[2] IS NOT NULL FOR UPDATE SKIP LOCKED;
  RETURN QUERY SELECT j.slots[3] FROM job j
    WHERE j.groups[2] = p_group AND j.state > 1 AND j.slots[3] IS NOT NULL FOR UPDATE SKIP LOCKED;
  RETURN QUERY SELECT j.slots[4] FROM job j
    WHERE j.groups[3] = p_group AND j.state > 1 AND j.slots[4] IS NOT NULL FOR UPDATE SKIP LOCKED;
  RETURN QUERY SELECT j.slots[5] FROM job j
    WHERE j.groups[4] = p_group AND j.state > 1 AND j.slots[5] IS NOT NULL FOR UPDATE SKIP LOCKED;
  RETURN QUERY SELECT s.slot FROM slot s WHERE s.group_name = p_group FOR UPDATE SKIP LOCKED;
END
$$;

-- The tasks of the first jobs in an open lane, if none of these jobs is wanted: a claim would read past them again and again.
CREATE FUNCTION unwanted_in_front(p_queues text[], p_wanted jsonb) RETURNS text[]
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  IF p_wanted = '{}' THEN
    RETURN NULL;
  END IF;
  RETURN (
    SELECT array_agg(DISTINCT t.task)
    FROM unnest(p_queues) AS q(name)
    CROSS JOIN (VALUES (''), ('*')) AS l(lane)
    CROSS JOIN LATERAL (
      SELECT j.task FROM job j
      WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name
      ORDER BY j.priority DESC, j.run_at, j.id
      LIMIT 1
    ) first
    CROSS JOIN LATERAL (
      SELECT array_agg(f.task) AS tasks
      FROM (
        SELECT j.task FROM job j
        WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name
        ORDER BY j.priority DESC, j.run_at, j.id
        LIMIT 200
      ) f
      HAVING count(*) = 200 AND NOT bool_or(p_wanted ? f.task)
    ) front
    CROSS JOIN LATERAL unnest(front.tasks) AS t(task)
    WHERE NOT p_wanted ? first.task);
END
$$;

-- The plain path: no limit touches any job it can find. One index scan per queue, no join with anything of the limits.
CREATE FUNCTION claim_plain(p_demand demand, p_queues text[]) RETURNS claim
LANGUAGE plpgsql
${scans}
AS $$
DECLARE
  v_queues integer := cardinality(p_queues);
  v_found found := find(
    (array_fill(''::text, ARRAY[v_queues]), p_queues, NULL, NULL)::lines, array_fill(p_demand.jobs, ARRAY[v_queues]),
    p_demand.rooms, p_demand.after);
  v_full boolean := cardinality(v_found.tids) >= p_demand.jobs;
  v_claim claim;
BEGIN
  IF cardinality(v_found.tids) > p_demand.jobs THEN
    v_found := best_of(v_found, p_demand.jobs);
  END IF;
  IF p_demand.tight AND v_found.tids IS NOT NULL THEN
    v_claim.jobs := choose_within_room(v_found, p_demand);
  ELSE
    v_claim.jobs := ARRAY(SELECT (t, NULL)::taken FROM unnest(v_found.tids) AS t);
  END IF;
  IF cardinality(v_claim.jobs) = p_demand.jobs THEN
    v_claim.ends := ends_of(v_found, '{}', '{}', '{}', NULL);
  END IF;
  -- A task whose room is small may have stood in front of others; it has none left now, so look again without it. And a
  -- search that did not start at the front has not seen everything.
  v_claim.more := NOT coalesce(v_full AND cardinality(v_claim.jobs) = p_demand.jobs, false)
    AND ((cardinality(v_claim.jobs) > 0 AND p_demand.tight) OR cardinality(p_demand.after) > 0);
  RETURN v_claim;
END
$$;

-- Those of the jobs for whose task there is room.
CREATE FUNCTION choose_within_room(p_found found, p_demand demand) RETURNS taken[]
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN ARRAY(
    SELECT (r.tid, NULL)::taken
    FROM (
      SELECT c.tid, c.ord, (p_demand.rooms -> c.task)::integer AS room,
             row_number() OVER (PARTITION BY c.task ORDER BY c.ord) AS rank
      FROM unnest(p_found.tids, p_found.tasks) WITH ORDINALITY AS c(tid, task, ord)
    ) r
    WHERE r.rank <= r.room
    ORDER BY r.ord);
END
$$;

-- The full groups that keep due jobs of these tasks from a worker, or some of them: of limited tasks those without a free
-- place that have jobs in their lane, and of jobs set aside a few for each task.
CREATE FUNCTION groups_in_the_way(p_demand demand) RETURNS text[]
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN ARRAY(
    SELECT t.task
    FROM unnest(p_demand.lanes) AS t(task)
    WHERE p_demand.rooms ? t.task AND p_demand.limited ? t.task AND is_full(t.task)
      AND EXISTS (
        SELECT
        FROM unnest(p_demand.queues) AS q(name)
        WHERE EXISTS (SELECT FROM job j WHERE j.state = 1 AND j.lane = t.task AND j.queue = q.name))
    UNION
    SELECT t.task
    FROM unnest(p_demand.hot) AS t(task)
    WHERE p_demand.rooms ? t.task AND is_full(t.task)
      AND EXISTS (
        SELECT
        FROM unnest(p_demand.queues) AS q(name)
        CROSS JOIN (VALUES (''), ('*')) AS l(lane)
        CROSS JOIN LATERAL (
          SELECT j.task FROM job j
          WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name
          ORDER BY j.priority DESC, j.run_at, j.id
          LIMIT 100
        ) front
        WHERE front.task = t.task)
    UNION
    SELECT substr(a.lane, 2)
    FROM jsonb_object_keys(p_demand.rooms) AS t(task)
    CROSS JOIN LATERAL (
      SELECT j.lane, j.queue
      FROM job j
      WHERE j.state = 1 AND j.lane <> '' AND j.lane <> '*' AND j.lane <> j.task AND j.task = t.task
      LIMIT 8
    ) a
    WHERE a.queue = ANY (p_demand.queues) AND is_full(substr(a.lane, 2)));
END
$$;

-- Claims jobs for a worker. The caller holds the rules lock, shared, and has seen under it that the worker's view of the
-- limits is current.
CREATE FUNCTION claim(p_worker uuid, p_demand demand) RETURNS claim
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_queues text[] := ARRAY(
    SELECT q FROM unnest(p_demand.queues) AS q WHERE NOT EXISTS (SELECT FROM queue p WHERE p.name = q AND p.paused));
  v_claim claim;
BEGIN
  PERFORM promote_due(500);
  IF p_demand.limited <> '{}' OR cardinality(p_demand.lanes) > 0
      OR EXISTS (SELECT FROM unnest(p_demand.after) AS a WHERE a.lane = '*')
      OR EXISTS (SELECT FROM job WHERE state = 1 AND lane = '*' AND queue = ANY (v_queues)) THEN
    v_claim := claim_limited(p_worker, p_demand, v_queues);
  ELSE
    v_claim := claim_plain(p_demand, v_queues);
    IF p_demand.tell AND (coalesce(cardinality(v_claim.jobs), 0) < p_demand.jobs OR cardinality(p_demand.after) = 0) THEN
      v_claim.unwanted := unwanted_in_front(v_queues, p_demand.rooms);
    END IF;
  END IF;
  RETURN v_claim;
END
$$;
