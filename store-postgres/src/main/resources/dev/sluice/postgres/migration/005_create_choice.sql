-- The choice: which of the jobs that a claim has found it takes, and under which slots. Arithmetic on lists: no table is
-- read here, and nothing is written. Where the lists come from and what becomes of the choice is in 006.

-- What the candidates of a claim need: one entry for each candidate and group it is in; if each is in one, in their
-- order.
CREATE TYPE needs AS (
  ords integer[],          -- the candidate
  names text[],            -- the group
  depths integer[],        -- how many jobs a slot is good for, less one
  proposed integer[]       -- the limit the candidate brings along for it
);

-- The same by group, in the order of candidates.
CREATE TYPE tally AS (
  names text[],
  limits integer[],        -- NULL: it has none, or nobody has looked yet
  depths integer[],        -- each slot is good for 1 + depth jobs
  spares integer[],        -- jobs that fit under slots the worker holds
  wanted integer[]         -- slots wanted for the others
);

-- Places that are free: n is a row of slot_group, or the number of a slot in a keyed group.
CREATE TYPE places AS (
  names text[],
  ns integer[],
  rooms integer[]
);

-- What a claim takes.
CREATE TYPE choice AS (
  tids tid[],              -- the jobs, best first
  gates text[],            -- the limited groups of each, joined by newlines; NULL = none
  take places,             -- places to take
  blocked text[],          -- groups that admit nobody
  short_groups text[],     -- groups of which fewer places were found than wanted ...
  short_rooms integer[],   -- ... and how many were
  left_lanes text[]        -- lanes of candidates that are not taken though no group is full
);

-- The functions that follow join arrays with arrays, as within_room does.
CREATE FUNCTION tally_needs(p_needs needs, p_spare_groups text[], p_spare integer[]) RETURNS tally
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
  SELECT array_agg(b.name), NULL, array_agg(b.depth), array_agg(b.spare),
         array_agg((greatest(b.jobs - b.spare, 0) + b.depth) / (1 + b.depth))
  INTO v_tally
  FROM (
    SELECT n.name, n.depth, n.jobs, coalesce(s.spare, 0) AS spare
    FROM (
      -- the least: what a slot is good for, whichever task's jobs come to sit in it
      SELECT name, min(depth) AS depth, count(*)::integer AS jobs, min(ord) AS first
      FROM unnest(p_needs.ords, p_needs.names, p_needs.depths) AS need(ord, name, depth)
      GROUP BY name
    ) n
    LEFT JOIN unnest(p_spare_groups, p_spare) AS s(name, spare) ON s.name = n.name
    ORDER BY n.first
  ) b;
  RETURN v_tally;
END
$$;

-- The candidates from the first on that needs a keyed group beyond the first so many.
CREATE FUNCTION candidates_beyond(p_needs needs, p_tally tally, p_keyed integer) RETURNS integer[]
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET enable_mergejoin = on
SET jit = off
AS $$
DECLARE
  v_beyond text[] := ARRAY(
    SELECT n.name
    FROM unnest(p_tally.names) WITH ORDINALITY AS n(name, ord)
    WHERE is_keyed(n.name)
    ORDER BY n.ord
    OFFSET p_keyed);
  v_from integer;
BEGIN
  IF cardinality(v_beyond) = 0 THEN
    RETURN '{}';
  END IF;
  SELECT min(n.ord) INTO v_from
  FROM unnest(p_needs.ords, p_needs.names) AS n(ord, name)
  JOIN unnest(v_beyond) AS b(name) ON b.name = n.name;
  RETURN ARRAY(SELECT DISTINCT o FROM unnest(p_needs.ords) AS o WHERE o >= v_from);
END
$$;

-- The needs of groups that have no limit, by group.
CREATE FUNCTION unlimited_needs(p_needs needs, p_tally tally) RETURNS TABLE (name text, proposed integer, ords integer[])
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET enable_mergejoin = on
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT n.name, min(n.proposed), array_agg(n.ord)
  FROM unnest(p_needs.ords, p_needs.names, p_needs.proposed) AS n(ord, name, proposed)
  JOIN unnest(p_tally.names, p_tally.limits) AS t(name, max) ON t.name = n.name
  WHERE t.max IS NULL
  GROUP BY n.name;
END
$$;

-- The needs of groups that have a limit, but for those of some candidates.
CREATE FUNCTION limited_needs(p_needs needs, p_tally tally, p_but_for integer[]) RETURNS needs
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET enable_mergejoin = on
SET jit = off
AS $$
DECLARE
  v_needs needs;
BEGIN
  SELECT array_agg(l.ord ORDER BY l.ord), array_agg(l.name ORDER BY l.ord), array_agg(l.depth ORDER BY l.ord), NULL
  INTO v_needs
  FROM (
    SELECT n.ord, n.name, n.depth
    FROM unnest(p_needs.ords, p_needs.names, p_needs.depths) AS n(ord, name, depth)
    JOIN unnest(p_tally.names, p_tally.limits) AS t(name, max) ON t.name = n.name
    LEFT JOIN unnest(p_but_for) AS d(ord) ON d.ord = n.ord
    WHERE t.max IS NOT NULL AND d.ord IS NULL
  ) l;
  RETURN v_needs;
END
$$;

-- Spreads the slots wanted of each group over the places found, in their order. It is never called for fewer places than
-- slots.
CREATE FUNCTION spread(p_names text[], p_wanted integer[], p_places places) RETURNS places
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_nestloop = off
SET enable_hashjoin = on
SET enable_mergejoin = on
SET jit = off
AS $$
DECLARE
  v_taken places;
BEGIN
  IF (SELECT sum(r) FROM unnest(p_places.rooms) AS r) = (SELECT sum(w) FROM unnest(p_wanted) AS w) THEN
    RETURN p_places;
  END IF;
  SELECT array_agg(t.name), array_agg(t.n), array_agg(t.take) INTO v_taken
  FROM (
    SELECT p.name, p.n, least(p.room, w.wanted - coalesce(sum(p.room) OVER (
             PARTITION BY p.name ORDER BY p.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::integer AS take
    FROM unnest(p_places.names, p_places.ns, p_places.rooms) AS p(name, n, room)
    JOIN unnest(p_names, p_wanted) AS w(name, wanted) ON w.name = p.name
  ) t
  WHERE t.take > 0;
  RETURN v_taken;
END
$$;

-- Chooses all candidates: there is room for them.
CREATE FUNCTION choose_all(p_found candidate[], p_needs needs, p_tally tally, p_places places) RETURNS choice
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
  v_choice.tids := ARRAY(SELECT c.tid FROM unnest(p_found) AS c);
  IF p_needs.ords = ARRAY(SELECT c.ord FROM unnest(p_found) AS c) THEN
    v_choice.gates := p_needs.names;              -- one for each
  ELSE
    v_choice.gates := ARRAY(
      SELECT n.gates
      FROM unnest(p_found) AS c
      LEFT JOIN (
        SELECT ord, string_agg(name, E'\n' ORDER BY name) AS gates
        FROM unnest(p_needs.ords, p_needs.names) AS n(ord, name)
        GROUP BY ord
      ) n ON n.ord = c.ord
      ORDER BY c.ord);
  END IF;
  v_choice.take := spread(p_tally.names, p_tally.wanted, p_places);
  RETURN v_choice;
END
$$;

-- Chooses the candidates that every group they need admits, and the places to take for them. A group admits what fits
-- under slots the worker holds and under the places found, 1 + depth jobs each; it counts its candidates in order, best
-- first, leaving out those that another group blocks altogether.
CREATE FUNCTION choose_some(
  p_found candidate[], p_tasks text[], p_room integer[], p_needs needs, p_tally tally, p_places places,
  p_short_groups text[], p_short_rooms integer[])
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
  v_groups text[];
  v_slots integer[];
BEGIN
  WITH needs AS (
    SELECT n.ord, n.name FROM unnest(p_needs.ords, p_needs.names) AS n(ord, name)
  ), groups AS (
    SELECT g.name, g.depth, g.spare, g.spare + least(coalesce(s.room, g.wanted), g.wanted) * (1 + g.depth) AS allowed
    FROM unnest(p_tally.names, p_tally.depths, p_tally.spares, p_tally.wanted) AS g(name, depth, spare, wanted)
    LEFT JOIN unnest(p_short_groups, p_short_rooms) AS s(name, room) ON s.name = g.name
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
    SELECT c.tid, c.ord, c.lane, c.task, a.gates, h.ord IS NOT NULL AS hopeless,
           h.ord IS NULL AND coalesce(a.admitted, true) AS admitted
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
    SELECT n.name, ((greatest(count(*) - g.spare, 0) + g.depth) / (1 + g.depth))::integer AS slots
    FROM needs n
    JOIN chosen c ON c.ord = n.ord
    JOIN groups g ON g.name = n.name
    GROUP BY n.name, g.spare, g.depth
  )
  SELECT (SELECT array_agg(c.tid ORDER BY c.ord) FROM chosen c),
         (SELECT array_agg(c.gates ORDER BY c.ord) FROM chosen c),
         (SELECT array_agg(s.name ORDER BY s.name) FROM slots s),
         (SELECT array_agg(s.slots ORDER BY s.name) FROM slots s),
         (SELECT array_agg(DISTINCT f.lane) FROM free f WHERE NOT (f.hopeless OR (f.admitted AND f.rank_in_task <= f.room)))
  INTO v_choice.tids, v_choice.gates, v_groups, v_slots, v_choice.left_lanes;
  v_choice.take := spread(v_groups, v_slots, p_places);
  RETURN v_choice;
END
$$;

-- Chooses among the candidates. Nearly always there is room for all but those of a few groups that are full.
CREATE FUNCTION choose(
  p_found candidate[], p_jobs integer, p_tasks text[], p_room integer[], p_needs needs, p_tally tally, p_places places,
  p_spare_groups text[], p_spare integer[])
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
  v_short_groups text[];   -- groups of which fewer places were found than wanted ...
  v_short_rooms integer[]; -- ... and how many were
  v_short_spares integer[];
  v_hopeless integer[];    -- candidates in groups that admit nobody
  v_needs needs;           -- of the others
BEGIN
  SELECT array_agg(g.name), array_agg(coalesce(p.room, 0)), array_agg(g.spare)
  INTO v_short_groups, v_short_rooms, v_short_spares
  FROM unnest(p_tally.names, p_tally.wanted, p_tally.spares) AS g(name, wanted, spare)
  LEFT JOIN (
    SELECT name, sum(room)::integer AS room FROM unnest(p_places.names, p_places.rooms) AS p(name, room) GROUP BY name
  ) p ON p.name = g.name
  WHERE coalesce(p.room, 0) < g.wanted;

  IF p_jobs <= ALL (p_room) AND v_short_groups IS NULL THEN
    v_choice := choose_all(p_found, p_needs, p_tally, p_places);
  ELSIF p_jobs <= ALL (p_room) AND 0 = ALL (v_short_rooms) AND 0 = ALL (v_short_spares) THEN
    v_hopeless := ARRAY(
      SELECT DISTINCT n.ord
      FROM unnest(p_needs.ords, p_needs.names) AS n(ord, name)
      JOIN unnest(v_short_groups) AS s(name) ON s.name = n.name);
    SELECT array_agg(n.ord ORDER BY n.ord), array_agg(n.name ORDER BY n.ord), array_agg(n.depth ORDER BY n.ord), NULL
    INTO v_needs
    FROM unnest(p_needs.ords, p_needs.names, p_needs.depths) AS n(ord, name, depth)
    LEFT JOIN unnest(v_hopeless) AS h(ord) ON h.ord = n.ord
    WHERE h.ord IS NULL;
    v_choice := choose_all(
      ARRAY(
        SELECT c::candidate
        FROM unnest(p_found) AS c
        LEFT JOIN unnest(v_hopeless) AS h(ord) ON h.ord = c.ord
        WHERE h.ord IS NULL
        ORDER BY c.ord),
      v_needs, tally_needs(v_needs, p_spare_groups, p_spare), p_places);
  ELSE
    v_choice := choose_some(p_found, p_tasks, p_room, p_needs, p_tally, p_places, v_short_groups, v_short_rooms);
  END IF;
  v_choice.short_groups := v_short_groups;
  v_choice.short_rooms := v_short_rooms;
  v_choice.blocked := ARRAY(
    SELECT s.name FROM unnest(v_short_groups, v_short_rooms, v_short_spares) AS s(name, room, spare)
    WHERE s.room = 0 AND s.spare = 0);
  RETURN v_choice;
END
$$;
