-- Slots that are lent: those of hot groups to workers, those of any group to permits. The limits say what is cold and hot. A hot group whose
-- limit is lifted keeps those that are lent until they are given back.
--
-- The places of a hot group are counted in up to 50 rows, so that claims rarely meet:
--   1. slot_group.used = number of rows in slot whose number % 50 is that row's n.
--   2. The capacities of a group sum to exactly its limit.
--   3. Nothing adds to used unless, under the row's lock, used < capacity there and no row of the group is overfull,
--      or all rows are locked and the sum of used is less than the sum of capacity.
-- A row is overfull (used > capacity) only after its limit was lowered, or became hot while it drained. Both happen under the
-- rules lock, which every claim holds shared, so a claim that sees no overfull row can trust that.
--
-- A permit in a cold group is taken as a claimed job names a slot: under the latch, after a look.

-- Lets every token from now on be above this one. The sequence is behind it where a backup was restored, or a standby took over
-- that lagged behind, while a worker lives that has seen later tokens. One at a time, so that none moves it back.
CREATE FUNCTION raise_tokens(p_above bigint) RETURNS void
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('${schema}/tokens', 0));
  PERFORM setval('token', p_above) FROM token WHERE p_above > 0 AND last_value <= p_above;
END
$$;

-- Locks rows with free places of hot groups, for each about as many as hold the places wanted, and says how many places each has. Rows
-- locked by others are skipped, and p_seed makes takers start in different rows: they rarely meet.
CREATE FUNCTION lock_places(p_groups text[], p_wanted integer[], p_seed integer)
RETURNS TABLE (group_name text, n integer, room integer)
${lookups} AS $$
DECLARE
  v_overfull text[] := ARRAY(
    SELECT DISTINCT o.group_name FROM slot_group o WHERE o.group_name = ANY (p_groups) AND o.used > o.capacity);
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

  IF v_overfull <> '{}' THEN
    RETURN QUERY
    SELECT w.name, p.n::integer, least(p.room, p.total - p.before)::integer
    FROM unnest(v_overfull) AS w(name)
    CROSS JOIN LATERAL (
      SELECT l.n, l.room, sum(l.room) OVER () AS total, count(*) OVER () AS locked,
             sum(greatest(l.room, 0)) OVER (ORDER BY l.n) - greatest(l.room, 0) AS before      -- room in the rows before this one
      FROM (SELECT g.n, g.capacity - g.used AS room FROM slot_group g WHERE g.group_name = w.name FOR UPDATE SKIP LOCKED) l
    ) p
    WHERE p.room > 0 AND p.total > p.before AND p.locked = (SELECT count(*) FROM slot_group a WHERE a.group_name = w.name);
  END IF;
END
$$;

-- Lends places in rows that lock_places has locked, as p_lent says: to a worker, or to a permit. Each gets the lowest free number of its
-- row.
CREATE FUNCTION take_slots(p_lent slot, p_groups text[], p_ns integer[], p_counts integer[])
RETURNS TABLE (group_name text, slot integer)
${lookups} AS $$
BEGIN
  UPDATE slot_group g SET
    used = g.used + t.count,
    full_since = CASE WHEN g.used + t.count >= g.capacity THEN clock_timestamp() ELSE g.full_since END
  FROM unnest(p_groups, p_ns, p_counts) AS t(name, n, count)
  WHERE g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n;

  RETURN QUERY
  INSERT INTO slot AS s (group_name, slot, token, worker_id, holder, holder_worker, expires_at, lease_ms)
  SELECT t.name, free.place, p_lent.token, p_lent.worker_id, p_lent.holder, p_lent.holder_worker, p_lent.expires_at, p_lent.lease_ms
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

-- Frees slots that are lent, by token; with p_expired, only permits that have expired. Locks are taken in one order for all, the counters
-- of hot groups first. Returns the groups of the slots, each once for every one.
CREATE FUNCTION free_slots(p_groups text[], p_slots integer[], p_tokens bigint[], p_expired boolean DEFAULT false) RETURNS text[]
${lookups} AS $$
DECLARE
  v_groups text[];
  v_slots integer[];
BEGIN
  PERFORM 1
  FROM slot_group g
  JOIN (SELECT DISTINCT name, slot % 50 AS n FROM unnest(p_groups, p_slots) AS t(name, slot)) t
    ON g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n
  ORDER BY g.group_name, g.n
  FOR UPDATE OF g;
  WITH gone AS (
    DELETE FROM slot s
    USING (SELECT * FROM unnest(p_groups, p_slots, p_tokens) AS t(name, slot, token) ORDER BY name COLLATE "C", slot) t
    WHERE s.group_name = ANY (ARRAY[t.name]) AND s.slot = t.slot AND s.token = t.token
      AND (NOT p_expired OR s.expires_at <= clock_timestamp())
    RETURNING s.group_name, s.slot
  )
  SELECT array_agg(gone.group_name), array_agg(gone.slot) INTO v_groups, v_slots FROM gone;
  UPDATE slot_group g SET
    used = greatest(g.used - t.freed, 0),          -- a count that is wrong is the audit's to find, and stops nothing here
    full_until = CASE
      WHEN g.used >= g.capacity AND g.used - t.freed < g.capacity THEN clock_timestamp() ELSE g.full_until END
  FROM (SELECT name, slot % 50 AS n, count(*)::integer AS freed FROM unnest(v_groups, v_slots) AS s(name, slot) GROUP BY 1, 2) t
  WHERE g.group_name = ANY (ARRAY[t.name]) AND g.n = t.n;
  RETURN v_groups;
END
$$;

-- Calls back jobs that were set aside for groups of which slots have come free; a group stands here once for each. This
-- comes after they are freed, in a statement of its own: a job was set aside under a lock that what freed the slots has waited
-- for, so the job is seen here.
--
-- Yet others may have it locked. Another call for the same group has just moved it; but a claim whose look at the line is
-- older than the setting aside locks the job as well, only to see that it has gone. It is not waited for in the midst of
-- a transaction that holds other things. Returned are the groups of which jobs may be left behind: an exchange has its worker try again after
-- the commit, and call_back_forgotten (in the lanes) finds what any other caller leaves.
--
-- For each slot, and in each queue, as many are called as a worker puts into one: 1 + depth of the task whose group it
-- is; but 8 at least.
CREATE FUNCTION call_back_all(p_groups text[], p_depths jsonb DEFAULT NULL, p_depth integer DEFAULT 0) RETURNS text[]
${lookups} AS $$
DECLARE
  v_group record;
  v_left text[];
BEGIN
  FOR v_group IN
    SELECT t.name, '*' || t.name AS lane,
           t.freed * greatest(1 + depth_of(split_part(t.name, '/', 1), p_depths, p_depth), 8) AS jobs
    FROM (SELECT name, count(*) AS freed FROM unnest(p_groups) AS f(name) GROUP BY 1 ORDER BY 1) t
    WHERE (SELECT true FROM job j WHERE j.state = 1 AND j.lane = '*' || t.name LIMIT 1)
  LOOP
    IF call_back(v_group.name, v_group.jobs) < v_group.jobs * (SELECT count(*) FROM queues_in(v_group.lane, '{0}')) THEN
      v_left := v_left || v_group.name;
    END IF;
  END LOOP;
  RETURN v_left;
END
$$;

-- The same in a transaction that does nothing else: it waits for the others. They do not wait for it: claims wait for
-- nothing once they have jobs locked, and a change of limits holds the rules lock.
CREATE FUNCTION call_back_and_wait(p_group text) RETURNS void
${lookups} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(rules_lock());
  PERFORM 1 FROM job j WHERE j.state = 1 AND j.lane = '*' || p_group ORDER BY j.id LIMIT 8 FOR UPDATE;
  PERFORM call_back_all(ARRAY[p_group]);
END
$$;

-- Takes slots from a holder that does not have them any more, or with p_expired from permits that have expired. Returns their groups, each
-- once for every one.
CREATE FUNCTION take_lent(p_slots slot[], p_expired boolean DEFAULT false) RETURNS text[]
${plpgsql} AS $$
DECLARE
  v_groups text[];
BEGIN
  SELECT free_slots(array_agg(s.group_name), array_agg(s.slot), array_agg(s.token), p_expired) INTO v_groups FROM unnest(p_slots) AS s;
  PERFORM call_back_all(v_groups);
  RETURN v_groups;
END
$$;

-- Frees expired permits of one group, or of all (NULL).
CREATE FUNCTION free_expired_permits(p_group text) RETURNS TABLE (group_name text, freed bigint)
${lookups} AS $$
BEGIN
  RETURN QUERY
  SELECT g, count(*)
  FROM unnest(take_lent(ARRAY(
    SELECT s FROM slot s WHERE s.expires_at <= (SELECT clock_timestamp()) AND (p_group IS NULL OR s.group_name = p_group)), true)) AS g
  GROUP BY g;
END
$$;

-- Takes one slot for a permit. Empty: full. The group must have a limit; a keyed one without gets p_limit (NULL = none), in
-- this transaction: before the slot is taken, the number could be forgotten as that of an idle key.
CREATE FUNCTION acquire_permit(p_group text, p_limit integer, p_holder text, p_process text, p_lease_ms bigint)
RETURNS TABLE (slot integer, token bigint, expires_at timestamptz)
${lookups} AS $$
DECLARE
  v_limit integer;
  v_n integer;
  v_lent slot;
BEGIN
  IF p_limit IS NOT NULL AND is_keyed(p_group) THEN
    PERFORM propose_limits(ARRAY[p_group], ARRAY[p_limit]);
  END IF;
  PERFORM pg_advisory_xact_lock_shared(rules_lock());
  v_limit := limit_of(p_group);
  IF v_limit IS NULL THEN
    RAISE EXCEPTION 'no limit' USING ERRCODE = 'SL001';
  END IF;
  v_lent.token := nextval('token');                -- under the lock: above the limit's changed_token
  v_lent.holder := p_holder;
  v_lent.holder_worker := p_process;
  v_lent.lease_ms := p_lease_ms;
  IF is_hot(p_group) THEN
    IF EXISTS (SELECT FROM slot_group g WHERE g.group_name = p_group AND g.used > g.capacity) THEN
      PERFORM lock_counters(ARRAY[p_group]);       -- all its rows are wanted; first of all, and in order
    END IF;
    PERFORM free_expired_permits(p_group);
    SELECT p.n INTO v_n FROM lock_places(ARRAY[p_group], '{1}', (random() * 50)::integer) p WHERE p.room > 0 LIMIT 1;
    IF v_n IS NULL THEN
      -- Rows may have been skipped because others had them locked: wait for them, and look again.
      PERFORM lock_counters(ARRAY[p_group]);
      SELECT p.n INTO v_n FROM lock_places(ARRAY[p_group], '{1}', 0) p WHERE p.room > 0 LIMIT 1;
    END IF;
    v_lent.expires_at := clock_timestamp() + p_lease_ms * interval '1 millisecond';
    SELECT t.slot INTO v_lent.slot FROM take_slots(v_lent, ARRAY[p_group], ARRAY[v_n], '{1}') t WHERE v_n IS NOT NULL;
  ELSE
    -- Its latch, waited for.
    PERFORM pg_advisory_xact_lock(latches(), latch_of(p_group)) WHERE is_keyed(p_group);
    PERFORM 1 FROM limit_rule r WHERE r.name = p_group AND NOT is_keyed(p_group) FOR NO KEY UPDATE;
    PERFORM free_expired_permits(p_group);
    v_lent.expires_at := clock_timestamp() + p_lease_ms * interval '1 millisecond';
    INSERT INTO slot AS s (group_name, slot, token, holder, holder_worker, expires_at, lease_ms)
    SELECT p_group, number, v_lent.token, p_holder, p_process, v_lent.expires_at, p_lease_ms
    FROM generate_series(0, least(v_limit - 1, slots_used(p_group))) AS number
    WHERE slots_used(p_group) < v_limit AND number NOT IN (SELECT h.slot FROM held_in(p_group) h)
    ORDER BY number
    LIMIT 1
    RETURNING s.slot INTO v_lent.slot;
  END IF;
  RETURN QUERY SELECT v_lent.slot, v_lent.token, v_lent.expires_at WHERE v_lent.slot IS NOT NULL;
END
$$;

-- Frees one slot: a permit's by token, or (NULL) any by force. Says whether it was held so, and whether jobs were
-- left behind that have to be called back.
CREATE FUNCTION free_slot(p_group text, p_slot integer, p_token bigint, OUT freed boolean, OUT left_behind boolean)
${plpgsql} AS $$
DECLARE
  v_token bigint;
BEGIN
  IF p_token IS NULL THEN
    PERFORM pg_advisory_xact_lock(rules_lock());
  END IF;
  SELECT s.token INTO v_token FROM slot s
  WHERE s.group_name = p_group AND s.slot = p_slot AND (p_token IS NULL OR (s.token = p_token AND s.expires_at > clock_timestamp()));
  freed := free_slots(ARRAY[p_group], ARRAY[p_slot], ARRAY[v_token]) IS NOT NULL
    OR (p_token IS NULL AND unname_slots(p_group, p_slot));
  IF freed THEN
    left_behind := call_back_all(ARRAY[p_group]) IS NOT NULL;
    IF p_token IS NULL THEN
      PERFORM announce_rules();                    -- a worker that still believes it holds the slot must hear that it does not
    END IF;
  END IF;
END
$$;

-- Sweeps submit-side limits of keyed groups that are forgotten (see is_idle): keys come and go. They are looked for
-- first, and only a batch of them again under the lock, which holds up every claim.
CREATE FUNCTION forget_idle_groups(p_batch integer) RETURNS integer
${plpgsql} AS $$
DECLARE
  v_idle text[] := ARRAY(
    SELECT r.name
    FROM limit_rule r
    WHERE r.submit IS NOT NULL AND r.changed_at < clock_timestamp() - interval '1 hour' AND is_idle(r.name)
    LIMIT p_batch);
BEGIN
  IF v_idle = '{}' OR NOT pg_try_advisory_xact_lock(rules_lock()) THEN
    RETURN 0;                                      -- some other time: no claim must be working by what is forgotten here
  END IF;
  RETURN forget_limits(v_idle);
END
$$;
