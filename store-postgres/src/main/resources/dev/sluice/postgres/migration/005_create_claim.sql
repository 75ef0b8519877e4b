-- The claim: which jobs a worker gets, and the slots that come with them.
--
-- Ready jobs stand in lanes (see 001). A claim looks only at lanes with room: the open lane '', the lane '*' of jobs in
-- further groups, and the lanes of limited tasks whose groups have a free place or whose slots the worker holds with
-- room to spare. A million jobs in the lane of a full group are never looked at.
--
-- A job in '*' (or in its task's lane) may turn out to be in a full group. Then that group's jobs are set aside into
-- the group's own lane, in bulk, under the locks of all the group's rows: nobody can give a slot back without waiting
-- for those locks, and whoever does calls the jobs back. So each job is looked at in vain a bounded number of times,
-- and no job is forgotten.
--
-- Limited jobs are claimed together with slots: beyond what the worker can take under slots it holds, each new slot
-- is good for 1 + depth jobs, of which the worker runs one at a time and buffers the others.

-- What the candidates of a claim need, by group, in the order of names.
CREATE TYPE tally AS (
  names text[],
  limits integer[],
  depths integer[],        -- each slot is good for 1 + depth jobs
  spares integer[],        -- jobs that fit under slots the worker holds
  wanted integer[]         -- slots wanted for the others
);

-- Rows of slot_group with free places.
CREATE TYPE places AS (
  names text[],
  ns smallint[],
  rooms integer[]
);

-- What a claim takes.
CREATE TYPE choice AS (
  tids tid[],              -- the jobs, best first
  gates text[],            -- the limited groups of each, joined by newlines; NULL = none
  take_groups text[],      -- rows to take places in ...
  take_ns smallint[],
  takes integer[],         -- ... and how many
  blocked text[],          -- groups that admit nobody
  short_groups text[],     -- groups of which fewer places were locked than wanted ...
  short_rooms integer[],   -- ... and how many were
  left_lanes text[]        -- lanes of candidates that are not taken
);

-- The two functions that follow join arrays with arrays, as within_room does.
CREATE FUNCTION tally_needs(
  p_need_group text[], p_need_max integer[], p_need_depth integer[], p_spare_groups text[], p_spare integer[])
RETURNS tally
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET enable_mergejoin = on
SET jit = off
AS $$
DECLARE
  v_tally tally;
BEGIN
  SELECT array_agg(b.name ORDER BY b.name),
         array_agg(b.max ORDER BY b.name),
         array_agg(b.depth ORDER BY b.name),
         array_agg(b.spare ORDER BY b.name),
         array_agg((greatest(b.jobs - b.spare, 0) + b.depth) / (1 + b.depth) ORDER BY b.name)
  INTO v_tally
  FROM (
    SELECT n.name, max(n.max) AS max, max(n.depth) AS depth, count(*)::integer AS jobs, coalesce(max(s.spare), 0) AS spare
    FROM unnest(p_need_group, p_need_max, p_need_depth) AS n(name, max, depth)
    LEFT JOIN unnest(p_spare_groups, p_spare) AS s(name, spare) ON s.name = n.name
    GROUP BY n.name
  ) b;
  RETURN v_tally;
END
$$;

-- Chooses the candidates that every group they need admits, and the places to take for them. A group admits what fits under
-- slots the worker holds and under the places locked, 1 + depth jobs each; it counts its candidates in order, best first,
-- leaving out those that another group blocks altogether.
CREATE FUNCTION choose(
  p_found candidate[], p_tasks text[], p_room integer[], p_need_ord integer[], p_need_group text[], p_tally tally,
  p_rows places)
RETURNS choice
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET enable_mergejoin = on
SET jit = off
AS $$
DECLARE
  v_choice choice;
BEGIN
  WITH needs AS (
    SELECT n.ord, n.name FROM unnest(p_need_ord, p_need_group) AS n(ord, name)
  ), rooms AS (
    SELECT r.name, sum(r.room)::integer AS room FROM unnest(p_rows.names, p_rows.rooms) AS r(name, room) GROUP BY r.name
  ), groups AS (
    SELECT g.name, g.depth, g.spare, g.wanted, coalesce(r.room, 0) AS room,
           g.spare + least(coalesce(r.room, 0), g.wanted) * (1 + g.depth) AS allowed
    FROM unnest(p_tally.names, p_tally.depths, p_tally.spares, p_tally.wanted) AS g(name, depth, spare, wanted)
    LEFT JOIN rooms r ON r.name = g.name
  ), hopeless AS (
    SELECT DISTINCT n.ord FROM needs n JOIN groups g ON g.name = n.name WHERE g.allowed = 0
  ), ranked AS (
    SELECT n.ord, n.name, row_number() OVER (PARTITION BY n.name ORDER BY n.ord) AS rank
    FROM needs n
    LEFT JOIN hopeless h ON h.ord = n.ord
    WHERE h.ord IS NULL
  ), admitted AS (
    SELECT r.ord, bool_and(r.rank <= g.allowed) AS admitted, string_agg(r.name, E'\n' ORDER BY r.name) AS gates
    FROM ranked r
    JOIN groups g ON g.name = r.name
    GROUP BY r.ord
  ), judged AS (
    SELECT c.tid, c.ord, c.lane, c.task, a.gates, h.ord IS NULL AND coalesce(a.admitted, true) AS admitted
    FROM unnest(p_found) AS c
    LEFT JOIN admitted a ON a.ord = c.ord
    LEFT JOIN hopeless h ON h.ord = c.ord
  ), free AS (
    SELECT j.*, t.room, row_number() OVER (PARTITION BY j.task, j.admitted ORDER BY j.ord) AS rank_in_task
    FROM judged j
    JOIN unnest(p_tasks, p_room) AS t(task, room) ON t.task = j.task
  ), chosen AS (
    SELECT f.tid, f.ord, f.gates FROM free f WHERE f.admitted AND f.rank_in_task <= f.room
  ), slots AS (
    SELECT n.name, (greatest(count(*) - g.spare, 0) + g.depth) / (1 + g.depth) AS slots
    FROM needs n
    JOIN chosen c ON c.ord = n.ord
    JOIN groups g ON g.name = n.name
    GROUP BY n.name, g.spare, g.depth
  ), spread AS (
    SELECT r.name, r.n,
           least(r.room, s.slots - coalesce(sum(r.room) OVER (
             PARTITION BY r.name ORDER BY r.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::integer AS take
    FROM unnest(p_rows.names, p_rows.ns, p_rows.rooms) AS r(name, n, room)
    JOIN slots s ON s.name = r.name
  )
  SELECT (SELECT array_agg(c.tid ORDER BY c.ord) FROM chosen c),
         (SELECT array_agg(c.gates ORDER BY c.ord) FROM chosen c),
         (SELECT array_agg(s.name ORDER BY s.name, s.n) FROM spread s WHERE s.take > 0),
         (SELECT array_agg(s.n ORDER BY s.name, s.n) FROM spread s WHERE s.take > 0),
         (SELECT array_agg(s.take ORDER BY s.name, s.n) FROM spread s WHERE s.take > 0),
         (SELECT array_agg(g.name) FROM groups g WHERE g.allowed = 0),
         (SELECT array_agg(g.name ORDER BY g.name) FROM groups g WHERE g.room < g.wanted),
         (SELECT array_agg(g.room ORDER BY g.name) FROM groups g WHERE g.room < g.wanted),
         (SELECT array_agg(DISTINCT f.lane) FROM free f WHERE NOT (f.admitted AND f.rank_in_task <= f.room))
  INTO v_choice;
  RETURN v_choice;
END
$$;

-- The limited path; see the head of this file.
CREATE FUNCTION claim_limited(
  p_worker uuid, p_token bigint, p_queues text[], p_jobs integer,
  p_tasks text[], p_room integer[], p_depth integer[], p_lane boolean[], p_limited boolean[],
  p_spare_groups text[], p_spare integer[], p_after place_in_line[])
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
DECLARE
  v_limited text[] := ARRAY(SELECT t.task FROM unnest(p_tasks, p_limited) AS t(task, limited) WHERE t.limited);
  v_laned text[] := ARRAY(SELECT t.task FROM unnest(p_tasks, p_lane) AS t(task, lane) WHERE t.lane);
  v_seed integer := (random() * 50)::integer;
  v_lanes text[];          -- lanes with room ...
  v_allow integer[];       -- ... and for how many jobs
  v_queues text[];
  v_lanes_with_room text[];
  v_allowed integer[];
  v_left_lanes text[];     -- lanes in which the next claim has to start at the front
  v_found candidate[];     -- best first, locked
  v_need_ord integer[];    -- what the candidates need: candidate, ...
  v_need_group text[];     -- ... group, ...
  v_need_max integer[];    -- ... its limit (NULL: it has none) ...
  v_need_depth integer[];  -- ... and how many jobs a slot is good for, less one
  v_need_proposed integer[];  -- the limit the candidate brings along for it
  v_tally tally;           -- the same, by group
  v_rows places;           -- rows with free places, locked
  v_choice choice;
  v_unruled record;
  v_dropped integer[] := '{}';    -- candidates that are left alone
  v_full text[];
  v_passed text[];         -- further groups of jobs that are set aside
  v_missing text[];
  v_group text;
  v_more boolean;
BEGIN
  -- 1. Which lanes have room.
  SELECT array_agg(l.lane), array_agg(l.allow) INTO v_lanes, v_allow
  FROM (
    SELECT o.lane, p_jobs AS allow FROM (VALUES (''), ('*')) AS o(lane)
    UNION ALL
    SELECT t.task,
           CASE WHEN t.limited
             THEN least(t.room, p_jobs, coalesce(s.spare, 0) + greatest(coalesce(g.free, 0), 0) * (1 + t.depth))
             ELSE least(t.room, p_jobs)
           END
    FROM unnest(p_tasks, p_room, p_depth, p_lane, p_limited) AS t(task, room, depth, lane, limited)
    LEFT JOIN unnest(p_spare_groups, p_spare) AS s(name, spare) ON s.name = t.task
    LEFT JOIN LATERAL (
      SELECT sum(sg.capacity - sg.used) AS free FROM slot_group sg WHERE sg.group_name = t.task
    ) g ON t.limited
    WHERE t.lane
  ) l
  WHERE l.allow > 0;

  -- 2. How many of the best p_jobs stand in which lane and queue ...
  v_lanes_with_room := v_lanes;
  v_allowed := v_allow;
  SELECT array_agg(c.lane), array_agg(c.queue), array_agg(c.jobs) INTO v_lanes, v_queues, v_allow
  FROM (
    SELECT b.lane, b.queue, count(*)::integer AS jobs
    FROM (
      SELECT l.lane, q.name AS queue
      FROM unnest(v_lanes, v_allow) AS l(lane, allow)
      LEFT JOIN unnest(p_after) AS a ON a.lane = l.lane
      CROSS JOIN unnest(p_queues) AS q(name)
      CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT j.id, j.priority, j.run_at
          FROM job j
          WHERE a.id IS NULL
            AND j.state = 1 AND j.lane = l.lane AND j.queue = q.name AND j.task = ANY (p_tasks)
          ORDER BY j.priority DESC, j.run_at, j.id
          LIMIT l.allow) from_the_front
        UNION ALL
        SELECT * FROM (
          SELECT j.id, j.priority, j.run_at
          FROM job j
          WHERE a.id IS NOT NULL
            AND j.state = 1 AND j.lane = l.lane AND j.queue = q.name AND j.task = ANY (p_tasks)
            AND j.priority = a.priority AND (j.run_at, j.id) > (a.run_at, a.id)
          ORDER BY j.run_at, j.id
          LIMIT l.allow) from_the_place
      ) f
      ORDER BY f.priority DESC, f.run_at, f.id
      LIMIT p_jobs
    ) b
    GROUP BY b.lane, b.queue
  ) c;
  -- Lanes that ran out of jobs. Where the search did not start at the front, there may be more.
  v_left_lanes := ARRAY(
    SELECT l.lane
    FROM unnest(v_lanes_with_room, v_allowed) AS l(lane, allow)
    WHERE coalesce((SELECT sum(f.jobs) FROM unnest(v_lanes, v_allow) AS f(lane, jobs) WHERE f.lane = l.lane), 0)
          < l.allow
      AND coalesce((SELECT sum(f.jobs) FROM unnest(v_allow) AS f(jobs)), 0) < p_jobs);
  v_more := EXISTS (SELECT FROM unnest(p_after) AS a WHERE a.lane = ANY (v_left_lanes));

  -- ... and lock as many there.
  v_found := find(v_lanes, v_queues, v_allow, p_tasks, p_after);
  -- Some are being claimed by others, or moved to another lane. Those may be there for us in a moment.
  v_more := v_more OR coalesce(cardinality(v_found), 0) < (SELECT sum(f.jobs) FROM unnest(v_allow) AS f(jobs));
  IF v_found IS NULL THEN
    IF v_more THEN
      RETURN NEXT ('m', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer;
    END IF;
    RETURN;
  END IF;

  -- 3. Jobs that were submitted while their task was being given a lane belong into it.
  IF EXISTS (SELECT FROM unnest(v_found) AS c WHERE c.lane IN ('', '*') AND c.task = ANY (v_laned)) THEN
    UPDATE job SET lane = job.task
    FROM unnest(v_found) AS c
    WHERE job.ctid = c.tid AND c.lane IN ('', '*') AND c.task = ANY (v_laned);
    v_found := ARRAY(
      SELECT c::candidate FROM unnest(v_found) AS c WHERE NOT (c.lane IN ('', '*') AND c.task = ANY (v_laned)) ORDER BY c.ord);
    v_more := true;
  END IF;

  -- 4. What they need. A group without a limit is no need, if it stays without one until this commits: for plain groups
  --    the rules lock sees to that, for keyed ones their own lock. A job that brings a limit along has it set first.
  SELECT array_agg(n.ord), array_agg(n.name), array_agg(n.max), array_agg(n.depth), array_agg(n.proposed)
  INTO v_need_ord, v_need_group, v_need_max, v_need_depth, v_need_proposed
  FROM (
    SELECT c.ord, g.name, p_depth[array_position(p_tasks, c.task)] AS depth,
           CASE WHEN g.name = c.limited_group THEN c.submit_limit END AS proposed,
           coalesce(own.operator, family.operator, own.config, family.config,
                    own.code, family.code, own.submit, family.submit) AS max
    FROM unnest(v_found) AS c
    CROSS JOIN LATERAL (
      SELECT c.task AS name WHERE c.task = ANY (v_limited) OR c.limited_group = c.task
      UNION ALL
      SELECT e FROM unnest(c.groups) AS e
    ) g
    LEFT JOIN limit_rule own ON own.name = ANY (ARRAY[g.name])
    LEFT JOIN limit_rule family ON family.name = ANY (ARRAY[family_of(g.name)])
  ) n;
  IF array_position(v_need_max, NULL) IS NOT NULL THEN
    FOR v_unruled IN
      SELECT n.name, min(n.proposed) AS proposed, strpos(n.name, '/') > 0 AS keyed, array_agg(n.ord) AS ords
      FROM unnest(v_need_ord, v_need_group, v_need_max, v_need_proposed) AS n(ord, name, max, proposed)
      WHERE n.max IS NULL
      GROUP BY n.name
    LOOP
      IF v_unruled.proposed IS NOT NULL THEN
        RETURN NEXT ('p', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, v_unruled.name, v_unruled.proposed)::answer;
        v_dropped := v_dropped || v_unruled.ords;
      ELSIF v_unruled.keyed AND NOT (pg_try_advisory_xact_lock_shared(group_lock(v_unruled.name))
                                     AND limit_of(v_unruled.name) IS NULL) THEN
        v_dropped := v_dropped || v_unruled.ords;
      END IF;
    END LOOP;
    IF cardinality(v_dropped) > 0 THEN
      v_left_lanes := v_left_lanes || ARRAY(SELECT c.lane FROM unnest(v_found) AS c WHERE c.ord = ANY (v_dropped));
      v_found := ARRAY(SELECT c::candidate FROM unnest(v_found) AS c WHERE c.ord <> ALL (v_dropped) ORDER BY c.ord);
      v_more := true;
    END IF;
    SELECT array_agg(n.ord), array_agg(n.name), array_agg(n.max), array_agg(n.depth)
    INTO v_need_ord, v_need_group, v_need_max, v_need_depth
    FROM unnest(v_need_ord, v_need_group, v_need_max, v_need_depth) AS n(ord, name, max, depth)
    WHERE n.max IS NOT NULL AND n.ord <> ALL (v_dropped);
  END IF;
  v_tally := tally_needs(v_need_group, v_need_max, v_need_depth, p_spare_groups, p_spare);

  -- 5. Places of a keyed group are laid out on first use. Jobs claimed before its family had a limit are counted in.
  SELECT array_agg(g.name ORDER BY g.name) INTO v_missing
  FROM unnest(v_tally.names) AS g(name)
  WHERE NOT EXISTS (SELECT FROM slot_group sg WHERE sg.group_name = ANY (ARRAY[g.name]));
  IF v_missing IS NOT NULL THEN
    INSERT INTO slot_group (group_name, n, capacity, used)
    SELECT g.name, n, capacity_of(g.max, n), 0
    FROM unnest(v_tally.names, v_tally.limits) AS g(name, max)
    CROSS JOIN LATERAL generate_series(0, rows_of(g.max) - 1) AS n
    WHERE g.name = ANY (v_missing)
    ORDER BY g.name, n
    ON CONFLICT DO NOTHING;
    FOR v_group IN
      SELECT g FROM unnest(v_missing) AS g
      WHERE EXISTS (SELECT FROM job j WHERE j.groups[1] = g AND j.state = 2)
         OR EXISTS (SELECT FROM job j WHERE j.groups[2] = g AND j.state = 2)
         OR EXISTS (SELECT FROM job j WHERE j.groups[3] = g AND j.state = 2)
         OR EXISTS (SELECT FROM job j WHERE j.groups[4] = g AND j.state = 2)
         OR EXISTS (SELECT FROM job j WHERE j.task = g AND j.state = 2)
    LOOP
      IF adopt(v_group) > 0 THEN
        UPDATE meta SET rules_version = rules_version + 1;
        PERFORM pg_notify('sluice_${schema}', 'rules');
      END IF;
    END LOOP;
  END IF;

  -- 6. Lock as many places as are wanted, and choose the jobs that every group they need admits.
  SELECT array_agg(p.group_name), array_agg(p.n), array_agg(p.room) INTO v_rows
  FROM lock_places(v_tally.names, v_tally.wanted, v_seed) p;
  v_choice := choose(v_found, p_tasks, p_room, v_need_ord, v_need_group, v_tally, v_rows);

  -- Rows that others have locked were passed over. If they hold places that are wanted here, there is more to find: nobody
  -- who only takes places wakes those who passed them over.
  v_more := v_more OR EXISTS (
    SELECT
    FROM unnest(v_choice.short_groups, v_choice.short_rooms) AS s(name, room)
    WHERE s.room < (SELECT sum(g.capacity - g.used) FROM slot_group g WHERE g.group_name = s.name));

  -- 7. Take the slots and hand over the jobs.
  IF v_choice.take_groups IS NOT NULL THEN
    RETURN QUERY
    SELECT 's'::"char", NULL::uuid, p_token, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
           NULL::text, t.group_name, t.slot
    FROM take_slots(p_worker, p_token, v_choice.take_groups, v_choice.take_ns, v_choice.takes) t;
  END IF;
  IF v_choice.tids IS NOT NULL THEN
    RETURN QUERY SELECT * FROM hand_over(p_worker, p_token, v_choice.tids, v_choice.gates, p_tasks, p_depth);
    RETURN QUERY SELECT * FROM ends_of(v_found, v_left_lanes || coalesce(v_choice.left_lanes, '{}'));
  END IF;

  -- 8. Set the jobs of full groups aside. A group is full when all its rows are ours and none has a place.
  IF v_choice.blocked IS NOT NULL THEN
    SELECT array_agg(f.name) INTO v_full
    FROM (
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
    IF v_full IS NOT NULL THEN
      WITH set_aside AS (
        UPDATE job SET lane = '*' || aside.name
        FROM (
          SELECT DISTINCT ON (b.id) b.id, f.name
          FROM unnest(v_full) AS f(name)
          CROSS JOIN LATERAL (
            SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[1] = f.name AND j.state = 1 AND j.lane = ANY (v_lanes)
                           LIMIT 5000 FOR UPDATE SKIP LOCKED) g1
            UNION ALL
            SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[2] = f.name AND j.state = 1 AND j.lane = ANY (v_lanes)
                           LIMIT 5000 FOR UPDATE SKIP LOCKED) g2
            UNION ALL
            SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[3] = f.name AND j.state = 1 AND j.lane = ANY (v_lanes)
                           LIMIT 5000 FOR UPDATE SKIP LOCKED) g3
            UNION ALL
            SELECT * FROM (SELECT j.id FROM job j WHERE j.groups[4] = f.name AND j.state = 1 AND j.lane = ANY (v_lanes)
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
      v_more := true;

      -- They may have been called back for a place in another of their groups, which they do not take now: the next in
      -- line for that group get their chance.
      PERFORM call_back(g.name, 8)
      FROM unnest(v_passed) AS g(name)
      WHERE (SELECT true FROM job j WHERE j.state = 1 AND j.lane = '*' || g.name LIMIT 1) AND NOT is_full(g.name);
    END IF;
  END IF;

  IF v_more OR (cardinality(v_choice.tids) BETWEEN 1 AND p_jobs - 1 AND p_jobs > ANY (p_room)) THEN
    RETURN NEXT ('m', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer;
  END IF;
END
$$;

-- Claims jobs for a worker. p_lane says which of its tasks have a lane of their own, p_limited which have a limit, p_after
-- where in which lane to start. The caller holds the rules lock, shared, and has seen under it that the worker's view of
-- the limits is current.
CREATE FUNCTION claim(
  p_worker uuid, p_queues text[], p_jobs integer,
  p_tasks text[], p_room integer[], p_depth integer[], p_lane boolean[], p_limited boolean[],
  p_spare_groups text[], p_spare integer[], p_after place_in_line[])
RETURNS SETOF answer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
  v_queues text[];
  v_rows integer;
BEGIN
  PERFORM promote_due(500);
  v_queues := ARRAY(
    SELECT q FROM unnest(p_queues) AS q WHERE NOT EXISTS (SELECT FROM queue p WHERE p.name = q AND p.paused));

  IF true = ANY (p_lane)
      OR EXISTS (SELECT FROM job WHERE state = 1 AND lane = '*' AND queue = ANY (v_queues)) THEN
    RETURN QUERY SELECT * FROM claim_limited(
      p_worker, nextval('token'), v_queues, p_jobs, p_tasks, p_room, p_depth, p_lane, p_limited, p_spare_groups, p_spare,
      p_after);
  ELSE
    RETURN QUERY SELECT * FROM claim_plain(p_worker, nextval('token'), v_queues, p_jobs, p_tasks, p_room, p_depth, p_after);
  END IF;
  GET DIAGNOSTICS v_rows = ROW_COUNT;

  -- Many jobs of one unwanted task at the front of an open lane were read past; the next claim shall not have to. To see
  -- that costs about as much as reading past them, so a claim that got all it wanted looks only now and then.
  IF v_rows >= p_jobs AND random() > 0.05 THEN
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
