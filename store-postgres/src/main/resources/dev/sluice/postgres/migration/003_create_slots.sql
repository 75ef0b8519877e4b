-- Slots: taking and giving back places of limited groups.
--
-- A held slot is a row in slot, whoever holds it and whatever its group. What keeps a group within its limit differs.
--
-- Plain groups are few and hot. Their places are counted in up to 50 rows, so that takers rarely meet:
--   1. slot_group.used = number of rows in slot whose number % 50 is that row's n.
--   2. the capacities of a group sum to exactly its limit.
--   3. nobody adds to used unless, under the row's lock, used < capacity there and no row of the group is overfull,
--      or all rows are locked and the sum of used is less than the sum of capacity.
-- A row is overfull (used > capacity) only after its limit was lowered or a limit was put on a group that had none.
-- Both happen under the rules lock, which every taker holds shared, so a taker that sees no overfull row can trust that.
--
-- Keyed groups are many, and most are small and in use for a moment. The primary key of slot is all that counts them:
--   4. nobody inserts a slot unless its number is below the limit and no slot of the group has a number of at least the
--      limit; or, the group's lock held, its slots are fewer than the limit.
-- So either all numbers are below the limit, and there cannot be more of them than that; or the group is draining after
-- a limit was lowered or put on a group that had none, and its takers come one at a time. Slots with high numbers come
-- about under the rules lock, or together with the limit itself; a taker that sees the limit sees them.

-- Locks rows with free places of plain groups, for each about as many as hold the places wanted, and says how many places
-- each has.
-- Rows locked by others are skipped, and p_seed makes takers start in different rows: they rarely meet.
CREATE FUNCTION lock_places(p_groups text[], p_wanted integer[], p_seed integer)
RETURNS TABLE (group_name text, n integer, room integer)
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_overfull text[] := ARRAY(
    SELECT DISTINCT o.group_name FROM slot_group o WHERE o.group_name = ANY (p_groups) AND o.used > o.capacity);
  v_group text;
BEGIN
  RETURN QUERY
  SELECT w.name, p.n::integer, p.room
  FROM unnest(p_groups, p_wanted) AS w(name, wanted)
  CROSS JOIN LATERAL (
    SELECT g.n, g.capacity - g.used AS room
    FROM slot_group g
    WHERE g.group_name = w.name AND g.used < g.capacity
    ORDER BY (g.n + p_seed) % 50
    LIMIT CASE WHEN w.wanted <= 1 THEN w.wanted ELSE (
      SELECT ceil(w.wanted * count(*) / sum(f.capacity - f.used)::numeric)
      FROM slot_group f
      WHERE f.group_name = w.name AND f.used < f.capacity) END
    FOR UPDATE SKIP LOCKED
  ) p
  WHERE w.wanted > 0 AND w.name <> ALL (v_overfull);

  FOREACH v_group IN ARRAY v_overfull LOOP
    RETURN QUERY
    WITH locked AS (
      SELECT g.n, g.capacity, g.used
      FROM slot_group g
      WHERE g.group_name = v_group
      FOR UPDATE SKIP LOCKED
    ), total AS (
      SELECT sum(l.capacity - l.used)::integer AS room
      FROM locked l
      HAVING count(*) = (SELECT count(*) FROM slot_group a WHERE a.group_name = v_group)
    ), free AS (
      SELECT l.n, l.capacity - l.used AS room,
             coalesce(sum(l.capacity - l.used) OVER (ORDER BY l.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM locked l
      WHERE l.used < l.capacity
    )
    SELECT v_group, f.n::integer, least(f.room, t.room - f.before)::integer
    FROM free f
    CROSS JOIN total t
    WHERE t.room > f.before;
  END LOOP;
END
$$;

-- Takes places in rows that lock_places has locked, for a worker. Each gets the lowest free number of its row.
CREATE FUNCTION take_slots(p_worker uuid, p_token bigint, p_groups text[], p_ns integer[], p_counts integer[])
RETURNS TABLE (group_name text, slot integer)
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
BEGIN
  UPDATE slot_group g SET used = g.used + t.count
  FROM unnest(p_groups, p_ns, p_counts) AS t(name, n, count)
  WHERE g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n;

  RETURN QUERY
  INSERT INTO slot AS s (group_name, slot, worker_id, token)
  SELECT t.name, free.place, p_worker, p_token
  FROM unnest(p_groups, p_ns, p_counts) AS t(name, n, count)
  JOIN slot_group g ON g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n
  CROSS JOIN LATERAL (
    SELECT g.n + 50 * i AS place
    FROM generate_series(0, least(g.capacity, g.used) - 1) AS i     -- used counts these already: among so many, enough are free
    WHERE NOT EXISTS (SELECT FROM slot h WHERE h.group_name = g.group_name AND h.slot = g.n + 50 * i)
    ORDER BY i
    LIMIT t.count
  ) free
  RETURNING s.group_name, s.slot;
END
$$;

-- Takes up to so many places of each keyed group, for a worker or a permit. The groups come in the order of their names.
--
-- Two who insert the same number wait for each other, and whoever inserts a number may have to wait for the one who is
-- just giving it back. So that they never wait in a circle, all do things in one order: take slots of keyed groups, in the
-- order of names and numbers; then give such slots back; and last of all lock those of others, which is the only thing
-- that those who give back can be waiting for (see claim in 005). Only a permit first clears its group of expired ones.
--
-- Takers of a group with many places look for free ones from different numbers on, so that they rarely meet.
CREATE FUNCTION take_keyed_slots(
  p_worker uuid, p_token bigint, p_groups text[], p_limits integer[], p_wanted integer[],
  p_holder text DEFAULT NULL, p_process text DEFAULT NULL, p_expires_at timestamptz DEFAULT NULL)
RETURNS TABLE (group_name text, slot integer)
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
  v_seed integer := (random() * 1000)::integer;
  v_held integer[];
  v_draining boolean;
  v_group record;
BEGIN
  SELECT array_agg(h.slots), bool_or(h.highest >= g.max) INTO v_held, v_draining
  FROM unnest(p_groups, p_limits) AS g(name, max)
  CROSS JOIN LATERAL (SELECT count(*)::integer AS slots, max(s.slot) AS highest FROM slot s WHERE s.group_name = g.name) h;

  IF v_draining AND cardinality(p_groups) > 1 THEN
    -- One by one, in the same order.
    FOR v_group IN SELECT * FROM unnest(p_groups, p_limits, p_wanted) AS g(name, max, wanted) LOOP
      RETURN QUERY SELECT * FROM take_keyed_slots(
        p_worker, p_token, ARRAY[v_group.name], ARRAY[v_group.max], ARRAY[v_group.wanted], p_holder, p_process, p_expires_at);
    END LOOP;
    RETURN;
  ELSIF v_draining THEN
    IF NOT pg_try_advisory_xact_lock(group_lock(p_groups[1])) THEN
      RETURN;
    END IF;
    v_held[1] := (SELECT count(*) FROM slot s WHERE s.group_name = p_groups[1]);
    p_wanted[1] := greatest(least(p_wanted[1], p_limits[1] - v_held[1]), 0);
  END IF;

  RETURN QUERY
  INSERT INTO slot AS s (group_name, slot, token, worker_id, holder, holder_worker, expires_at)
  SELECT g.name, free.place, p_token, p_worker, p_holder, p_process, p_expires_at
  FROM unnest(p_groups, p_limits, p_wanted, v_held) WITH ORDINALITY AS g(name, max, wanted, held, ord)
  CROSS JOIN LATERAL (SELECT least(g.max, g.held + g.wanted + 8) AS places) among      -- enough of so many are free
  CROSS JOIN LATERAL (
    SELECT (i + v_seed) % among.places AS place
    FROM generate_series(0, among.places - 1) AS i
    WHERE g.held = 0
       OR (i + v_seed) % among.places NOT IN (SELECT h.slot FROM slot h WHERE h.group_name = g.name)
    LIMIT g.wanted
  ) free
  ORDER BY g.ord, free.place
  ON CONFLICT DO NOTHING
  RETURNING s.group_name, s.slot;
END
$$;

-- Locks the rows that count these slots of plain groups, in one order for all.
CREATE FUNCTION lock_rows_of(p_groups text[], p_slots integer[]) RETURNS void
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
  PERFORM 1
  FROM slot_group g
  JOIN (SELECT DISTINCT name, slot % 50 AS n FROM unnest(p_groups, p_slots) AS t(name, slot) WHERE NOT is_keyed(name)) t
    ON g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n
  ORDER BY g.group_name, g.n
  FOR UPDATE OF g;
END
$$;

-- Counts freed slots of plain groups down and calls back jobs that were set aside for their groups. Call-backs come last,
-- in a statement of their own: whoever set a job aside did so under a lock that this, or whoever deleted the slots, has
-- waited for, so the job is seen here, and none is forgotten. Returns how many were called.
CREATE FUNCTION count_down(p_groups text[], p_slots integer[]) RETURNS bigint
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
  UPDATE slot_group g SET used = g.used - t.freed
  FROM (
    SELECT name, slot % 50 AS n, count(*)::integer AS freed
    FROM unnest(p_groups, p_slots) AS s(name, slot)
    WHERE NOT is_keyed(name)
    GROUP BY 1, 2
  ) t
  WHERE g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n;

  RETURN (
    SELECT coalesce(sum(call_back(t.name, 8 * t.freed)), 0)
    FROM (SELECT name, count(*) AS freed FROM unnest(p_groups) AS f(name) GROUP BY 1 ORDER BY 1) t
    WHERE (SELECT true FROM job j WHERE j.state = 1 AND j.lane = '*' || t.name LIMIT 1));
END
$$;

-- Gives slots of a worker back, by token. Returns how many jobs that called back.
CREATE FUNCTION release_slots(p_worker uuid, p_groups text[], p_slots integer[], p_tokens bigint[]) RETURNS bigint
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
  v_groups text[];
  v_slots integer[];
BEGIN
  PERFORM lock_rows_of(p_groups, p_slots);
  WITH freed AS (
    DELETE FROM slot s
    USING (
      SELECT * FROM unnest(p_groups, p_slots, p_tokens) AS given(name, slot, token) ORDER BY name, slot
    ) r
    WHERE s.group_name = ANY (ARRAY[r.name]) AND s.slot = r.slot AND s.token = r.token
      AND s.worker_id = p_worker
    RETURNING s.group_name, s.slot
  )
  SELECT array_agg(group_name), array_agg(slot) INTO v_groups, v_slots FROM freed;
  RETURN CASE WHEN v_groups IS NULL THEN 0 ELSE count_down(v_groups, v_slots) END;
END
$$;

-- Frees expired permits of one group, or of all (NULL).
CREATE FUNCTION free_expired_permits(p_group text) RETURNS TABLE (group_name text, freed bigint)
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_groups text[];
  v_slots integer[];
BEGIN
  SELECT array_agg(s.group_name), array_agg(s.slot) INTO v_groups, v_slots
  FROM slot s
  WHERE s.expires_at <= clock_timestamp() AND (p_group IS NULL OR s.group_name = p_group);
  IF v_groups IS NULL THEN
    RETURN;
  END IF;
  PERFORM lock_rows_of(v_groups, v_slots);
  WITH gone AS (
    DELETE FROM slot s
    USING (
      SELECT k.ctid
      FROM (SELECT * FROM unnest(v_groups, v_slots) AS u(name, slot) ORDER BY name, slot) e
      CROSS JOIN LATERAL (
        SELECT x.ctid
        FROM slot x
        WHERE x.group_name = e.name AND x.slot = e.slot AND x.expires_at <= clock_timestamp()
        FOR UPDATE
      ) k
    ) expired
    WHERE s.ctid = expired.ctid
    RETURNING s.group_name, s.slot
  )
  SELECT array_agg(gone.group_name), array_agg(gone.slot) INTO v_groups, v_slots FROM gone;
  IF v_groups IS NOT NULL THEN
    PERFORM count_down(v_groups, v_slots);
    RETURN QUERY SELECT g, count(*) FROM unnest(v_groups) AS g GROUP BY g;
  END IF;
END
$$;

-- Takes one slot for a permit. Empty: full. The group must have a limit.
CREATE FUNCTION acquire_permit(p_group text, p_holder text, p_process text, p_lease_ms bigint)
RETURNS TABLE (slot integer, token bigint, expires_at timestamptz)
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_n integer;
  v_limit integer;
  v_token bigint := nextval('token');
BEGIN
  PERFORM pg_advisory_xact_lock_shared(rules_lock());
  v_limit := limit_of(p_group);
  IF v_limit IS NULL THEN
    RAISE EXCEPTION 'no limit' USING ERRCODE = 'SL001';
  END IF;
  IF is_keyed(p_group) THEN
    PERFORM pg_advisory_xact_lock(group_lock(p_group));
    PERFORM free_expired_permits(p_group);
    LOOP
      RETURN QUERY
      SELECT t.slot, v_token, e.expires_at
      FROM (SELECT clock_timestamp() + p_lease_ms * interval '1 millisecond' AS expires_at) e
      CROSS JOIN LATERAL take_keyed_slots(
        NULL, v_token, ARRAY[p_group], ARRAY[v_limit], ARRAY[1], p_holder, p_process, e.expires_at) t;
      EXIT WHEN FOUND OR is_full(p_group);         -- else a worker has taken just the place that was free; there is another
    END LOOP;
    RETURN;
  END IF;

  IF EXISTS (SELECT FROM slot_group g WHERE g.group_name = p_group AND g.used > g.capacity) THEN
    PERFORM lock_groups(ARRAY[p_group]);           -- all its rows are wanted; first of all, and in order
  END IF;
  PERFORM free_expired_permits(p_group);
  SELECT p.n INTO v_n FROM lock_places(ARRAY[p_group], ARRAY[1], (random() * 50)::integer) p WHERE p.room > 0 LIMIT 1;
  IF v_n IS NULL THEN
    -- Rows may have been skipped because others had them locked: wait for them, and look again.
    PERFORM 1 FROM slot_group g WHERE g.group_name = p_group ORDER BY g.n FOR UPDATE;
    SELECT p.n INTO v_n FROM lock_places(ARRAY[p_group], ARRAY[1], 0) p WHERE p.room > 0 LIMIT 1;
  END IF;
  IF v_n IS NULL THEN
    RETURN;
  END IF;
  UPDATE slot_group g SET used = g.used + 1 WHERE g.group_name = p_group AND g.n = v_n;
  RETURN QUERY
  INSERT INTO slot AS s (group_name, slot, token, holder, holder_worker, expires_at)
  SELECT p_group, v_n + 50 * i, v_token, p_holder, p_process,
         clock_timestamp() + p_lease_ms * interval '1 millisecond'
  FROM generate_series(0, (SELECT g.capacity - 1 FROM slot_group g WHERE g.group_name = p_group AND g.n = v_n)) AS i
  WHERE NOT EXISTS (SELECT FROM slot h WHERE h.group_name = p_group AND h.slot = v_n + 50 * i)
  ORDER BY i
  LIMIT 1
  RETURNING s.slot, s.token, s.expires_at;
END
$$;

-- Frees one slot: a permit's by token, or (NULL) whoever's by force. True if it was held so.
CREATE FUNCTION free_slot(p_group text, p_slot integer, p_token bigint) RETURNS boolean
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  IF p_token IS NULL THEN
    PERFORM pg_advisory_xact_lock(rules_lock());
  END IF;
  PERFORM lock_rows_of(ARRAY[p_group], ARRAY[p_slot]);
  DELETE FROM slot s
  WHERE s.group_name = p_group AND s.slot = p_slot
    AND (p_token IS NULL OR (s.token = p_token AND s.expires_at > clock_timestamp()));
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM count_down(ARRAY[p_group], ARRAY[p_slot]);
  IF p_token IS NULL THEN
    -- A worker that still believes it holds the slot must hear that it does not.
    UPDATE meta SET rules_version = rules_version + 1;
    PERFORM pg_notify('sluice_${schema}', 'rules');
  END IF;
  RETURN true;
END
$$;

-- Forgets submit-side limits of keyed groups that nobody uses: keys come and go.
CREATE FUNCTION forget_idle_groups(p_batch integer) RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
DECLARE
  v_forgotten integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(rules_lock()) THEN
    RETURN 0;                                      -- some other time: nobody must be working by what is forgotten here
  END IF;
  DELETE FROM limit_rule r
  WHERE r.name IN (
    SELECT o.name
    FROM limit_rule o
    WHERE is_keyed(o.name) AND o.submit IS NOT NULL
      AND o.operator IS NULL AND o.config IS NULL AND o.code IS NULL
      AND o.changed_at < clock_timestamp() - interval '1 hour'
      AND NOT EXISTS (SELECT FROM slot s WHERE s.group_name = o.name)
      AND NOT EXISTS (SELECT FROM job j WHERE j.groups[1] = o.name)
      AND NOT EXISTS (SELECT FROM job j WHERE j.groups[2] = o.name)
      AND NOT EXISTS (SELECT FROM job j WHERE j.groups[3] = o.name)
      AND NOT EXISTS (SELECT FROM job j WHERE j.groups[4] = o.name)
    LIMIT p_batch
    FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END
$$;
