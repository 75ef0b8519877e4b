-- The claim: which jobs a worker gets, and the slots that come with them.
--
-- Ready jobs stand in lanes (see 001). A claim looks only at lanes with room: the open lane '', the lane '*' of jobs in
-- further groups, and the lanes of limited tasks whose groups have a free place or whose slots the worker holds with
-- room to spare. A million jobs in the lane of a full group are never looked at.
--
-- A job in '*' (or in its task's lane) may turn out to be in a full group. Then that group's jobs are set aside into the
-- group's own lane, in bulk, under the locks of all rows that count the group (for a keyed one, its slots): nobody can
-- give a slot back without waiting for those locks, and whoever does calls the jobs back. So each job is looked at in
-- vain a bounded number of times, and no job is forgotten.
--
-- Limited jobs are claimed together with slots: beyond what the worker can take under slots it holds, each new slot
-- is good for 1 + depth jobs, of which the worker runs one at a time and buffers the others.

-- How many of the best p_jobs stand in which line, up to as many as that line allows. Of many lines it reads a few jobs
-- each, and more only of those whose jobs so far are all among the best.
CREATE FUNCTION count_best(
  p_lanes text[], p_queues text[], p_allow integer[], p_jobs integer, p_tasks text[], p_after place_in_line[])
RETURNS integer[]
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_nestloop = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_quota integer[] := ARRAY(
    SELECT least(l.allow, greatest(2 * p_jobs / cardinality(p_allow), 8))
    FROM unnest(p_allow) WITH ORDINALITY AS l(allow, ord)
    ORDER BY l.ord);
  v_counts integer[];
  v_more integer[];
BEGIN
  LOOP
    v_counts := ARRAY(
      WITH best AS (
        SELECT l.ord
        FROM unnest(p_lanes, p_queues, v_quota) WITH ORDINALITY AS l(lane, queue, quota, ord)
        LEFT JOIN unnest(p_after) AS a ON a.lane = l.lane
        CROSS JOIN LATERAL (
          SELECT * FROM (
            SELECT j.id, j.priority, j.run_at
            FROM job j
            WHERE a.id IS NULL
              AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR j.task = ANY (p_tasks))
            ORDER BY j.priority DESC, j.run_at, j.id
            LIMIT l.quota) from_the_front
          UNION ALL
          SELECT * FROM (
            SELECT j.id, j.priority, j.run_at
            FROM job j
            WHERE a.id IS NOT NULL
              AND j.state = 1 AND j.lane = l.lane AND j.queue = l.queue AND (j.lane = j.task OR j.task = ANY (p_tasks))
              AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
            ORDER BY j.run_at, j.id
            LIMIT l.quota) from_the_place
        ) f
        ORDER BY f.priority DESC, f.run_at, f.id
        LIMIT p_jobs
      )
      SELECT coalesce(c.jobs, 0)::integer
      FROM generate_subscripts(p_lanes, 1) AS l(ord)
      LEFT JOIN (SELECT ord, count(*) AS jobs FROM best GROUP BY ord) c ON c.ord = l.ord
      ORDER BY l.ord);
    v_more := ARRAY(
      SELECT CASE WHEN l.jobs = l.quota THEN least(4 * l.quota, l.allow) ELSE l.quota END
      FROM unnest(v_counts, v_quota, p_allow) WITH ORDINALITY AS l(jobs, quota, allow, ord)
      ORDER BY l.ord);
    EXIT WHEN v_more = v_quota;
    v_quota := v_more;
  END LOOP;
  RETURN v_counts;
END
$$;

-- The limited path, planned: which jobs to hand over, and under which slots. Jobs and places are locked, and the slots of
-- keyed groups taken.
CREATE TYPE claim_plan AS (
  lanes text[],            -- of the lines that were searched
  found candidate[],       -- best first
  left_lanes text[],       -- lanes in which the next claim has to start at the front
  latched tally,           -- of the keyed groups whose latches are ours
  keyed places,            -- slots of keyed groups, taken
  choice choice,
  proposed_groups text[],  -- groups that have to be given the limit that a job brings along ...
  proposed_limits integer[],
  more boolean,            -- there may be more to find, now
  full_tasks text[],       -- limited tasks whose group was full a moment ago, or is ...
  full_until timestamptz[] -- ... and until when
);

CREATE FUNCTION plan_claim(
  p_worker uuid, p_token bigint, p_queues text[], p_jobs integer,
  p_tasks text[], p_room integer[], p_depth integer[], p_lane boolean[], p_limited boolean[],
  p_spare_groups text[], p_spare integer[], p_after place_in_line[])
RETURNS claim_plan
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
DECLARE
  v_limited text[] := ARRAY(SELECT t.task FROM unnest(p_tasks, p_limited) AS t(task, limited) WHERE t.limited);
  v_laned text[] := ARRAY(SELECT t.task FROM unnest(p_tasks, p_lane) AS t(task, lane) WHERE t.lane);
  v_places text[] := ARRAY(SELECT a.lane FROM unnest(p_after) AS a);
  v_seed integer := (random() * 50)::integer;
  v_lanes text[];          -- lines with room: lane, ...
  v_queues text[];         -- ... queue, ...
  v_allow integer[];       -- ... and for how many jobs
  v_jobs integer[];        -- how many to look for in each
  v_counted boolean := false;
  v_seen integer;          -- how many there were
  v_found candidate[];
  v_left_lanes text[];
  v_more boolean := false;
  v_needs needs;
  v_tally tally;
  v_unruled record;
  v_dropped integer[];     -- candidates that are left alone
  v_proposed_groups text[];
  v_proposed_limits integer[];
  v_latches integer;       -- how many may be held
  v_latched tally;         -- of the keyed groups whose latches are ours
  v_keyed places;
  v_plain places;          -- rows of plain groups with free places, locked
  v_choice choice;
  v_full_tasks text[];
  v_full_until timestamptz[];
BEGIN
  -- 1. Which lines have room, and any jobs. Where the last claim ended somewhere in a line, there probably are.
  SELECT array_agg(l.lane), array_agg(q.name), array_agg(l.allow),
         array_agg(l.lane) FILTER (WHERE l.full_until IS NOT NULL), array_agg(l.full_until) FILTER (WHERE l.full_until IS NOT NULL)
  INTO v_lanes, v_queues, v_allow, v_full_tasks, v_full_until
  FROM (
    SELECT o.lane, p_jobs AS allow, NULL::timestamptz AS full_until FROM (VALUES (''), ('*')) AS o(lane)
    UNION ALL
    SELECT t.task,
           CASE WHEN t.limited
             THEN least(t.room, p_jobs, coalesce(s.spare, 0) + greatest(coalesce(g.free, 0), 0) * (1 + t.depth))
             ELSE least(t.room, p_jobs)
           END,
           CASE WHEN g.full_since < g.full_until THEN g.full_until END
    FROM unnest(p_tasks, p_room, p_depth, p_lane, p_limited) AS t(task, room, depth, lane, limited)
    LEFT JOIN unnest(p_spare_groups, p_spare) AS s(name, spare) ON s.name = t.task
    LEFT JOIN LATERAL (
      SELECT sum(sg.capacity - sg.used) AS free,
             CASE WHEN bool_and(sg.full_since IS NOT NULL) THEN max(sg.full_since) END AS full_since,
             coalesce(min(sg.full_until) FILTER (WHERE sg.used < sg.capacity), clock_timestamp()) AS full_until
      FROM slot_group sg
      WHERE sg.group_name = t.task
    ) g ON t.limited
    WHERE t.lane
  ) l
  CROSS JOIN unnest(p_queues) AS q(name)
  WHERE l.allow > 0
    AND (l.lane = ANY (v_places)
      OR EXISTS (SELECT FROM job j WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name));
  IF v_lanes IS NULL THEN
    RETURN NULL;
  END IF;

  -- 2. Lock the best p_jobs. If they stand in several lines, see first how many of them stand in which. Mostly the first
  --    line is long and the others are short: then it does no harm to lock a few too many.
  v_jobs := v_allow;
  IF cardinality(v_lanes) > 1 THEN
    v_jobs := v_allow[1] || count_best(v_lanes[2:], v_queues[2:], v_allow[2:], p_jobs / 4 + 1, p_tasks, p_after);
    v_counted := (SELECT sum(l.jobs) FROM unnest(v_jobs[2:]) AS l(jobs)) > p_jobs / 4;
    IF v_counted THEN
      v_jobs := count_best(v_lanes, v_queues, v_allow, p_jobs, p_tasks, p_after);
    END IF;
  END IF;
  v_found := find(v_lanes, v_queues, v_jobs, p_tasks, p_after);
  -- Were others passed over?
  IF NOT v_counted AND coalesce(cardinality(v_found), 0) < least(p_jobs, (SELECT sum(l.jobs) FROM unnest(v_jobs) AS l(jobs))) THEN
    v_jobs := count_best(v_lanes, v_queues, v_allow, p_jobs, p_tasks, p_after);
  END IF;
  IF cardinality(v_found) > p_jobs THEN
    v_found := v_found[:p_jobs];
  END IF;
  v_seen := least(p_jobs, (SELECT sum(l.jobs) FROM unnest(v_jobs) AS l(jobs)));

  -- Lanes that ran out of jobs. Where the search did not start at the front, there may be more.
  v_left_lanes := ARRAY(
    SELECT l.lane
    FROM unnest(v_lanes, v_allow, v_jobs) AS l(lane, allow, jobs)
    WHERE v_seen < p_jobs
    GROUP BY l.lane
    HAVING sum(l.jobs) < max(l.allow));
  -- Jobs that were passed over are being claimed by others, or moved to another lane: they may be there for us in a moment.
  v_more := v_seen > coalesce(cardinality(v_found), 0)
         OR EXISTS (SELECT FROM unnest(p_after) AS a WHERE a.lane = ANY (v_left_lanes));
  IF v_found IS NULL THEN
    RETURN (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, v_more, NULL, NULL)::claim_plan;
  END IF;

  -- 3. Jobs that were submitted while their task was being given a lane belong into it.
  IF v_lanes && '{"", *}' AND EXISTS (SELECT FROM unnest(v_found) AS c WHERE c.lane IN ('', '*') AND c.task = ANY (v_laned)) THEN
    UPDATE job SET lane = job.task
    FROM unnest(v_found) AS c
    WHERE job.ctid = c.tid AND c.lane IN ('', '*') AND c.task = ANY (v_laned);
    v_found := ARRAY(
      SELECT c::candidate FROM unnest(v_found) AS c WHERE NOT (c.lane IN ('', '*') AND c.task = ANY (v_laned)) ORDER BY c.ord);
    v_more := true;
  END IF;

  -- 4. What they need. A group without a limit is no need, if it stays without one until this commits: for plain groups
  --    the rules lock sees to that, for keyed ones their latch. A job that brings a limit along has it set first.
  SELECT array_agg(n.ord), array_agg(n.name), array_agg(n.depth), array_agg(n.proposed) INTO v_needs
  FROM (
    SELECT c.ord, c.task AS name, p_depth[array_position(p_tasks, c.task)] AS depth,
           CASE WHEN c.task = c.limited_group THEN c.submit_limit END AS proposed
    FROM unnest(v_found) AS c
    WHERE c.task = ANY (v_limited) OR c.limited_group = c.task
    UNION ALL
    SELECT c.ord, e, p_depth[array_position(p_tasks, c.task)], CASE WHEN e = c.limited_group THEN c.submit_limit END
    FROM unnest(v_found) AS c
    CROSS JOIN LATERAL unnest(c.groups) AS e
    WHERE c.groups <> '{}'
  ) n;
  v_tally := tally_needs(v_needs, p_spare_groups, p_spare);
  v_tally.limits := limits_of(v_tally.names);
  -- Of many keyed groups, not all latches may be taken: the best candidates get theirs, the others wait for the next claim.
  v_latches := latches_allowed((SELECT count(*) FROM unnest(v_tally.names) AS n WHERE is_keyed(n)));
  v_dropped := candidates_beyond(v_needs, v_tally, v_latches);
  IF cardinality(v_dropped) > 0 OR array_position(v_tally.limits, NULL) IS NOT NULL THEN
    FOR v_unruled IN SELECT * FROM unlimited_needs(v_needs, v_tally) LOOP
      IF v_unruled.ords <@ v_dropped THEN
        CONTINUE;
      ELSIF v_unruled.proposed IS NOT NULL THEN
        v_proposed_groups := v_proposed_groups || v_unruled.name;
        v_proposed_limits := v_proposed_limits || v_unruled.proposed;
        v_dropped := v_dropped || v_unruled.ords;
      ELSIF is_keyed(v_unruled.name) THEN
        -- Two statements: one alone would look by a snapshot from before the latch.
        IF NOT pg_try_advisory_xact_lock_shared(latches(), latch_of(v_unruled.name)) THEN
          v_dropped := v_dropped || v_unruled.ords;
        ELSIF limit_of(v_unruled.name) IS NOT NULL THEN
          v_dropped := v_dropped || v_unruled.ords;
        END IF;
      END IF;
    END LOOP;
    IF cardinality(v_dropped) > 0 THEN
      v_left_lanes := v_left_lanes || ARRAY(SELECT c.lane FROM unnest(v_found) AS c WHERE c.ord = ANY (v_dropped));
      v_found := ARRAY(SELECT c::candidate FROM unnest(v_found) AS c WHERE c.ord <> ALL (v_dropped) ORDER BY c.ord);
      v_more := true;
    END IF;
    v_needs := limited_needs(v_needs, v_tally, v_dropped);
    v_tally := tally_needs(v_needs, p_spare_groups, p_spare);
    v_tally.limits := limits_of(v_tally.names);
  END IF;

  -- 5. Take as many places of keyed groups as are wanted, if nobody else is at it, lock as many of plain ones, and choose
  --    the jobs that every group they need admits.
  SELECT array_agg(n.name), array_agg(n.max), NULL, NULL, array_agg(n.wanted) INTO v_latched
  FROM unnest(v_tally.names, v_tally.limits, v_tally.wanted) AS n(name, max, wanted)
  WHERE CASE WHEN is_keyed(n.name) AND n.wanted > 0 THEN pg_try_advisory_xact_lock(latches(), latch_of(n.name)) END;
  IF v_latched.names IS NOT NULL THEN
    SELECT array_agg(t.group_name), array_agg(t.slot), array_agg(1) INTO v_keyed
    FROM take_keyed_slots(p_worker, p_token, v_latched.names, v_latched.limits, v_latched.wanted) t;
  END IF;
  SELECT array_agg(l.group_name), array_agg(l.n), array_agg(l.room) INTO v_plain
  FROM (
    SELECT array_agg(n.name) AS names, array_agg(n.wanted) AS wanted
    FROM unnest(v_tally.names, v_tally.wanted) AS n(name, wanted)
    WHERE NOT is_keyed(n.name) AND n.wanted > 0
  ) p
  CROSS JOIN LATERAL lock_places(p.names, p.wanted, v_seed) l
  WHERE p.names IS NOT NULL;
  v_choice := choose(
    v_found, p_jobs, p_tasks, p_room, v_needs, v_tally,
    (v_keyed.names || v_plain.names, v_keyed.ns || v_plain.ns, v_keyed.rooms || v_plain.rooms)::places,
    p_spare_groups, p_spare);

  -- Rows that others have locked were passed over. If they hold places that are wanted here, there is more to find: nobody
  -- who only takes places wakes those who passed them over.
  v_more := v_more OR EXISTS (
    SELECT
    FROM unnest(v_choice.short_groups, v_choice.short_rooms) AS s(name, room)
    WHERE CASE WHEN is_keyed(s.name) THEN NOT is_full(s.name)
      ELSE s.room < (SELECT sum(g.capacity - g.used) FROM slot_group g WHERE g.group_name = s.name) END);
  RETURN (v_lanes, v_found, v_left_lanes, v_latched, v_keyed, v_choice, v_proposed_groups, v_proposed_limits, v_more,
          v_full_tasks, v_full_until)::claim_plan;
END
$$;

-- The limited path, carried out.
CREATE FUNCTION carry_out(p_worker uuid, p_token bigint, p_plan claim_plan, p_tasks text[], p_depth integer[])
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
DECLARE
  v_choice choice := p_plan.choice;
  v_take places := v_choice.take;
  v_keyed places := p_plan.keyed;
  v_kept integer := 0;     -- slots of keyed groups that are needed
BEGIN
  RETURN QUERY
  SELECT 'p'::"char", NULL::uuid, NULL::bigint, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
         NULL::text, p.name, p.max
  FROM unnest(p_plan.proposed_groups, p_plan.proposed_limits) AS p(name, max);

  -- The slots. Those of keyed groups are taken already; put those back whose jobs other groups do not admit.
  IF v_take.names IS NOT NULL THEN
    RETURN QUERY
    SELECT 's'::"char", NULL::uuid, p_token, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
           NULL::text, t.name, t.n
    FROM unnest(v_take.names, v_take.ns) AS t(name, n)
    WHERE is_keyed(t.name);
    GET DIAGNOSTICS v_kept = ROW_COUNT;
  END IF;
  IF v_kept < cardinality(v_keyed.names) THEN
    DELETE FROM slot s
    USING (
      SELECT * FROM unnest(v_keyed.names, v_keyed.ns) AS k(name, n)
      EXCEPT
      SELECT * FROM unnest(v_take.names, v_take.ns) AS t(name, n)
    ) k
    WHERE s.group_name = ANY (ARRAY[k.name]) AND s.slot = k.n;
  END IF;
  IF v_kept < cardinality(v_take.names) THEN
    RETURN QUERY
    SELECT 's'::"char", NULL::uuid, p_token, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
           NULL::text, t.group_name, t.slot
    FROM (
      SELECT array_agg(p.name) AS names, array_agg(p.n) AS ns, array_agg(p.take) AS takes
      FROM unnest(v_take.names, v_take.ns, v_take.rooms) AS p(name, n, take)
      WHERE NOT is_keyed(p.name)
    ) p
    CROSS JOIN LATERAL take_slots(p_worker, p_token, p.names, p.ns, p.takes) t;
  END IF;

  -- The jobs.
  IF v_choice.tids IS NOT NULL THEN
    RETURN QUERY SELECT * FROM hand_over(
      p_worker, p_token, v_choice.tids, v_choice.gates, p_tasks, p_depth, p_plan.full_tasks, p_plan.full_until);
  END IF;
END
$$;

-- Sets the jobs aside that a claim has found to be in full groups, but for groups that others are at just now.
CREATE FUNCTION set_aside(p_plan claim_plan) RETURNS void
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
  v_choice choice := p_plan.choice;
  v_latched tally := p_plan.latched;
  v_full text[];
  v_passed text[];         -- further groups of jobs that are set aside
BEGIN
  IF coalesce(cardinality(v_choice.blocked), 0) = 0 THEN
    RETURN;
  END IF;
  -- A group is full when all its rows are ours and none has a place; a keyed one, when as many of its slots are ours to
  -- lock as its limit says.
  SELECT array_agg(f.name) INTO v_full
  FROM (
    SELECT k.name
    FROM unnest(v_latched.names, v_latched.limits) AS k(name, max)
    WHERE k.name = ANY (v_choice.blocked)
      AND k.max <= (
        SELECT count(*) FROM (SELECT FROM slot s WHERE s.group_name = k.name FOR UPDATE SKIP LOCKED) held)
    UNION ALL
    SELECT l.group_name AS name
    FROM (
      SELECT g.group_name, g.capacity, g.used
      FROM slot_group g
      WHERE g.group_name = ANY (v_choice.blocked)
      FOR UPDATE SKIP LOCKED
    ) l
    GROUP BY l.group_name
    HAVING sum(l.used) >= sum(l.capacity)
       AND count(*) = (SELECT count(*) FROM slot_group a WHERE a.group_name = l.group_name)
  ) f;
  IF v_full IS NULL THEN
    RETURN;
  END IF;

  WITH set_aside AS (
    UPDATE job SET lane = '*' || aside.name, held_back_by = aside.name
    FROM (
      SELECT DISTINCT ON (b.id) b.id, f.name
      FROM unnest(v_full) AS f(name)
      CROSS JOIN LATERAL (
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[1] = f.name AND j.state = 1 AND j.lane = ANY (p_plan.lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g1
        UNION ALL
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[2] = f.name AND j.state = 1 AND j.lane = ANY (p_plan.lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g2
        UNION ALL
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[3] = f.name AND j.state = 1 AND j.lane = ANY (p_plan.lanes)
                       LIMIT 5000 FOR UPDATE SKIP LOCKED) g3
        UNION ALL
        SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[4] = f.name AND j.state = 1 AND j.lane = ANY (p_plan.lanes)
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

-- The full groups that keep due jobs of these tasks from a worker, or some of them: of limited tasks those without a free
-- place whose lanes are not empty, of jobs set aside a few for each task, and those a claim was blocked by.
CREATE FUNCTION groups_in_the_way(p_queues text[], p_tasks text[], p_limited text[], p_blocked text[]) RETURNS SETOF answer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT 'f'::"char", NULL::uuid, NULL::bigint, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
         NULL::text, w.name, NULL::integer
  FROM (
    SELECT t.task AS name
    FROM unnest(p_limited) AS t(task)
    WHERE (SELECT sum(g.capacity - g.used) FROM slot_group g WHERE g.group_name = t.task) <= 0
      AND EXISTS (
        SELECT
        FROM unnest(p_queues) AS q(name)
        WHERE EXISTS (SELECT FROM job j WHERE j.state = 1 AND j.lane = t.task AND j.queue = q.name))
    UNION
    SELECT b.name FROM unnest(p_blocked) AS b(name) WHERE is_full(b.name)
    UNION
    SELECT substr(a.lane, 2)
    FROM unnest(p_tasks) AS t(task)
    CROSS JOIN LATERAL (
      SELECT j.lane, j.queue
      FROM job j
      WHERE j.state = 1 AND j.lane <> '' AND j.lane <> '*' AND j.lane <> j.task AND j.task = t.task
      LIMIT 8
    ) a
    WHERE a.queue = ANY (p_queues) AND is_full(substr(a.lane, 2))
  ) w;
END
$$;

-- Claims jobs for a worker. p_lane says which of its tasks have a lane of their own, p_limited which have a limit,
-- p_after where in which lane to start, p_tell whether to look for what kept jobs away, p_highest_token which token the
-- worker has seen. The caller holds the rules lock,
-- shared, and has seen under it that the worker's view of the limits is current.
CREATE FUNCTION claim(
  p_worker uuid, p_queues text[], p_jobs integer,
  p_tasks text[], p_room integer[], p_depth integer[], p_lane boolean[], p_limited boolean[],
  p_spare_groups text[], p_spare integer[], p_after place_in_line[], p_tell boolean DEFAULT false,
  p_highest_token bigint DEFAULT 0)
RETURNS SETOF answer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
  v_token bigint := nextval('token');
  v_queues text[];
  v_plan claim_plan;
  v_choice choice;
  v_rows integer;
  v_short boolean;         -- fewer jobs than asked for
  v_more boolean := false;
  v_tell boolean := false; -- whether to look for what kept jobs away
BEGIN
  IF v_token <= p_highest_token THEN
    PERFORM raise_tokens(p_highest_token);
    v_token := nextval('token');
  END IF;
  PERFORM promote_due(500);
  v_queues := ARRAY(
    SELECT q FROM unnest(p_queues) AS q WHERE NOT EXISTS (SELECT FROM queue p WHERE p.name = q AND p.paused));

  IF true = ANY (p_lane)
      OR EXISTS (SELECT FROM job WHERE state = 1 AND lane = '*' AND queue = ANY (v_queues)) THEN
    v_plan := plan_claim(
      p_worker, v_token, v_queues, p_jobs, p_tasks, p_room, p_depth, p_lane, p_limited, p_spare_groups, p_spare, p_after);
    v_choice := v_plan.choice;
    RETURN QUERY SELECT * FROM carry_out(p_worker, v_token, v_plan, p_tasks, p_depth);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    PERFORM set_aside(v_plan);
    IF cardinality(v_choice.tids) > 0 THEN
      RETURN QUERY SELECT * FROM ends_of(v_plan.found, v_plan.lanes, v_plan.left_lanes || v_choice.left_lanes);
    END IF;
    -- What there is to find for the next claim: jobs behind those that were in the way, and jobs of other tasks where one
    -- had room for a few only.
    v_short := coalesce(cardinality(v_choice.tids), 0) < p_jobs;
    IF v_plan.more OR cardinality(v_choice.blocked) > 0
        OR (cardinality(v_choice.tids) BETWEEN 1 AND p_jobs - 1 AND p_jobs > ANY (p_room)) THEN
      v_more := true;
      RETURN NEXT ('m', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer;
    END IF;
  ELSE
    RETURN QUERY SELECT * FROM claim_plain(p_worker, v_token, v_queues, p_jobs, p_tasks, p_room, p_depth, p_after);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_short := v_rows < p_jobs;
  END IF;

  -- What kept jobs away. Who is told to look again at once is told this then. Below saturation most claims are short, and
  -- nothing kept anything away: that costs a look at one index.
  IF p_tell AND v_short AND NOT v_more THEN
    v_tell := true = ANY (p_limited)
      OR EXISTS (SELECT FROM job WHERE state = 1 AND lane <> '' AND lane <> '*' AND lane <> task);
  END IF;
  IF v_tell OR cardinality(v_choice.blocked) > 0 THEN
    RETURN QUERY SELECT * FROM groups_in_the_way(
      v_queues,
      CASE WHEN v_tell THEN p_tasks END,
      CASE WHEN v_tell THEN ARRAY(SELECT t.task FROM unnest(p_tasks, p_limited) AS t(task, limited) WHERE t.limited) END,
      v_choice.blocked);
  END IF;

  -- Many jobs of one unwanted task at the front of an open lane were read past; the next claim shall not have to. To see
  -- that costs about as much as reading past them, so a claim that got all it wanted looks only now and then.
  IF v_rows >= p_jobs AND v_token % 20 <> 0 THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT 'x'::"char", NULL::uuid, NULL::bigint, first.task, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
         NULL::text, NULL::text, NULL::integer
  FROM unnest(v_queues) AS q(name)
  CROSS JOIN (VALUES (''), ('*')) AS l(lane)
  CROSS JOIN LATERAL (
    SELECT j.task FROM job j
    WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name
    ORDER BY j.priority DESC, j.run_at, j.id
    LIMIT 1
  ) first
  WHERE first.task <> ALL (p_tasks)
    AND first.task = (
      SELECT j.task FROM job j
      WHERE j.state = 1 AND j.lane = l.lane AND j.queue = q.name
      ORDER BY j.priority DESC, j.run_at, j.id
      OFFSET 200 LIMIT 1);
END
$$;
