-- Admission: which of the jobs that a claim has found each of their limited groups admits, and in which slots. This is the
-- one place where it is decided that a slot comes into use, of cold groups and of hot ones (see the limits).
--
--   needs_of    the groups that candidates are in
--   rooms_of    what is on record about these groups: limits, cold or hot
--   latched     takes the latches of cold groups; those that are not to be had admit none
--   looked      looks at the slots in use of cold groups
--   with_caps   how many slots are left to others (in the fairness)
--   admit_cold  how many candidates fit into cold groups, and in which slots
--   admit_hot   locks counters with free places, and says how many candidates fit
--   choose      the candidates that fit into all their groups
--
-- Most candidates with keys have keys that nothing uses, and these are all alike: a family has one room for them. A key that
-- is in use, or of which something else is to be said, gets a room of its own. So what a claim has to decide grows with these, not
-- with its jobs.
--
-- All or nothing: a job is taken with a slot in each of its groups, or left where it is. Candidates of a full group count in none of
-- their other groups. A candidate that better ones left no room for in one of its groups may count in the others all the same: the
-- next claim finds that group full, and takes the jobs behind it.

-- What candidates need. Mostly all are of one task, and need its group, or a key each of one family, or both. Else there is an entry for each
-- candidate and group.
CREATE TYPE needs AS (
  common text,             -- the group that all of them are in: their task's
  family text,             -- the family of the key that each is in
  names text[],            -- the groups: by candidate if there is a family, and else by entry
  ords integer[],          -- the candidate of an entry, counted from 1; NULL: there are no entries
  tasks text[],            -- its task
  places integer[],        -- where the group stands among its slots, 0: the worker's room for its task
  rooms text[]             -- the room that decides about it: the group's own, or that of its family; '*' and the task: the worker's room for it
);

-- What a claim knows of a group that candidates are in; or of all keys of a family without rooms of their own.
CREATE TYPE room AS (
  name text,
  kind "char",             -- r the worker's room, u unlimited, h hot, c cold, k the keys of a family: cold, and not in use
  max integer,             -- its limit
  jobs integer,            -- how many candidates it has
  depth integer,           -- each of its slots is good for 1 + depth jobs
  sure boolean,            -- whether the claim may decide about it: false if its latch is not to be had
  cap integer,             -- how many more slots the worker may take, NULL: any number; see with_caps, in the fairness
  used integer[],          -- cold: the slots in use, ...
  claimed integer,         -- ... by how many claimed jobs and permits, ...
  own integer[],           -- ... and those of them that jobs of this worker alone name, ...
  own_jobs integer,        -- ... and how many these are
  allowed integer,         -- how many candidates it admits, kind k: of each key ...
  width integer,           -- ... and cold: over how many slots they are spread, ...
  seats integer[]          -- ... which ones; NULL: those from 0 on
);

-- A job to take, and the slots it names.
CREATE TYPE taken AS (tid tid, slots integer[]);

-- Places of hot groups: so many in row n of slot_group.
CREATE TYPE places AS (names text[], ns integer[], counts integer[]);

-- What a claim comes to. The admission says all but the last four.
CREATE TYPE claim AS (
  jobs taken[],            -- best first
  gates text[],            -- hot groups that candidates are in
  lend places,             -- slots that the worker is lent for them
  full_groups text[],      -- groups that admit none, since they are full
  capped text[],           -- groups that admit none, since their free slots are for other workers or jobs
  busy boolean,            -- candidates were left although their groups may have room
  contended text[],        -- cold groups that should be hot
  stale boolean,           -- limits have changed, and nothing is admitted
  proposed_groups text[],  -- groups that have to be given the limit that a job brings along ...
  proposed_limits integer[],
  ends place_in_line[],    -- where the next claim may start
  more boolean,            -- there may be more to find, now
  unwanted text[],         -- tasks whose jobs are in the way
  full_until jsonb         -- tasks of hot groups that were full a moment ago, or are, and until when
);

-- What candidates need: their task's own group if that has a limit, or they bring one along for it; their further groups; and the
-- worker's room for their task, where that is short.
CREATE FUNCTION needs_of(p_found found, p_demand demand) RETURNS needs
${lookups} AS $$
DECLARE
  v_needs needs;
BEGIN
  IF NOT p_found.further AND NOT p_demand.tight AND p_found.tasks[1] = ALL (p_found.tasks) THEN
    v_needs.common := CASE WHEN p_demand.limited ? p_found.tasks[1] THEN p_found.tasks[1] END;
    IF NOT p_found.grouped THEN
      RETURN v_needs;
    END IF;
    v_needs.family := family_of(p_found.firsts[1]);
    IF (SELECT bool_and(coalesce(is_key_of(f, v_needs.family), false)) FROM unnest(p_found.firsts) AS f)
        AND split_part(v_needs.family, '/', 1) = coalesce(v_needs.common, split_part(v_needs.family, '/', 1)) THEN
      v_needs.names := p_found.firsts;
      RETURN v_needs;
    END IF;
  END IF;
  SELECT NULL, NULL, array_agg(m.name), array_agg(m.ord), array_agg(m.task), array_agg(m.place), array_agg(coalesce(family_of(m.name), m.name))
  INTO v_needs
  FROM (
    SELECT c.ord::integer, c.task, 1, c.task
    FROM unnest(p_found.tasks) WITH ORDINALITY AS c(task, ord)
    WHERE p_demand.limited ? c.task
    UNION ALL
    SELECT c.ord::integer, c.task, 2, c.name
    FROM unnest(CASE WHEN p_found.grouped THEN p_found.tasks END, CASE WHEN p_found.grouped THEN p_found.firsts END)
      WITH ORDINALITY AS c(task, name, ord)
    WHERE c.name IS NOT NULL
    UNION ALL
    SELECT c.ord::integer, c.task, 0, '*' || c.task
    FROM unnest(CASE WHEN p_demand.tight THEN p_found.tasks END) WITH ORDINALITY AS c(task, ord)
    WHERE (p_demand.rooms -> c.task)::integer < p_demand.jobs
    UNION ALL
    SELECT c.ord::integer, j.task, n.place, n.name
    FROM unnest(CASE WHEN p_found.further THEN p_found.tids END) WITH ORDINALITY AS c(tid, ord)
    JOIN job j ON j.ctid = c.tid
    CROSS JOIN LATERAL (
      SELECT (1 + g.ord)::integer, g.name FROM unnest(j.groups) WITH ORDINALITY AS g(name, ord) WHERE g.ord > 1 AND g.name <> j.task
      UNION ALL
      SELECT 1, j.task WHERE j.limited_group = j.task AND NOT p_demand.limited ? j.task
    ) AS n(place, name)
  ) AS m(ord, task, place, name);
  RETURN v_needs;
END
$$;

-- The rooms of candidates, as they are on record. Until more is known, each admits all its candidates. The depth of a room is the
-- least among the tasks of its candidates, whichever of them comes to sit in a slot.
CREATE FUNCTION rooms_of(p_found found, p_needs needs, p_demand demand) RETURNS room[]
${lists} AS $$
DECLARE
  v record;
  v_hot text[];
BEGIN
  SELECT array_agg(g.name) AS names, array_agg(g.jobs) AS jobs, array_agg(g.depth) AS depths INTO v
  FROM (
    SELECT n AS name, cardinality(p_found.tids) AS jobs, depth_of(p_found.tasks[1], p_demand.depths, p_demand.depth) AS depth
    FROM unnest(ARRAY[p_needs.common, p_needs.family]) AS n
    WHERE n IS NOT NULL
    UNION ALL
    SELECT n.room, count(*)::integer,
           min(CASE WHEN p_demand.depths = '{}' THEN p_demand.depth ELSE depth_of(n.task, p_demand.depths, p_demand.depth) END)
    FROM unnest(p_needs.rooms, p_needs.tasks) AS n(room, task)
    GROUP BY n.room
  ) g;
  v_hot := ARRAY(SELECT s.group_name FROM slot_group s WHERE s.group_name = ANY (v.names) AND s.n = 0);
  RETURN ARRAY(
    SELECT (g.name, g.kind, g.max, g.jobs, g.depth, true, NULL, '{}', 0, NULL, 0,
            CASE g.kind WHEN 'r' THEN (p_demand.rooms -> substr(g.name, 2))::integer ELSE g.jobs END, 1, NULL)::room
    FROM (
      SELECT n.*, CASE
        WHEN left(n.name, 1) = '*' THEN 'r'::"char"
        WHEN n.max IS NULL THEN 'u'
        WHEN n.name = ANY (v_hot) THEN 'h'
        WHEN is_keyed(n.name) THEN 'k'
        ELSE 'c' END AS kind
      FROM unnest(v.names, limits_of(v.names), v.jobs, v.depths) AS n(name, max, jobs, depth)
    ) g);
END
$$;

-- Those of these keys that have numbers of their own. Mostly no rule is below the prefixes of their families, and none has.
CREATE FUNCTION numbered_among(p_keys text[], p_families text[]) RETURNS text[]
${lookups} AS $$
BEGIN
  IF NOT EXISTS (
      SELECT FROM unnest(p_families) AS f(name)
      CROSS JOIN LATERAL (SELECT left(f.name, -2) AS stem, ascii(right(f.name, 2)) AS sign) x
      JOIN limit_rule r ON r.name > x.stem || chr(x.sign) AND r.name < x.stem || chr(x.sign + 1) AND r.name <> f.name
      WHERE has_number(r)) THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_keys) AND is_keyed(r.name) AND has_number(r));
END
$$;

-- Takes the latches of cold groups; those of keys without a limit shared, so that none gets a limit meanwhile. Says of which groups the latch is not to
-- be had, and which keys have numbers of their own.
CREATE FUNCTION latched(p_needs needs, p_rooms room[], OUT p_barred text[], OUT p_numbered text[])
${lookups} AS $$
DECLARE
  v_plain text[] := ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind = 'c');
  v_unlimited text[] := ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind = 'u' AND is_keyed(g.name));
  v_families text[] := v_unlimited || ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind = 'k');
  v_missed integer[];
BEGIN
  p_barred := '{}';
  p_numbered := '{}';
  IF v_plain <> '{}' THEN
    p_barred := ARRAY(
      SELECT unnest(v_plain) EXCEPT SELECT l.name
      FROM (SELECT r.name FROM limit_rule r WHERE r.name = ANY (v_plain) FOR NO KEY UPDATE SKIP LOCKED) l);
  END IF;
  IF v_families = '{}' THEN
    RETURN;
  END IF;
  p_numbered := numbered_among(p_needs.names, v_families);
  v_missed := ARRAY(
    SELECT l.latch
    FROM (
      SELECT latch_of(n.name) AS latch,
             bool_or(coalesce(n.room, p_needs.family) <> ALL (v_unlimited) OR n.name = ANY (p_numbered)) AS alone
      FROM unnest(p_needs.names, p_needs.rooms) AS n(name, room)
      WHERE is_keyed(n.name)
      GROUP BY 1
    ) l
    WHERE NOT CASE WHEN l.alone THEN pg_try_advisory_xact_lock(latches(), l.latch)
      ELSE pg_try_advisory_xact_lock_shared(latches(), l.latch) END);
  IF v_missed <> '{}' THEN
    p_barred := p_barred || ARRAY(
      SELECT DISTINCT n FROM unnest(p_needs.names) AS n WHERE is_keyed(n) AND latch_of(n) = ANY (v_missed));
  END IF;
  IF v_unlimited <> '{}' THEN
    -- A key without a limit may have got one before its latch was ours. A statement of its own sees that.
    p_barred := p_barred || ARRAY(
      SELECT n FROM unnest(numbered_among(p_needs.names, v_unlimited)) AS n WHERE n <> ALL (p_numbered));
  END IF;
END
$$;

-- What a look finds of a cold group that is in use.
CREATE TYPE slots_in_use AS (name text, jobs integer, slots integer[], own integer[], own_jobs integer);

-- The look: those of these cold groups that are in use, by how many jobs, in which slots; and the slots that jobs of this worker
-- alone name, those of the fewest jobs first, and how many jobs these are. The caller holds their latches, since before this
-- statement.
--
-- Where no claimed job has a second group, none is looked for there; nor are slots of keys among those lent where there are no permits.
CREATE FUNCTION look(p_worker uuid, p_names text[]) RETURNS SETOF slots_in_use
${lookups} AS $$
#variable_conflict use_column
DECLARE
  v_further text[] := CASE WHEN EXISTS (SELECT FROM job WHERE groups[2] IS NOT NULL AND state = 2) THEN p_names END;
  v_plain text[] := ARRAY(SELECT n FROM unnest(p_names) AS n WHERE NOT is_keyed(n));
  v_lent text[] := CASE WHEN EXISTS (SELECT FROM slot WHERE expires_at IS NOT NULL) THEN p_names ELSE v_plain END;
BEGIN
  RETURN QUERY
  SELECT u.name, sum(u.jobs)::integer, array_agg(u.slot), array_agg(u.slot ORDER BY u.jobs) FILTER (WHERE u.own),
         coalesce(sum(u.jobs) FILTER (WHERE u.own), 0)::integer
  FROM (
    SELECT c.name, c.slot, bool_and(c.own) AS own, count(*)::integer AS jobs
    FROM (
      SELECT n.name, j.slots[2] AS slot, j.worker_id = p_worker AS own
      FROM unnest(p_names) AS n(name)
      CROSS JOIN LATERAL (SELECT o.slots, o.worker_id FROM job o WHERE o.groups[1] = n.name AND o.state = 2 OFFSET 0) j
      UNION ALL
      SELECT n.name, j.slot, j.worker_id = p_worker
      FROM unnest(v_further) AS n(name)
      CROSS JOIN LATERAL (
        SELECT o.slot, o.worker_id FROM job_in_group o WHERE o.group_name = n.name AND o.place > 2 AND o.state = 2 OFFSET 0) j
      UNION ALL
      SELECT j.task, j.slots[1], j.worker_id = p_worker
      FROM job j WHERE j.task = ANY (v_plain) AND j.state = 2 AND j.slots[1] IS NOT NULL
      UNION ALL
      SELECT s.group_name, s.slot, false FROM slot s WHERE s.group_name = ANY (v_lent)
    ) c
    WHERE c.slot IS NOT NULL
    GROUP BY c.name, c.slot
  ) u
  GROUP BY u.name;
END
$$;

-- Adds which slots are in use to the rooms of cold groups. Keys get rooms of their own that are in use, barred or held at 0, have a
-- number of their own, or have workers or jobs in line for their slots. Barred are groups that this claim must not decide about.
CREATE FUNCTION looked(p_worker uuid, p_barred text[], p_numbered text[], INOUT p_needs needs, INOUT p_rooms room[])
${lists} AS $$
DECLARE
  v_cold text[] := ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind IN ('c', 'k'));
  v_held text[] := ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind = 'k' AND g.max = 0);
  v_used slots_in_use[] := ARRAY(
    SELECT l FROM look(p_worker, ARRAY(
      SELECT n.name
      FROM unnest(p_needs.names, p_needs.rooms) AS n(name, room)
      WHERE coalesce(n.room, p_needs.family) = ANY (v_cold) OR n.name = ANY (p_numbered)
      UNION ALL
      SELECT p_needs.common WHERE p_needs.common = ANY (v_cold)
      EXCEPT
      SELECT unnest(p_barred))) AS l);
  v_apart text[] := ARRAY(
    SELECT u.name FROM unnest(v_used) AS u
    UNION
    SELECT n FROM unnest(p_barred || p_numbered) AS n
    UNION
    SELECT a.group_name FROM ask a WHERE a.group_name = ANY (p_needs.names)
    UNION
    SELECT n FROM reservation r CROSS JOIN LATERAL unnest(r.groups) AS n WHERE n = ANY (p_needs.names)
    UNION
    SELECT n.name FROM unnest(CASE WHEN v_held <> '{}' THEN p_needs.names END, p_needs.rooms) AS n(name, room)
    WHERE coalesce(n.room, p_needs.family) = ANY (v_held)
    EXCEPT
    SELECT g.name FROM unnest(p_rooms) AS g);
BEGIN
  IF v_apart <> '{}' AND p_needs.ords IS NOT NULL THEN
    p_needs.rooms := ARRAY(
      SELECT coalesce(k.name, n.room)
      FROM unnest(p_needs.names, p_needs.rooms) WITH ORDINALITY AS n(name, room, ord)
      LEFT JOIN unnest(v_apart) AS k(name) ON k.name = n.name
      ORDER BY n.ord);
  END IF;
  IF v_apart <> '{}' OR v_used <> '{}' OR p_barred <> '{}' THEN
    p_rooms := ARRAY(
      SELECT (g.name, g.kind, g.max, g.jobs, g.depth, g.name <> ALL (p_barred), NULL, coalesce(u.slots, '{}'), coalesce(u.jobs, 0), u.own,
              coalesce(u.own_jobs, 0), g.allowed, 1, NULL)::room
      FROM (
        SELECT g.name, g.kind, g.max, g.jobs, g.depth, g.allowed FROM unnest(p_rooms) AS g
        UNION ALL
        SELECT k.name, CASE WHEN k.max IS NULL THEN 'u'::"char" ELSE 'c' END, k.max, k.jobs, k.depth, k.jobs
        FROM (
          SELECT n.name, CASE WHEN m.name IS NULL THEN f.max ELSE m.max END AS max, count(*)::integer AS jobs, f.depth
          FROM unnest(p_needs.names) AS n(name)
          JOIN unnest(v_apart) AS a(name) ON a.name = n.name
          JOIN unnest(p_rooms) AS f ON f.name = family_of(n.name)
          LEFT JOIN unnest(p_numbered, limits_of(p_numbered)) AS m(name, max) ON m.name = n.name
          GROUP BY n.name, m.name, m.max, f.max, f.depth
        ) k
      ) g
      LEFT JOIN unnest(v_used) AS u ON u.name = g.name);
  END IF;
END
$$;

-- How many candidates of cold groups are admitted, into which slots: free ones first, then those that the worker's jobs are in
-- already, as far as they are not as deep as they should be. None while more slots are in use than the limit allows, and none of
-- groups that the claim must not decide about.
CREATE FUNCTION admit_cold(p_rooms room[]) RETURNS room[]
${lists} AS $$
BEGIN
  RETURN ARRAY(
    SELECT CASE
      WHEN NOT g.sure THEN (g.name, g.kind, g.max, g.jobs, g.depth, g.sure, g.cap, g.used, g.claimed, g.own, g.own_jobs, 0, 1, NULL)::room
      WHEN g.kind IN ('c', 'k') THEN (g.name, g.kind, g.max, g.jobs, g.depth, g.sure, g.cap, g.used, g.claimed, g.own, g.own_jobs,
        least(g.jobs, f.free::bigint * (1 + g.depth) + f.ahead),
        greatest(f.free + CASE WHEN f.ahead > 0 THEN cardinality(g.own) ELSE 0 END, 1),
        CASE WHEN g.used <> '{}' THEN
          ARRAY(SELECT n FROM generate_series(0, cardinality(g.used) + f.free - 1) AS n WHERE n <> ALL (g.used) ORDER BY n LIMIT f.free)
            || CASE WHEN f.ahead > 0 THEN g.own END END)::room
      ELSE g.*::room END
    FROM unnest(p_rooms) AS g
    CROSS JOIN LATERAL (
      SELECT greatest(least(g.max - cardinality(g.used), g.jobs, g.cap), 0) AS free,
             CASE WHEN cardinality(g.used) <= g.max AND g.own IS NOT NULL AND (g.cap < 0) IS NOT TRUE
               THEN greatest(cardinality(g.own) * (1 + g.depth) - g.own_jobs, 0) ELSE 0 END AS ahead
    ) f);
END
$$;

-- How many candidates of hot groups are admitted: those that fit under slots that are lent to the worker, and under places that
-- are free, which are locked here.
CREATE FUNCTION admit_hot(p_demand demand, INOUT p_rooms room[], OUT p_places places)
${lists} AS $$
DECLARE
  v record;
BEGIN
  SELECT array_agg(h.name) AS names, array_agg(h.spare) AS spares,
         array_agg(least((greatest(h.jobs - h.spare, 0) + h.depth) / (1 + h.depth), CASE WHEN h.cap < 0 THEN 0 ELSE h.cap END))
           AS wanted
  INTO v
  FROM (
    SELECT g.name, g.jobs, g.depth, g.cap, greatest(coalesce(s.spare, 0) + least(g.cap, 0) * (1 + g.depth), 0) AS spare
    FROM unnest(p_rooms) AS g
    LEFT JOIN unnest(p_demand.spare_groups, p_demand.spares) AS s(name, spare) ON s.name = g.name
    WHERE g.kind = 'h'
  ) h;
  SELECT array_agg(l.group_name), array_agg(l.n), array_agg(l.room) INTO p_places
  FROM lock_places(v.names, v.wanted, (random() * 50)::integer) l;
  p_rooms := ARRAY(
    SELECT CASE WHEN h.name IS NULL THEN g.*::room ELSE (g.name, g.kind, g.max, g.jobs, g.depth, g.sure, g.cap, '{}', 0, NULL, 0,
             least(g.jobs, h.spare + least(h.wanted, coalesce(p.free, 0))::bigint * (1 + g.depth)), 1, NULL)::room END
    FROM unnest(p_rooms) AS g
    LEFT JOIN unnest(v.names, v.spares, v.wanted) AS h(name, spare, wanted) ON h.name = g.name
    LEFT JOIN (SELECT l.name, sum(l.free) AS free FROM unnest(p_places.names, p_places.counts) AS l(name, free) GROUP BY 1) p
      ON p.name = g.name);
END
$$;

-- The slot of a candidate in the room of a cold group, by its rank there.
CREATE FUNCTION seat_of(p_room room, p_rank integer) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_room.seats[1 + (coalesce(p_rank, 1) - 1) % p_room.width], (coalesce(p_rank, 1) - 1) % p_room.width)
$$;

-- The candidates that all their groups admit, with their slots.
CREATE FUNCTION choose(p_found found, p_needs needs, p_rooms room[]) RETURNS taken[]
${lists} AS $$
DECLARE
  v_all integer := cardinality(p_found.tids);
  v_moot text[] := ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind IN ('h', 'r', 'u') AND g.allowed >= g.jobs);
  v_common room;           -- that of the group that all are in
  v_family room;           -- and that of the keys that they are in, unless a key has one of its own
  v_single boolean;        -- whether each candidate needs at most one other, its task's own or the first of the others
  v_out integer[] := '{}'; -- candidates of groups that admit none
  v_ranked text[];         -- groups in which it makes a difference which of the candidates comes first
  v_ranks integer[];       -- of each name, among those of its group; NULL where it makes no difference
BEGIN
  -- Rooms that admit all their candidates, without a slot to name, decide nothing.
  IF v_moot <> '{}' AND p_needs.ords IS NOT NULL THEN
    SELECT NULL, NULL, array_agg(n.name), array_agg(n.ord), NULL, array_agg(n.place), array_agg(n.room) INTO p_needs
    FROM unnest(p_needs.names, p_needs.ords, p_needs.places, p_needs.rooms) AS n(name, ord, place, room)
    WHERE n.room <> ALL (v_moot);
  END IF;
  IF (p_needs.names IS NULL AND p_needs.common IS NULL) OR cardinality(v_moot) = cardinality(p_rooms) THEN
    RETURN ARRAY(SELECT (t, NULL)::taken FROM unnest(p_found.tids) AS t);
  END IF;
  v_single := p_needs.ords IS NULL OR (
    cardinality(p_needs.ords) = v_all AND p_needs.ords = ARRAY(SELECT generate_series(1, v_all)) AND 3 > ALL (p_needs.places)
    AND NOT EXISTS (SELECT FROM unnest(p_rooms) AS g WHERE g.kind IN ('k', 'u')));
  IF NOT v_single THEN
    v_out := ARRAY(
      SELECT DISTINCT n.ord
      FROM unnest(p_needs.ords, p_needs.rooms) AS n(ord, room)
      JOIN unnest(p_rooms) AS g ON g.name = n.room
      WHERE g.allowed = 0);
  END IF;
  v_ranked := ARRAY(
    SELECT g.name FROM unnest(p_rooms) AS g
    WHERE g.kind <> 'k' AND g.name IS DISTINCT FROM p_needs.common AND g.allowed > 0 AND (g.allowed < g.jobs OR g.width > 1 AND g.jobs > 1)
    UNION ALL
    SELECT n FROM unnest(p_needs.names) AS n GROUP BY n
    HAVING count(*) > (SELECT min(CASE WHEN g.width > 1 THEN 1 ELSE g.allowed END) FROM unnest(p_rooms) AS g WHERE g.kind = 'k' AND g.allowed > 0));
  IF v_ranked <> '{}' THEN
    v_ranks := ARRAY(
      SELECT r.rank
      FROM generate_subscripts(p_needs.names, 1) AS n(need)
      LEFT JOIN (
        SELECT a.need, row_number() OVER (PARTITION BY a.name COLLATE "C", (a.ord = ANY (v_out)) IS TRUE ORDER BY a.ord, a.need)::integer AS rank
        FROM unnest(p_needs.ords, p_needs.names) WITH ORDINALITY AS a(ord, name, need)
        JOIN (SELECT DISTINCT n FROM unnest(v_ranked) AS n) r ON r.n = a.name
      ) r ON r.need = n.need
      ORDER BY n.need);
  END IF;
  IF NOT v_single THEN
    RETURN ARRAY(
      SELECT (f.tid, b.slots)::taken
      FROM unnest(p_found.tids) WITH ORDINALITY AS f(tid, ord)
      LEFT JOIN (
        SELECT r.ord, bool_and(r.fits) AS fits, CASE WHEN count(r.slot) > 0 THEN (ARRAY[
                 max(r.slot) FILTER (WHERE r.place = 1), max(r.slot) FILTER (WHERE r.place = 2),
                 max(r.slot) FILTER (WHERE r.place = 3), max(r.slot) FILTER (WHERE r.place = 4),
                 max(r.slot) FILTER (WHERE r.place = 5)])[:max(r.place)] END AS slots
        FROM (
          SELECT n.ord, n.place, coalesce(n.rank, 1) <= g.allowed AS fits, CASE WHEN g.kind IN ('c', 'k') THEN seat_of(g, n.rank) END AS slot
          FROM unnest(p_needs.ords, p_needs.places, p_needs.rooms, v_ranks) AS n(ord, place, room, rank)
          JOIN unnest(p_rooms) AS g ON g.name = n.room
        ) r
        GROUP BY r.ord
      ) b ON b.ord = f.ord
      WHERE b.fits IS NOT FALSE
      ORDER BY f.ord);
  END IF;
  SELECT * INTO v_common FROM unnest(p_rooms) AS g WHERE g.name = p_needs.common;
  SELECT * INTO v_family FROM unnest(p_rooms) AS g WHERE g.name = p_needs.family;
  RETURN ARRAY(
    SELECT (t.tid, CASE
        WHEN t.seat IS NULL THEN CASE WHEN v_common.kind = 'c' THEN ARRAY[seat_of(v_common, t.rank)] END
        WHEN t.place = 1 THEN ARRAY[t.seat]
        ELSE ARRAY[CASE WHEN v_common.kind = 'c' THEN seat_of(v_common, t.rank) END, t.seat] END)::taken
    FROM (
      SELECT n.tid, n.ord, n.place, row_number() OVER (ORDER BY n.ord)::integer AS rank, CASE
          WHEN g.kind = 'c' THEN seat_of(g, n.rank)
          WHEN g.kind IS NULL AND v_family.kind = 'k' THEN (coalesce(n.rank, 1) - 1) % v_family.width END AS seat
      FROM unnest(p_found.tids, p_needs.names, p_needs.places, v_ranks) WITH ORDINALITY AS n(tid, name, place, rank, ord)
      LEFT JOIN unnest(p_rooms) AS g ON g.name = n.name
      WHERE coalesce(n.rank, 1) <= coalesce(g.allowed, v_family.allowed, 1)
    ) t
    ORDER BY t.ord
    LIMIT CASE WHEN p_needs.common IS NOT NULL THEN coalesce(v_common.allowed, 0) END);
END
$$;

-- The places to take for the chosen jobs of hot groups, of those that are locked: as many slots as do not fit under those
-- that are lent to the worker already.
CREATE FUNCTION lend_for(p_found found, p_taken taken[], p_needs needs, p_rooms room[], p_demand demand, p_places places)
RETURNS places
${lists} AS $$
DECLARE
  v_lend places;
BEGIN
  SELECT array_agg(t.name), array_agg(t.n), array_agg(t.take) INTO v_lend
  FROM (
    SELECT p.name, p.n, least(p.free, w.slots - coalesce(sum(p.free) OVER (
             PARTITION BY p.name ORDER BY p.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::integer AS take
    FROM unnest(p_places.names, p_places.ns, p_places.counts) AS p(name, n, free)
    JOIN (
      SELECT g.name, (greatest(c.jobs - coalesce(s.spare, 0), 0) + g.depth) / (1 + g.depth) AS slots
      FROM unnest(p_rooms) AS g
      CROSS JOIN LATERAL (
        SELECT CASE WHEN p_needs.ords IS NULL THEN cardinality(p_taken) ELSE (
          SELECT count(*)
          FROM unnest(p_needs.ords, p_needs.names) AS n(ord, name)
          JOIN unnest(p_found.tids) WITH ORDINALITY AS f(tid, ord) ON f.ord = n.ord
          JOIN unnest(p_taken) AS t ON t.tid = f.tid
          WHERE n.name = g.name) END AS jobs
      ) c
      LEFT JOIN unnest(p_demand.spare_groups, p_demand.spares) AS s(name, spare) ON s.name = g.name
      WHERE g.kind = 'h'
    ) w ON w.name = p.name
  ) t
  WHERE t.take > 0;
  RETURN v_lend;
END
$$;

-- Adds which groups do not admit all their candidates, and why.
CREATE FUNCTION with_refusals(p_claim claim, p_rooms room[]) RETURNS claim
${lookups} AS $$
DECLARE
  v_heat_above integer := (SELECT m.heat_above FROM meta m);
BEGIN
  -- A hot group of which other claims have counters locked may have room: none that only takes places wakes this worker.
  SELECT array_agg(g.name) FILTER (WHERE g.none AND g.full),
         array_agg(g.name) FILTER (WHERE g.none AND NOT g.full AND g.cap IS NOT NULL),
         p_claim.busy OR bool_or(NOT g.sure OR (g.none AND g.kind = 'h' AND NOT g.full AND g.cap IS NULL)),
         array_agg(g.name) FILTER (WHERE g.kind = 'c' AND NOT is_keyed(g.name)
           AND (NOT g.sure OR g.jobs - g.allowed > v_heat_above OR g.claimed > v_heat_above))
  INTO p_claim.full_groups, p_claim.capped, p_claim.busy, p_claim.contended
  FROM (
    SELECT r.*, r.allowed = 0 AND r.sure AND r.kind IN ('c', 'h') AS none,
           CASE WHEN r.kind = 'c' AND r.cap IS NULL THEN true WHEN r.allowed = 0 AND r.sure AND r.kind IN ('c', 'h') THEN is_full(r.name) END AS full
    FROM unnest(p_rooms) AS r
    WHERE r.kind <> 'k' AND (r.allowed < r.jobs OR NOT r.sure OR r.claimed > v_heat_above)
  ) g;
  RETURN p_claim;
END
$$;

-- The limits that candidates bring along for groups that have none. They are set before such a candidate is taken.
CREATE FUNCTION proposals_of(p_found found, p_needs needs, p_rooms room[], p_numbered text[], OUT p_groups text[], OUT p_limits integer[])
${lookups} AS $$
DECLARE
  v_unlimited text[] := ARRAY(SELECT g.name FROM unnest(p_rooms) AS g WHERE g.kind = 'u');
BEGIN
  SELECT array_agg(p.name), array_agg(p.proposed) INTO p_groups, p_limits
  FROM (
    SELECT j.limited_group AS name, min(j.submit_limit) AS proposed
    FROM unnest(p_found.tids) AS f(tid)
    JOIN job j ON j.ctid = f.tid
    WHERE coalesce(family_of(j.limited_group), j.limited_group) = ANY (v_unlimited)
      AND j.limited_group = ANY (p_needs.names) AND j.limited_group <> ALL (p_numbered)
    GROUP BY j.limited_group
  ) p;
END
$$;

-- Admits what can be admitted of the jobs that a claim has found.
CREATE FUNCTION admit(p_worker uuid, p_found found, p_demand demand) RETURNS claim
${lookups} AS $$
DECLARE
  v_needs needs := needs_of(p_found, p_demand);
  v_rooms room[];
  v_kinds "char"[];
  v_barred text[];         -- groups that this claim must not decide about
  v_numbered text[];       -- keys that have numbers of their own
  v_places places;
  v record;
  v_claim claim;
BEGIN
  IF v_needs.names IS NULL AND v_needs.common IS NULL THEN
    v_claim.jobs := ARRAY(SELECT (t, NULL)::taken FROM unnest(p_found.tids) AS t);
    RETURN v_claim;
  END IF;
  v_rooms := rooms_of(p_found, v_needs, p_demand);
  v_kinds := ARRAY(SELECT DISTINCT g.kind FROM unnest(v_rooms) AS g);
  SELECT l.p_barred, l.p_numbered INTO v_barred, v_numbered FROM latched(v_needs, v_rooms) l;
  -- Again, now that the latches are ours: a key that had no limit may have got one meanwhile, with slots for jobs of this worker
  -- that the worker has not heard of.
  IF (SELECT m.rules_version FROM meta m) <> p_demand.rules THEN
    v_claim.stale := true;
    RETURN v_claim;
  END IF;
  IF p_found.further AND 'u' = ANY (v_kinds) THEN
    SELECT p.p_groups, p.p_limits INTO v_claim.proposed_groups, v_claim.proposed_limits
    FROM proposals_of(p_found, v_needs, v_rooms, v_numbered) p;
    v_barred := v_barred || v_claim.proposed_groups;
  END IF;
  IF v_kinds && '{c,k,u}' THEN
    SELECT * INTO v FROM looked(p_worker, v_barred, v_numbered, v_needs, v_rooms);
    v_needs := v.p_needs;
    v_rooms := v.p_rooms;
  END IF;
  IF EXISTS (SELECT FROM ask a WHERE a.worker_id <> p_worker) OR EXISTS (SELECT FROM reservation) THEN
    v_rooms := with_caps(p_worker, p_found, v_rooms, p_demand);
  END IF;
  IF v_kinds && '{c,k,u}' THEN
    v_rooms := admit_cold(v_rooms);
  END IF;
  IF 'h' = ANY (v_kinds) THEN
    SELECT * INTO v FROM admit_hot(p_demand, v_rooms);
    v_rooms := v.p_rooms;
    v_places := v.p_places;
    v_claim.gates := ARRAY(SELECT g.name FROM unnest(v_rooms) AS g WHERE g.kind = 'h');
  END IF;
  v_claim.jobs := choose(p_found, v_needs, v_rooms);
  IF v_places.names IS NOT NULL THEN
    v_claim.lend := lend_for(p_found, v_claim.jobs, v_needs, v_rooms, p_demand, v_places);
  END IF;
  v_claim := with_refusals(v_claim, v_rooms);
  IF p_demand.tell AND v_needs.ords IS NOT NULL AND v_claim.full_groups IS NOT NULL THEN
    PERFORM note_passed_over(p_found, v_needs, v_rooms, v_claim.full_groups);
  END IF;
  RETURN v_claim;
END
$$;
