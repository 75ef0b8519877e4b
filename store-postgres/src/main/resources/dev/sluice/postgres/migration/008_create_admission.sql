-- Admission: which of the jobs that a claim has found each of their limited groups admits, and in which slots. This is the
-- one place where a limit is decided, for cold groups and for hot ones (see the limits).
--
-- All or nothing: a job is taken with a slot in each of its groups, or left where it is. Candidates are admitted one after
-- the other, best first: each that finds room in all its groups.

-- A job to take, and the slots it names.
CREATE TYPE taken AS (tid tid, slots integer[]);

-- Places of hot groups: so many in row n of slot_group.
CREATE TYPE places AS (names text[], ns integer[], counts integer[]);

CREATE TYPE admission AS (
  jobs taken[],            -- best first
  gates text[],            -- hot groups that candidates are in
  lend places,             -- slots that the worker is lent for them
  full_groups text[],      -- groups that admit none, since they are full ...
  crowded text[],          -- ... and those of them, but for tasks' own groups, with a crowd of candidates
  capped text[],           -- groups that admit none, since their free slots are for other workers or jobs
  busy boolean,            -- candidates were left although their groups may have room
  contended text[],        -- cold groups that should be hot
  left_lanes text[],       -- lanes of candidates that are not taken
  left_jobs integer,       -- how many these are
  stale boolean,           -- limits have changed, and nothing is admitted
  proposed_groups text[],  -- groups that have to be given the limit that a job brings along ...
  proposed_limits integer[]
);

-- Takes the latches of cold groups, and of keys without a limit shared, so that none comes. The groups whose latch another
-- transaction has admit none this time, and likewise those beyond the number of latches that a claim may hold. Says of
-- which groups it is sure.
CREATE FUNCTION latch_groups(p_groups needed_groups) RETURNS boolean[]
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_wanted bigint := (
    SELECT count(DISTINCT latch_of(g.name)) FROM unnest(p_groups.names, p_groups.kinds) AS g(name, kind)
    WHERE g.kind = 'c' OR (g.kind = 'u' AND is_keyed(g.name)));
  v_most integer := latches_allowed(v_wanted);
  v_last integer;
  v_sure boolean[];
BEGIN
  IF v_wanted > v_most THEN
    -- Not all may be taken: those of the best candidates.
    v_last := (
      SELECT min(g.first) FROM unnest(p_groups.names, p_groups.kinds, p_groups.firsts) AS g(name, kind, first)
      WHERE g.kind = 'c' OR (g.kind = 'u' AND is_keyed(g.name))
      GROUP BY latch_of(g.name)
      ORDER BY 1 OFFSET v_most LIMIT 1);
  END IF;
  v_sure := ARRAY(
    SELECT CASE
      WHEN g.kind = 'c' THEN (g.first >= v_last) IS NOT TRUE AND pg_try_advisory_xact_lock(latches(), latch_of(g.name))
      WHEN g.kind = 'u' AND is_keyed(g.name)
        THEN (g.first >= v_last) IS NOT TRUE AND pg_try_advisory_xact_lock_shared(latches(), latch_of(g.name))
      ELSE true
    END
    FROM unnest(p_groups.names, p_groups.kinds, p_groups.firsts) AS g(name, kind, first));
  -- A key without a limit may have got one before its latch was ours. A statement of its own sees that.
  IF 'u' = ANY (p_groups.kinds) THEN
    v_sure := ARRAY(
      SELECT g.sure AND (g.kind <> 'u' OR NOT is_keyed(g.name) OR limit_of(g.name) IS NULL)
      FROM unnest(p_groups.names, p_groups.kinds, v_sure) WITH ORDINALITY AS g(name, kind, sure, ord)
      ORDER BY g.ord);
  END IF;
  RETURN v_sure;
END
$$;

-- The look: of those of these cold groups that are in use, by how many jobs, in which slots, in which by this worker's jobs
-- alone, the least used first, and by how many. The caller holds their latches, since before this statement.
--
-- Keys are looked for in one scan of an index, in which the names are in order. Where no claimed job has a second group, none
-- is looked for there; nor among lent slots where there are no permits.
CREATE FUNCTION look(p_worker uuid, p_gs integer[], p_names text[])
RETURNS TABLE (g integer, jobs integer, slots integer[], own integer[], own_jobs integer)
LANGUAGE plpgsql
${lookups}
AS $$
#variable_conflict use_column
DECLARE
  v_second text[] := CASE WHEN EXISTS (SELECT FROM job WHERE groups[2] IS NOT NULL AND state > 1) THEN p_names END;
  v_plain text[] := ARRAY(SELECT n FROM unnest(p_names) AS n WHERE NOT is_keyed(n));
  v_lent text[] := CASE WHEN EXISTS (SELECT FROM slot WHERE expires_at IS NOT NULL) THEN p_names ELSE v_plain END;
  v_used text[];
  v_slots integer[];
  v_own boolean[];
  v_jobs integer[];
BEGIN
  SELECT array_agg(u.name), array_agg(u.slot), array_agg(u.own), array_agg(u.jobs)
  INTO v_used, v_slots, v_own, v_jobs
  FROM (
    SELECT c.name, c.slot, bool_and(c.worker_id = p_worker AND c.named) AS own, count(*)::integer AS jobs
    FROM (
      SELECT j.groups[1] AS name, j.slots[2] AS slot, j.worker_id, true AS named
      FROM job j WHERE j.groups[1] = ANY (p_names) AND j.state > 1
      UNION ALL
      SELECT j.groups[2], j.slots[3], j.worker_id, true FROM job j WHERE j.groups[2] = ANY (v_second) AND j.state > 1
      UNION ALL
      SELECT j.groups[3], j.slots[4], j.worker_id, true FROM job j WHERE j.groups[3] = ANY (v_second) AND j.state > 1
      UNION ALL
      SELECT j.groups[4], j.slots[5], j.worker_id, true FROM job j WHERE j.groups[4] = ANY (v_second) AND j.state > 1
      UNION ALL
      SELECT j.task, j.slots[1], j.worker_id, true FROM job j WHERE j.task = ANY (v_plain) AND j.state = 2
      UNION ALL
      SELECT s.group_name, s.slot, s.worker_id, false FROM slot s WHERE s.group_name = ANY (v_lent)
    ) c
    WHERE c.slot IS NOT NULL
    GROUP BY c.name, c.slot
  ) u;
  RETURN QUERY
  SELECT s.g, sum(s.jobs)::integer, array_agg(s.slot), array_agg(s.slot) FILTER (WHERE s.own),
         (sum(s.jobs) FILTER (WHERE s.own))::integer
  FROM (
    SELECT n.g, u.slot, u.own, u.jobs
    FROM unnest(v_used, v_slots, v_own, v_jobs) AS u(name, slot, own, jobs)
    JOIN unnest(p_gs, p_names) AS n(g, name) ON n.name = u.name
    ORDER BY n.g, u.jobs, u.slot
  ) s
  GROUP BY s.g;
END
$$;

-- How many jobs of which cold groups are admitted, into which slots, where any is in use: free ones first, then those that
-- the worker's jobs are in already, as far as they are not as deep as they should be. None while more slots are in use than
-- the limit allows.
CREATE FUNCTION admit_cold(p_worker uuid, p_heat_above integer, INOUT p_groups needed_groups, OUT p_contended text[])
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v_gs integer[];
  v_names text[];
  v_allowed integer[] := p_groups.allowed;
  v_seats integer[] := p_groups.seats;
  v_seat_from integer[] := p_groups.seat_from;
  v_seat_slots integer[] := '{}';
  v_used record;
  v_limit integer;
  v_depth integer;
  v_cap integer;
  v_free integer;
  v_ahead integer;
  v_slot integer;
BEGIN
  IF p_groups.caps IS NOT NULL THEN
    FOR i IN 1 .. cardinality(p_groups.caps) LOOP
      IF p_groups.kinds[i] = 'c' AND p_groups.caps[i] IS NOT NULL THEN
        v_cap := greatest(p_groups.caps[i], 0);
        v_allowed[i] := least(v_allowed[i], v_cap::bigint * (1 + p_groups.depths[i]));
        v_seats[i] := least(v_seats[i], greatest(v_cap, 1));
      END IF;
    END LOOP;
  END IF;
  SELECT array_agg(g.g), array_agg(g.name) INTO v_gs, v_names
  FROM unnest(p_groups.names, p_groups.kinds, p_groups.allowed) WITH ORDINALITY AS g(name, kind, allowed, g)
  WHERE g.kind = 'c' AND g.allowed > 0;
  FOR v_used IN SELECT * FROM look(p_worker, v_gs, v_names) LOOP
    v_limit := p_groups.limits[v_used.g];
    v_depth := p_groups.depths[v_used.g];
    v_cap := p_groups.caps[v_used.g];
    v_free := greatest(least(v_limit - cardinality(v_used.slots), p_groups.jobs[v_used.g], v_cap), 0);
    v_ahead := CASE WHEN cardinality(v_used.slots) <= v_limit AND v_used.own IS NOT NULL AND (v_cap < 0) IS NOT TRUE
      THEN greatest(cardinality(v_used.own) * (1 + v_depth) - v_used.own_jobs, 0) ELSE 0 END;
    v_allowed[v_used.g] := least(p_groups.jobs[v_used.g], v_free::bigint * (1 + v_depth) + v_ahead);
    v_seat_from[v_used.g] := cardinality(v_seat_slots);
    v_slot := 0;
    WHILE v_free > 0 LOOP
      IF v_slot <> ALL (v_used.slots) THEN
        v_seat_slots := v_seat_slots || v_slot;
        v_free := v_free - 1;
      END IF;
      v_slot := v_slot + 1;
    END LOOP;
    IF v_ahead > 0 THEN
      v_seat_slots := v_seat_slots || v_used.own;
    END IF;
    v_seats[v_used.g] := greatest(cardinality(v_seat_slots) - v_seat_from[v_used.g], 1);
    IF v_used.jobs > p_heat_above AND NOT is_keyed(p_groups.names[v_used.g]) THEN
      p_contended := p_contended || p_groups.names[v_used.g];
    END IF;
  END LOOP;
  p_groups.allowed := v_allowed;
  p_groups.seats := v_seats;
  p_groups.seat_from := v_seat_from;
  p_groups.seat_slots := v_seat_slots;
END
$$;

-- How many jobs of which hot groups are admitted: those that fit under slots that are lent to the worker, and under places
-- that are free, which are locked here.
CREATE FUNCTION admit_hot(p_demand demand, INOUT p_groups needed_groups, OUT p_places places)
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v record;
  v_allowed integer[] := p_groups.allowed;
  v_hot record;
BEGIN
  SELECT array_agg(h.g) AS gs, array_agg(h.name) AS names, array_agg(h.spare) AS spares,
         array_agg(least((greatest(h.jobs - h.spare, 0) + h.depth) / (1 + h.depth), CASE WHEN h.cap < 0 THEN 0 ELSE h.cap END))
           AS wanted
  INTO v
  FROM (
    SELECT g.g, g.name, g.jobs, g.depth, g.cap, greatest(coalesce(s.spare, 0) + least(g.cap, 0) * (1 + g.depth), 0) AS spare
    FROM unnest(p_groups.names, p_groups.kinds, p_groups.jobs, p_groups.depths, p_groups.caps)
      WITH ORDINALITY AS g(name, kind, jobs, depth, cap, g)
    LEFT JOIN unnest(p_demand.spare_groups, p_demand.spares) AS s(name, spare) ON s.name = g.name
    WHERE g.kind = 'h'
  ) h;
  SELECT array_agg(l.group_name), array_agg(l.n), array_agg(l.room) INTO p_places
  FROM lock_places(v.names, v.wanted, (random() * 50)::integer) l;
  FOR v_hot IN
    SELECT h.g, h.spare, least(h.wanted, coalesce(p.room, 0)) AS slots
    FROM unnest(v.gs, v.names, v.spares, v.wanted) AS h(g, name, spare, wanted)
    LEFT JOIN (
      SELECT name, sum(room)::integer AS room FROM unnest(p_places.names, p_places.counts) AS p(name, room) GROUP BY name
    ) p ON p.name = h.name
  LOOP
    v_allowed[v_hot.g] := least(
      p_groups.jobs[v_hot.g], v_hot.spare + v_hot.slots::bigint * (1 + p_groups.depths[v_hot.g]));
  END LOOP;
  p_groups.allowed := v_allowed;
END
$$;

-- Admits what keys admit, in one statement, in the case of nearly all jobs with keys: each is in one key besides its task's own
-- group, all keys have the limit of their family, and no permit and no job's second group has a slot of any key. A key admits
-- jobs of this worker if no other worker names a slot of it: all its slots are this worker's to name then, free ones first. Above
-- the limit 1 this is for shards alone: looks at whole lanes share the slots of a key among workers, in the general way.
--
-- Returns the candidates that their keys admit, with a slot for each, and without the keys, which are not needed any more; which
-- keys are full, and which of these are crowded; and whether candidates were left out whose latch another transaction has. In
-- all other cases (also: other workers ask for these keys, limits above 64) the candidates are as they were.
CREATE FUNCTION admit_keys(
  p_worker uuid, INOUT p_found found, p_demand demand, p_shard integer, OUT p_full text[], OUT p_crowded text[], OUT p_busy boolean)
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v_limit integer;
  v_latches integer[];
  v_missed integer[];
  v_room bigint;           -- for how many jobs a key has room: each of its slots for as many as the least depth among the tasks says
  v record;
BEGIN
  IF p_found.further OR array_position(p_found.firsts, NULL) IS NOT NULL OR NOT have_family_limit(p_found.firsts)
      OR EXISTS (SELECT FROM ask a WHERE a.worker_id <> p_worker AND a.group_name = ANY (p_found.firsts)) THEN
    RETURN;
  END IF;
  v_limit := limit_of(family_of(p_found.firsts[1]));
  v_latches := ARRAY(SELECT DISTINCT latch_of(f) FROM unnest(p_found.firsts) AS f);
  IF v_limit IS NULL OR v_limit NOT BETWEEN 1 AND 64 OR (v_limit > 1 AND p_shard IS NULL)
      OR cardinality(v_latches) > latches_allowed(cardinality(v_latches)) THEN
    RETURN;
  END IF;
  v_missed := ARRAY(SELECT l FROM unnest(v_latches) AS l WHERE NOT pg_try_advisory_xact_lock(latches(), l));
  IF EXISTS (SELECT FROM slot WHERE expires_at IS NOT NULL) OR EXISTS (SELECT FROM job WHERE groups[2] IS NOT NULL AND state > 1) THEN
    RETURN;
  END IF;
  v_room := v_limit * (1 + CASE WHEN p_demand.depths = '{}' THEN p_demand.depth ELSE (
    SELECT min(depth_of(t.task, p_demand.depths, p_demand.depth)) FROM (SELECT DISTINCT task FROM unnest(p_found.tasks) AS task) t)
  END::bigint);
  SELECT array_agg(c.tid) FILTER (WHERE c.fits) AS tids, array_agg(c.lane) FILTER (WHERE c.fits) AS lanes,
         array_agg(c.task) FILTER (WHERE c.fits) AS tasks, array_agg(c.slot) FILTER (WHERE c.fits) AS slots,
         array_agg(c.first) FILTER (WHERE c.rank = 1 AND c.none) AS full,
         array_agg(c.first) FILTER (WHERE c.rank = crowd() AND c.none) AS crowded, bool_or(NOT c.latched) AS busy
  INTO v
  FROM (
    SELECT k.*, k.latched AND k.own AND k.jobs + k.rank <= v_room AS fits,
           k.latched AND (k.own OR v_limit = 1) AND NOT (k.own AND k.jobs < v_room) AS none,
           CASE WHEN k.seats IS NULL THEN (k.rank - 1) % v_limit ELSE k.seats[1 + (k.rank - 1) % v_limit] END AS slot
    FROM (
      SELECT r.*, coalesce(h.own, true) AS own, coalesce(h.jobs, 0) AS jobs, h.seats
      FROM (
        SELECT f.*, v_missed = '{}' OR latch_of(f.first) <> ALL (v_missed) AS latched,
               (row_number() OVER (PARTITION BY f.first ORDER BY f.ord))::integer AS rank
        FROM unnest(p_found.tids, p_found.lanes, p_found.tasks, p_found.firsts) WITH ORDINALITY AS f(tid, lane, task, first, ord)
      ) r
      LEFT JOIN (SELECT * FROM held_keys(p_worker, p_found.firsts, v_limit) OFFSET 0) h ON h.key = r.first
    ) k
    ORDER BY k.ord
  ) c;
  p_found := (v.tids, v.lanes, v.tasks, array_fill(NULL::text, ARRAY[coalesce(cardinality(v.tids), 0)]), v.slots, false)::found;
  p_full := v.full;
  p_crowded := v.crowded;
  p_busy := v.busy;
END
$$;

-- Those of these keys of which claimed jobs name slots: how many jobs; whether all are this worker's, in slots below the limit;
-- and, where there are several, the slots in the order to name them: free ones, then those that fewest jobs name.
CREATE FUNCTION held_keys(p_worker uuid, p_keys text[], p_limit integer)
RETURNS TABLE (key text, jobs bigint, own boolean, seats integer[])
LANGUAGE plpgsql STABLE
${lookups}
AS $$
BEGIN
  RETURN QUERY
  SELECT u.key, sum(u.jobs)::bigint, bool_and(u.own), CASE WHEN p_limit > 1 THEN
           ARRAY(SELECT n FROM generate_series(0, p_limit - 1) AS n WHERE n <> ALL (array_agg(u.slot))) || array_agg(u.slot ORDER BY u.jobs)
         END
  FROM (
    SELECT j.groups[1] AS key, j.slots[2] AS slot, count(*) AS jobs, bool_and(j.worker_id IS NOT DISTINCT FROM p_worker) AND j.slots[2] < p_limit AS own
    FROM job j
    WHERE j.groups[1] = ANY (p_keys) AND j.state > 1 AND j.slots[2] IS NOT NULL
    GROUP BY j.groups[1], j.slots[2]
  ) u
  GROUP BY u.key;
END
$$;

-- How many jobs of one full group, among those that a claim finds, are a crowd: see claim_limited, in the claim.
CREATE FUNCTION crowd() RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT 64 $$;

-- What a job names that has these slots in its task's own group and in its first further one.
CREATE FUNCTION slots_in(p_own integer, p_first integer) RETURNS integer[]
LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN p_first IS NOT NULL THEN ARRAY[p_own, p_first] WHEN p_own IS NOT NULL THEN ARRAY[p_own] END $$;

-- The slot of the candidate of this rank in a cold group.
CREATE FUNCTION slot_of(p_g integer, p_rank integer, p_groups needed_groups) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE WHEN p_groups.seat_from[p_g] < 0 THEN (p_rank - 1) % p_groups.seats[p_g]
    ELSE p_groups.seat_slots[p_groups.seat_from[p_g] + (p_rank - 1) % p_groups.seats[p_g] + 1] END
$$;

-- Counts the candidates of groups that do not admit all of theirs: each, best first, is admitted if every group it needs has
-- room left, and has the rank 0 otherwise, in all its groups. Groups that admit all keep their ranks, unless jobs would share
-- a slot for the sake of a candidate that is left out.
CREATE FUNCTION counted(p_needs needs, p_groups needed_groups) RETURNS needs
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v_left integer[] := p_groups.allowed;
  v_ranks integer[] := p_needs.ranks;
  v_candidate record;
  v_fits boolean;
  v_gaps integer[] := '{}';
  v_need record;
BEGIN
  IF p_needs.single THEN
    p_needs.ranks := ARRAY(
      SELECT CASE WHEN n.rank <= p_groups.allowed[n.g] THEN n.rank ELSE 0 END
      FROM unnest(p_needs.gs, p_needs.ranks) WITH ORDINALITY AS n(g, rank, nth)
      ORDER BY n.nth);
    RETURN p_needs;
  END IF;
  FOR v_candidate IN
    SELECT array_agg(n.nth) AS nths, array_agg(n.g) AS gs
    FROM unnest(p_needs.ords, p_needs.gs) WITH ORDINALITY AS n(ord, g, nth)
    WHERE n.ord IN (
      SELECT o.ord FROM unnest(p_needs.ords, p_needs.gs) AS o(ord, g) WHERE p_groups.allowed[o.g] < p_groups.jobs[o.g])
    GROUP BY n.ord
    ORDER BY n.ord
  LOOP
    v_fits := true;
    FOR i IN 1 .. cardinality(v_candidate.gs) LOOP
      v_fits := v_fits AND v_left[v_candidate.gs[i]] > 0;
    END LOOP;
    FOR i IN 1 .. cardinality(v_candidate.gs) LOOP
      IF NOT v_fits THEN
        v_ranks[v_candidate.nths[i]] := 0;
        IF p_groups.seats[v_candidate.gs[i]] < p_groups.jobs[v_candidate.gs[i]] THEN
          v_gaps := v_gaps || v_candidate.gs[i];
        END IF;
      ELSIF p_groups.allowed[v_candidate.gs[i]] < p_groups.jobs[v_candidate.gs[i]] THEN
        v_left[v_candidate.gs[i]] := v_left[v_candidate.gs[i]] - 1;
        v_ranks[v_candidate.nths[i]] := p_groups.allowed[v_candidate.gs[i]] - v_left[v_candidate.gs[i]];
      END IF;
    END LOOP;
  END LOOP;
  FOR v_need IN
    SELECT n.nth, row_number() OVER (PARTITION BY n.g ORDER BY n.ord) AS rank
    FROM unnest(p_needs.ords, p_needs.gs, v_ranks) WITH ORDINALITY AS n(ord, g, rank, nth)
    WHERE v_gaps <> '{}' AND n.rank > 0 AND n.g = ANY (v_gaps) AND p_groups.kinds[n.g] = 'c'
  LOOP
    v_ranks[v_need.nth] := v_need.rank;
  END LOOP;
  p_needs.ranks := v_ranks;
  RETURN p_needs;
END
$$;

-- The candidates that all their groups admit, as counted, with their slots.
CREATE FUNCTION choose(p_found found, p_needs needs, p_groups needed_groups) RETURNS taken[]
LANGUAGE plpgsql
${lists}
AS $$
BEGIN
  IF p_needs.single THEN
    RETURN ARRAY(
      SELECT (p_found.tids[n.ord], slots_in(
                CASE WHEN n.place = 1 AND p_groups.kinds[n.g] = 'c' THEN slot_of(n.g, n.rank, p_groups) END,
                CASE WHEN n.place = 2 AND p_groups.kinds[n.g] = 'c' THEN slot_of(n.g, n.rank, p_groups)
                  ELSE p_found.slots[n.ord] END))::taken
      FROM unnest(p_needs.ords, p_needs.places, p_needs.gs, p_needs.ranks) AS n(ord, place, g, rank)
      WHERE n.rank > 0
      ORDER BY n.ord);
  END IF;
  RETURN ARRAY(
    SELECT (f.tid, CASE WHEN p_found.slots IS NULL THEN b.slots ELSE slots_in(b.slots[1], p_found.slots[f.ord]) END)::taken
    FROM unnest(p_found.tids) WITH ORDINALITY AS f(tid, ord)
    LEFT JOIN (
      SELECT n.ord, min(n.rank) AS least_rank,
             CASE WHEN count(n.slot) > 0 THEN ARRAY[
               max(n.slot) FILTER (WHERE n.place = 1), max(n.slot) FILTER (WHERE n.place = 2),
               max(n.slot) FILTER (WHERE n.place = 3), max(n.slot) FILTER (WHERE n.place = 4),
               max(n.slot) FILTER (WHERE n.place = 5)] END AS slots
      FROM (
        SELECT a.ord, a.place, a.rank,
               CASE WHEN a.rank > 0 AND p_groups.kinds[a.g] = 'c' THEN slot_of(a.g, a.rank, p_groups) END AS slot
        FROM unnest(p_needs.ords, p_needs.places, p_needs.gs, p_needs.ranks) AS a(ord, place, g, rank)
      ) n
      GROUP BY n.ord
    ) b ON b.ord = f.ord
    WHERE b.least_rank IS DISTINCT FROM 0
    ORDER BY f.ord);
END
$$;

-- The places to take for the chosen jobs of hot groups, of those that are locked: as many slots as do not fit under those
-- that are lent to the worker already.
CREATE FUNCTION lend_for(p_needs needs, p_groups needed_groups, p_demand demand, p_places places) RETURNS places
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v_lend places;
BEGIN
  SELECT array_agg(t.name), array_agg(t.n), array_agg(t.take) INTO v_lend
  FROM (
    SELECT p.name, p.n, least(p.room, w.slots - coalesce(sum(p.room) OVER (
             PARTITION BY p.name ORDER BY p.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::integer AS take
    FROM unnest(p_places.names, p_places.ns, p_places.counts) AS p(name, n, room)
    JOIN (
      SELECT c.name, (greatest(c.jobs - coalesce(s.spare, 0), 0) + c.depth) / (1 + c.depth) AS slots
      FROM (
        SELECT p_groups.names[n.g] AS name, p_groups.depths[n.g] AS depth, count(*) AS jobs
        FROM unnest(p_needs.gs, p_needs.ranks) AS n(g, rank)
        WHERE n.rank > 0 AND p_groups.kinds[n.g] = 'h'
        GROUP BY n.g
      ) c
      LEFT JOIN unnest(p_demand.spare_groups, p_demand.spares) AS s(name, spare) ON s.name = c.name
    ) w ON w.name = p.name
  ) t
  WHERE t.take > 0;
  RETURN v_lend;
END
$$;

-- Adds which groups do not admit all their candidates, which are of these tasks, and why.
CREATE FUNCTION with_refusals(
  p_admission admission, p_groups needed_groups, p_sure boolean[], p_heat_above integer, p_tasks text[]) RETURNS admission
LANGUAGE plpgsql
${lists}
AS $$
BEGIN
  -- A hot group of which other claims have counters locked may have room: none that only takes places wakes this worker.
  SELECT p_admission.full_groups || array_agg(g.name) FILTER (WHERE g.full),
         p_admission.crowded || array_agg(g.name) FILTER (WHERE g.full AND g.jobs >= crowd() AND g.name <> ALL (p_tasks)),
         array_agg(g.name) FILTER (WHERE g.none AND g.cap IS NOT NULL AND NOT is_full(g.name)),
         p_admission.contended || array_agg(g.name) FILTER (
           WHERE g.kind = 'c' AND (NOT g.sure OR g.jobs - g.allowed > p_heat_above) AND NOT is_keyed(g.name)),
         p_admission.busy OR bool_or(g.allowed = 0 AND g.kind = 'h' AND g.cap IS NULL AND NOT is_full(g.name))
  INTO p_admission.full_groups, p_admission.crowded, p_admission.capped, p_admission.contended, p_admission.busy
  FROM (
    SELECT n.*, n.allowed = 0 AND n.sure AS none, n.allowed = 0 AND n.sure
             AND ((n.kind = 'c' AND n.cap IS NULL) OR (n.kind IN ('c', 'h') AND is_full(n.name))) AS full
    FROM unnest(p_groups.names, p_groups.kinds, p_groups.jobs, p_groups.allowed, p_sure, p_groups.caps)
      AS n(name, kind, jobs, allowed, sure, cap)
    WHERE n.allowed < n.jobs
  ) g;
  RETURN p_admission;
END
$$;

-- Adds how many candidates are not taken, and the lanes of these. The next claim may start behind a few of them: each worker
-- looks at the whole line several times a second.
CREATE FUNCTION with_left(p_admission admission, p_found found) RETURNS admission
LANGUAGE plpgsql
${lists}
AS $$
BEGIN
  p_admission.left_jobs := cardinality(p_found.tids) - cardinality(p_admission.jobs);
  IF p_admission.left_jobs > 0 THEN
    p_admission.left_lanes := CASE WHEN 8 * p_admission.left_jobs <= cardinality(p_admission.jobs) THEN '{}'
      WHEN p_found.lanes[1] = ALL (p_found.lanes) THEN p_found.lanes[:1] ELSE ARRAY(
      SELECT DISTINCT f.lane
      FROM unnest(p_found.tids, p_found.lanes) AS f(tid, lane)
      LEFT JOIN unnest(p_admission.jobs) AS j ON j.tid = f.tid
      WHERE j.tid IS NULL) END;
  END IF;
  RETURN p_admission;
END
$$;

-- Admits what can be admitted of the jobs that a claim has found, in a shard or (NULL) in whole lanes.
CREATE FUNCTION admit(p_worker uuid, p_found found, p_demand demand, p_shard integer) RETURNS admission
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v_needed record;
  v_needs needs;
  v_groups needed_groups;
  v_sure boolean[];
  v_places places;
  v record;
  v_heat_above integer := (SELECT m.heat_above FROM meta m);
  v_found found;           -- all, also those that keys do not admit
  v_last_lane text;        -- of the last job that was found: it may give way to one that slots are kept for
  v_admission admission;
BEGIN
  IF EXISTS (SELECT FROM reservation) THEN
    v_last_lane := p_found.lanes[p_demand.jobs];
    p_found := kept_first(p_found, p_demand);
    v_found := p_found;
  ELSE
    v_found := p_found;
    SELECT * INTO v FROM admit_keys(p_worker, p_found, p_demand, p_shard);
    p_found := v.p_found;
    v_admission.full_groups := v.p_full;
    v_admission.crowded := v.p_crowded;
    v_admission.busy := v.p_busy;
  END IF;
  IF p_found.tids IS NOT NULL THEN
    SELECT * INTO v_needed FROM needs_of(p_found, p_demand);
    v_groups := v_needed.p_groups;
  END IF;
  IF v_groups.names IS NULL THEN
    v_admission.jobs := ARRAY(
      SELECT (c.tid, slots_in(NULL, c.slot))::taken FROM unnest(p_found.tids, p_found.slots) AS c(tid, slot));
    RETURN with_left(v_admission, v_found);
  END IF;
  v_sure := latch_groups(v_groups);
  -- Again, now that the latches are ours: a key that had no limit may have got one meanwhile, with slots for jobs of this worker
  -- that the worker has not heard of.
  IF (SELECT m.rules_version FROM meta m) <> p_demand.rules THEN
    v_admission.stale := true;
    RETURN v_admission;
  END IF;
  IF p_found.further AND 'u' = ANY (v_groups.kinds) THEN
    SELECT * INTO v FROM proposals_of(p_found, v_groups);
    v_admission.proposed_groups := v.p_names;
    v_admission.proposed_limits := v.p_limits;
  END IF;
  IF false = ANY (v_sure) OR v_admission.proposed_groups IS NOT NULL THEN
    v_groups.allowed := ARRAY(
      SELECT CASE WHEN g.sure AND g.name <> ALL (coalesce(v_admission.proposed_groups, '{}')) THEN g.allowed ELSE 0 END
      FROM unnest(v_groups.names, v_groups.allowed, v_sure) WITH ORDINALITY AS g(name, allowed, sure, ord)
      ORDER BY g.ord);
    v_admission.busy := true;
  END IF;
  IF EXISTS (SELECT FROM ask a WHERE a.worker_id <> p_worker) OR EXISTS (SELECT FROM reservation) THEN
    v_groups.caps := caps_for(p_worker, p_found, v_groups, p_demand);
  END IF;
  IF 'c' = ANY (v_groups.kinds) THEN
    SELECT * INTO v FROM admit_cold(p_worker, v_heat_above, v_groups);
    v_groups := v.p_groups;
    v_admission.contended := v.p_contended;
  END IF;
  IF 'h' = ANY (v_groups.kinds) THEN
    SELECT * INTO v FROM admit_hot(p_demand, v_groups);
    v_groups := v.p_groups;
    v_places := v.p_places;
  END IF;
  v_needs := counted(v_needed.p_needs, v_groups);
  v_admission.jobs := choose(p_found, v_needs, v_groups);
  v_admission.gates := ARRAY(SELECT g.name FROM unnest(v_groups.names, v_groups.kinds) AS g(name, kind) WHERE g.kind = 'h');
  IF v_places.names IS NOT NULL THEN
    v_admission.lend := lend_for(v_needs, v_groups, p_demand, v_places);
  END IF;
  v_admission := with_refusals(v_admission, v_groups, v_sure, v_heat_above, p_found.tasks);
  v_admission := with_left(v_admission, v_found);
  IF v_admission.left_jobs > 0 AND p_demand.tell AND NOT v_needs.single AND v_admission.full_groups IS NOT NULL THEN
    PERFORM note_passed_over(p_found, v_needed.p_needs, v_groups, v_admission.full_groups);
  END IF;
  IF v_last_lane IS NOT NULL THEN
    v_admission.left_lanes := array_append(v_admission.left_lanes, v_last_lane);
  END IF;
  RETURN v_admission;
END
$$;
