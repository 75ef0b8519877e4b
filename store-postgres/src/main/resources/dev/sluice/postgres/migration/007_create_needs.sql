-- Needs: which limited groups the jobs that a claim has found are in, with the limits of these groups. Nothing is decided here.
--
-- The room that a worker has for a task is one more group, of the worker's own; its name begins with '*'.

-- The groups that candidates need, in the order of their names.
CREATE TYPE needed_groups AS (
  names text[],
  firsts integer[],        -- its first candidate
  jobs integer[],          -- candidates
  depths integer[],        -- each of its slots is good for 1 + depth jobs
  limits integer[],        -- NULL: none
  kinds "char"[],          -- r the worker's room, u unlimited, c cold, h hot
  allowed integer[],       -- how many jobs it admits
  seats integer[],         -- cold: over how many slots these are spread, ...
  seat_from integer[],     -- ... which stand in seat_slots behind so many others; -1: the slots from 0 on
  seat_slots integer[],
  caps integer[]           -- how many more slots the worker may take: see caps_for, in the fairness
);

-- What candidates need: an entry for each candidate and group.
CREATE TYPE needs AS (
  ords integer[],          -- the candidate, counted from 1
  places integer[],        -- where the group stands among the candidate's slots; 0: the worker's room
  gs integer[],            -- the group, as an index
  ranks integer[],         -- which candidate of the group it is, counted from 1
  single boolean           -- whether each candidate has one, all at the same place
);

-- What candidates need of which groups: of their task's own if that has a limit, of their further groups, and of the
-- worker's room where it is short.
CREATE FUNCTION needs_of(p_found found, p_demand demand, OUT p_needs needs, OUT p_groups needed_groups)
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v record;
  v_starts integer[];
  v_jobs integer := cardinality(p_found.tids);
  v_each integer[];
BEGIN
  IF p_found.tasks[1] = ALL (p_found.tasks) AND p_demand.limited ? p_found.tasks[1]
      AND array_remove(p_found.firsts, NULL) = '{}' AND NOT p_found.further AND NOT p_demand.tight THEN
    -- All need the same, and that alone.
    v_each := ARRAY(SELECT generate_series(1, v_jobs));
    p_needs := (v_each, array_fill(1, ARRAY[v_jobs]), array_fill(1, ARRAY[v_jobs]), v_each, true)::needs;
    p_groups.names := p_found.tasks[:1];
    p_groups.firsts := '{1}';
    p_groups.jobs := ARRAY[v_jobs];
    p_groups.depths := depths_of(p_found, p_needs, 1, p_demand);
    p_groups := with_limits(p_groups, p_demand.rooms);
    RETURN;
  END IF;
  SELECT array_agg(n.ord) AS ords, array_agg(n.place) AS places, array_agg(n.g) AS gs, array_agg(n.rank) AS ranks,
         array_agg(n.name) FILTER (WHERE n.rank = 1) AS names, array_agg(n.ord) FILTER (WHERE n.rank = 1) AS firsts
  INTO v
  FROM (
    SELECT m.ord, m.place, m.name,
           (dense_rank() OVER (ORDER BY m.name COLLATE "C"))::integer AS g,
           (row_number() OVER (PARTITION BY m.name COLLATE "C" ORDER BY m.ord))::integer AS rank
    FROM (
      SELECT c.ord::integer AS ord, 1 AS place, c.task AS name
      FROM unnest(p_found.tasks) WITH ORDINALITY AS c(task, ord)
      WHERE p_demand.limited ? c.task
      UNION ALL
      SELECT c.ord::integer, 2, c.name
      FROM unnest(p_found.firsts) WITH ORDINALITY AS c(name, ord)
      WHERE c.name IS NOT NULL
      UNION ALL
      SELECT c.ord::integer, f.place, f.name
      FROM unnest(CASE WHEN p_found.further THEN p_found.tids END) WITH ORDINALITY AS c(tid, ord)
      JOIN job j ON j.ctid = c.tid
      CROSS JOIN LATERAL further_needs(j.task, j.groups, j.limited_group, p_demand.limited) f
      UNION ALL
      SELECT c.ord::integer, 0, '*' || c.task
      FROM unnest(CASE WHEN p_demand.tight THEN p_found.tasks END) WITH ORDINALITY AS c(task, ord)
      WHERE (p_demand.rooms -> c.task)::integer < p_demand.jobs
    ) m
  ) n;
  IF v.ords IS NULL THEN
    RETURN;
  END IF;
  p_needs := (v.ords, v.places, v.gs, v.ranks,
              cardinality(v.ords) = v_jobs AND (1 = ALL (v.places) OR 2 = ALL (v.places)))::needs;
  p_groups.names := v.names;
  p_groups.firsts := v.firsts;
  v_starts := array_positions(v.ranks, 1);
  p_groups.jobs := ARRAY(
    SELECT g.next - g.start FROM unnest(v_starts, v_starts[2:] || (cardinality(v.ords) + 1)) AS g(start, next));
  p_groups.depths := depths_of(p_found, p_needs, cardinality(v.names), p_demand);
  p_groups := with_limits(p_groups, p_demand.rooms);
END
$$;

-- What a candidate needs besides its task's own group and its first further one: the others, and its task's own if the job
-- brings a limit along for that.
CREATE FUNCTION further_needs(p_task text, p_groups text[], p_limited_group text, p_limited jsonb)
RETURNS TABLE (place integer, name text)
LANGUAGE sql IMMUTABLE
AS $$
  SELECT (1 + g.ord)::integer, g.name FROM unnest(p_groups) WITH ORDINALITY AS g(name, ord) WHERE g.ord > 1 AND g.name <> p_task
  UNION ALL
  SELECT 1, p_task WHERE p_limited_group = p_task AND NOT p_limited ? p_task
$$;

-- How many jobs to fetch ahead behind a slot of each group: the least depth among the tasks of its candidates, whichever of
-- them comes to sit in the slot.
CREATE FUNCTION depths_of(p_found found, p_needs needs, p_groups integer, p_demand demand) RETURNS integer[]
LANGUAGE plpgsql
${lists}
AS $$
BEGIN
  IF p_demand.depths = '{}' THEN
    RETURN array_fill(p_demand.depth, ARRAY[p_groups]);
  END IF;
  RETURN ARRAY(
    SELECT min(depth_of(c.task, p_demand.depths, p_demand.depth))
    FROM unnest(p_needs.ords, p_needs.gs) AS n(ord, g)
    JOIN unnest(p_found.tasks) WITH ORDINALITY AS c(task, ord) ON c.ord = n.ord
    GROUP BY n.g
    ORDER BY n.g);
END
$$;

-- Looks up the limits of groups, and whether they are cold or hot. Until more is known, a cold group admits what all its
-- slots are good for, from slot 0 on, as it does when none is in use; and others all candidates.
CREATE FUNCTION with_limits(p_groups needed_groups, p_rooms jsonb) RETURNS needed_groups
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_hot text[] := ARRAY(SELECT s.group_name FROM slot_group s WHERE s.group_name = ANY (p_groups.names) AND s.n = 0);
BEGIN
  p_groups.limits := limits_of(p_groups.names);
  SELECT array_agg(g.kind),
         array_agg(CASE g.kind
           WHEN 'c' THEN least(g.jobs, g.max::bigint * (1 + g.depth))::integer
           WHEN 'r' THEN (p_rooms -> substr(g.name, 2))::integer
           ELSE g.jobs END),
         array_agg(coalesce(least(g.max, g.jobs), 1)), array_fill(-1, ARRAY[cardinality(p_groups.names)])
  INTO p_groups.kinds, p_groups.allowed, p_groups.seats, p_groups.seat_from
  FROM (
    SELECT n.name, n.max, n.jobs, n.depth, CASE
      WHEN n.max IS NULL THEN CASE WHEN left(n.name, 1) = '*' THEN 'r'::"char" ELSE 'u' END
      WHEN n.name = ANY (v_hot) THEN 'h'
      ELSE 'c'
    END AS kind
    FROM unnest(p_groups.names, p_groups.limits, p_groups.jobs, p_groups.depths) AS n(name, max, jobs, depth)
  ) g;
  RETURN p_groups;
END
$$;

-- The limits that candidates bring along for those of these groups that have none. They are set before such a candidate is
-- taken.
CREATE FUNCTION proposals_of(p_found found, p_groups needed_groups, OUT p_names text[], OUT p_limits integer[])
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  SELECT array_agg(p.name), array_agg(p.proposed) INTO p_names, p_limits
  FROM (
    SELECT j.limited_group AS name, min(j.submit_limit) AS proposed
    FROM unnest(p_found.tids) AS f(tid)
    JOIN job j ON j.ctid = f.tid
    WHERE j.limited_group IS NOT NULL
    GROUP BY j.limited_group
  ) p
  WHERE p_groups.kinds[array_position(p_groups.names, p.name)] = 'u';
END
$$;
