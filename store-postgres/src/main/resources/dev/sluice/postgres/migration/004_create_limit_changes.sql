-- Changes of limits: how a number takes effect, and how a group becomes hot.
--
-- A change holds the rules lock exclusively and raises meta.rules_version, so no claim is under way that works by another number,
-- and none begins before its worker has reconciled. Slots in use stay: while there are more of them than the limit, none
-- comes into use. A key's first number from a submit takes effect under the key's latch, with the
-- rules lock shared, and raises the version only if claimed jobs of the key came to name slots.

-- Which of these groups have a number on record that is forgotten, and is not the one given here (NULL = none).
CREATE FUNCTION forgotten_among(p_groups text[], p_limits integer[]) RETURNS text[]
STABLE ${lookups} AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT r.name
    FROM unnest(p_groups, p_limits) AS g(name, max)
    JOIN limit_rule r ON r.name = ANY (ARRAY[g.name])
    WHERE CASE WHEN is_keyed(g.name) AND r.submit <> coalesce(g.max, -1) THEN is_idle(r.name) END);       -- in this order: is_idle is dear
END
$$;

-- Deletes those of these numbers that are forgotten; returns how many. A number whose row a submit in flight has locked (see
-- lock_for_reject) stays: that submit is about to store a job of the key. The caller holds the rules lock.
CREATE FUNCTION forget_limits(p_groups text[]) RETURNS integer
${plpgsql} AS $$
DECLARE
  v_unlocked text[] := ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_groups) FOR UPDATE SKIP LOCKED);
  v_forgotten integer;
BEGIN
  -- A statement of its own: it sees the jobs of submits that held the row until the one above.
  DELETE FROM limit_rule r WHERE r.name = ANY (v_unlocked) AND is_idle(r.name);
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END
$$;

-- Lays a hot group's places out for a limit. A row with slots in use stays, with capacity 0 if it has no place left:
-- while any row holds more than its capacity, room is counted over the whole group (see lock_places).
CREATE FUNCTION lay_out(p_group text, p_limit integer) RETURNS void
${plpgsql} AS $$
DECLARE
  v_rows integer := greatest(least(p_limit, 50), 1);
  v_now timestamptz := clock_timestamp();
  v_last integer := (SELECT max(n) FROM slot_group WHERE group_name = p_group);      -- of the rows before, NULL: there are none
BEGIN
  -- A row that is new in a group that had a limit was as good as full until now. Rows beyond the limit come to a capacity of 0.
  INSERT INTO slot_group AS g (group_name, n, capacity, used, full_since, full_until)
  SELECT p_group, n, p_limit / 50 + (n < p_limit % 50)::integer, 0,
         CASE WHEN p_limit = 0 THEN v_now WHEN v_last IS NOT NULL THEN '-infinity' END, CASE WHEN v_last IS NOT NULL THEN v_now END
  FROM generate_series(0, greatest(v_rows - 1, v_last)) AS n
  ON CONFLICT (group_name, n) DO UPDATE SET
    capacity = excluded.capacity,
    full_since = CASE WHEN g.used < g.capacity AND g.used >= excluded.capacity THEN v_now ELSE g.full_since END,
    full_until = CASE WHEN g.used >= g.capacity AND g.used < excluded.capacity THEN v_now ELSE g.full_until END
  WHERE g.capacity <> excluded.capacity;
  DELETE FROM slot_group WHERE group_name = p_group AND n >= v_rows AND used = 0;
END
$$;

-- Locks the counters of these groups, in one order for all.
CREATE FUNCTION lock_counters(p_groups text[]) RETURNS void
${sql} AS $$ SELECT FROM slot_group WHERE group_name = ANY (p_groups) ORDER BY group_name, n FOR UPDATE $$;

-- Sets used of hot groups to what the slots on record say. The caller has locked the counters, or (make_hot) the slots, in a statement before
-- this one: whatever lends or frees a slot waits for that lock, so what is counted here is true.
CREATE FUNCTION recount(p_groups text[]) RETURNS void
${plpgsql} AS $$
BEGIN
  INSERT INTO slot_group (group_name, n, capacity, used)
  SELECT DISTINCT group_name, (slot % 50)::smallint, 0, 0 FROM slot WHERE group_name = ANY (p_groups) AND is_hot(group_name)
  ON CONFLICT DO NOTHING;

  UPDATE slot_group g SET
    used = counted.used,
    full_since = CASE WHEN g.used < g.capacity AND counted.used >= g.capacity THEN clock_timestamp() ELSE g.full_since END,
    full_until = CASE WHEN g.used >= g.capacity AND counted.used < g.capacity THEN clock_timestamp() ELSE g.full_until END
  FROM (
    SELECT r.group_name, r.n, count(s.slot)::integer AS used
    FROM slot_group r
    LEFT JOIN slot s ON s.group_name = r.group_name AND s.slot % 50 = r.n
    WHERE r.group_name = ANY (p_groups)
    GROUP BY r.group_name, r.n
  ) counted
  WHERE g.group_name = counted.group_name AND g.n = counted.n AND g.used <> counted.used;
END
$$;

-- Has every claimed job of a group that just got a limit, having had none, name a slot of its own. There may be more of
-- them than the limit allows: they drain. Says whether there were any.
CREATE FUNCTION name_slots(p_group text) RETURNS boolean
${plpgsql} AS $$
BEGIN
  -- In the order in which exchanges end jobs, so that neither waits for the other in a circle. With one that also reports starts of these jobs
  -- it may; then the server refuses one of them, which is tried again.
  PERFORM 1 FROM job WHERE id IN (SELECT c.id FROM claimed_in(p_group) c) ORDER BY id FOR UPDATE;
  WITH free AS (
    SELECT number, row_number() OVER (ORDER BY number) AS rank
    FROM generate_series(0, (SELECT count(*) FROM claimed_in(p_group))
                          + (SELECT count(*) FROM slot s WHERE s.group_name = p_group)) AS number
    WHERE NOT EXISTS (SELECT FROM slot s WHERE s.group_name = p_group AND s.slot = number)
  ), claimed AS (
    SELECT c.id, c.place, row_number() OVER (ORDER BY c.started_at, c.id) AS rank FROM claimed_in(p_group) c
  )
  UPDATE job SET slots[claimed.place] = free.number
  FROM claimed
  JOIN free USING (rank)
  WHERE job.id = claimed.id AND job.state = 2;
  RETURN FOUND;
END
$$;

-- Has no claimed job of a group name a slot of it (NULL: any slot of it) any more. Says whether any did.
CREATE FUNCTION unname_slots(p_group text, p_slot integer) RETURNS boolean
${lookups} AS $$
BEGIN
  UPDATE job SET slots[c.place] = NULL
  FROM claimed_in(p_group) c
  WHERE job.id = ANY (ARRAY[c.id]) AND c.slot = coalesce(p_slot, c.slot);
  RETURN FOUND;
END
$$;

-- Makes a plain group with a limit hot: the numbers that claimed jobs name become slots that are lent to the workers of these
-- jobs, and are as old as their claims. Says whether the group was cold. The caller holds the rules lock, and raises the version of the limits.
CREATE FUNCTION make_hot(p_group text) RETURNS boolean
${plpgsql} AS $$
DECLARE
  v_limit integer := limit_of(p_group);
BEGIN
  IF is_keyed(p_group) OR v_limit IS NULL OR is_hot(p_group) THEN
    RETURN false;
  END IF;
  PERFORM lay_out(p_group, v_limit);
  PERFORM 1 FROM slot WHERE group_name = p_group ORDER BY slot FOR UPDATE;     -- a permit that is being given back knows no counter yet
  INSERT INTO slot (group_name, slot, worker_id, token, acquired_at)
  SELECT p_group, n.slot, n.worker_id, max(n.token), coalesce(min(n.started_at), clock_timestamp())
  FROM claimed_in(p_group) n
  WHERE n.slot IS NOT NULL
  GROUP BY n.slot, n.worker_id;
  PERFORM unname_slots(p_group, NULL);
  PERFORM recount(ARRAY[p_group]);
  RETURN true;
END
$$;

-- Whether so many jobs of a task are in front of an open lane that claims would make its group hot at once.
CREATE FUNCTION is_awaited(p_task text) RETURNS boolean
STABLE ${lookups} AS $$
DECLARE
  v_heat_above integer := (SELECT m.heat_above FROM meta m);
BEGIN
  RETURN v_heat_above = 0 OR v_heat_above < (
    SELECT count(*)
    FROM queues_in('', '{0}') AS q
    CROSS JOIN LATERAL (
      SELECT j.task FROM job j
      WHERE j.state = 1 AND j.lane = '' AND j.shard = 0 AND j.queue = q
      ORDER BY ~j.priority, j.run_at, j.id
      LIMIT 200
    ) f
    WHERE f.task = p_task);
END
$$;

-- Makes the limit of one group true in its places after its rule has changed. Runs under the rules lock.
CREATE FUNCTION enforce(p_group text, p_before integer) RETURNS void
${plpgsql} AS $$
DECLARE
  v_limit integer := limit_of(p_group);
BEGIN
  IF v_limit IS NULL THEN
    -- Lifted. Workers give lent slots back; should the group get a limit again before that, it is cold and they count.
    -- Jobs set aside go home, not all at once: every claim waits for the rules lock meanwhile. The caller sees to the rest.
    PERFORM call_back(p_group, 1000);
    DELETE FROM slot_group WHERE group_name = p_group;
    PERFORM unname_slots(p_group, NULL);
    RETURN;
  END IF;
  PERFORM lay_out(p_group, v_limit) WHERE is_hot(p_group);
  IF p_before IS NULL THEN
    PERFORM name_slots(p_group);
    PERFORM make_hot(p_group) WHERE NOT is_keyed(p_group) AND (home_lane(p_group) <> '' OR is_awaited(p_group));
  ELSIF v_limit > p_before THEN
    PERFORM call_back(p_group, least(v_limit, 1000));
  END IF;
END
$$;

-- Sets (or, with NULL, takes away) the number of a group or family at one level; with p_by, puts that on the log. The
-- caller holds the rules lock.
CREATE FUNCTION apply_limit(p_name text, p_level text, p_limit integer, p_by text DEFAULT NULL) RETURNS void
${lookups} AS $$
DECLARE
  v_family boolean := right(p_name, 2) IN ('/*', '=*');
  v_groups text[] := ARRAY[p_name];
  v_limits integer[];      -- theirs, before
  v_number integer;
  v_change bigint;
BEGIN
  EXECUTE format('SELECT %I FROM limit_rule WHERE name = $1', p_level) INTO v_number USING p_name;
  IF p_limit IS NOT DISTINCT FROM v_number THEN
    RETURN;                                       -- nothing new
  END IF;
  IF p_by IS NOT NULL AND p_level IN ('operator', 'config') THEN
    INSERT INTO limit_change (name, level, before, after, by) VALUES (p_name, p_level, v_number, p_limit, p_by)
    RETURNING id INTO v_change;
    -- Now and then, all but the latest thousands are taken off the log, and of each limit the latest.
    DELETE FROM limit_change c
    WHERE v_change % 500 = 0 AND c.id <= v_change - 5000
      AND EXISTS (SELECT FROM limit_change l WHERE l.name = c.name AND l.level = c.level AND l.id > c.id);
  END IF;
  IF v_family THEN
    -- Its groups that are in use: those with slots, and those that had no limit and have claimed jobs.
    v_groups := ARRAY(
      SELECT m.name
      FROM (SELECT s.group_name AS name FROM slot s UNION SELECT unnest(j.groups) FROM claimed_job j) m
      WHERE family_of(m.name) = p_name);
  END IF;
  v_limits := limits_of(v_groups);
  EXECUTE format(
    'INSERT INTO limit_rule (name, %1$I) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET %1$I = $2, changed_at = clock_timestamp(), changed_token = nextval(''token'')', p_level)
  USING p_name, p_limit;

  PERFORM enforce(g.name, g.before) FROM unnest(v_groups, v_limits) AS g(name, before);
  IF v_family THEN
    UPDATE job SET lane = home_lane(task), shard = shard_of(groups)
    WHERE state = 1 AND lane <> '' AND lane <> task AND family_of(substr(lane, 2)) = p_name;
  END IF;
  PERFORM announce_rules();
END
$$;

-- Makes those of these groups hot that are cold.
CREATE FUNCTION heat(p_groups text[]) RETURNS void
${plpgsql} AS $$
BEGIN
  -- All workers of a group ask for this at once: without the lock, which every claim waits for, once it is done.
  IF NOT EXISTS (SELECT FROM unnest(p_groups) AS g WHERE NOT is_hot(g)) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(rules_lock());
  IF (SELECT bool_or(make_hot(g.name)) FROM (SELECT DISTINCT name FROM unnest(p_groups) AS n(name) ORDER BY name) g) THEN
    PERFORM announce_rules();
  END IF;
END
$$;

-- Sets a limit live; returns the version of the limits from which on it holds.
CREATE FUNCTION set_limit(p_name text, p_level text, p_limit integer, p_by text) RETURNS bigint
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  PERFORM apply_limit(p_name, p_level, p_limit, p_by);
  RETURN (SELECT rules_version FROM meta);
END
$$;

-- Puts pointers on record, in place of those of the same families. Workers hear of it as of a changed limit: what they have
-- not started was judged without it.
CREATE FUNCTION record_pointers(p_families text[], p_pointers text[]) RETURNS void
${plpgsql} AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM unnest(p_families, p_pointers) AS given(family, pointer)
    LEFT JOIN pointer p ON p.family = given.family
    WHERE p.pointer IS DISTINCT FROM given.pointer)
  THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(rules_lock());
  INSERT INTO pointer AS p (family, pointer)
  SELECT given.family, given.pointer FROM unnest(p_families, p_pointers) AS given(family, pointer)
  ON CONFLICT (family) DO UPDATE SET pointer = excluded.pointer;
  PERFORM announce_rules();
END
$$;

-- How many live workers that could start a job of this group have not heard of this version of the limits.
CREATE FUNCTION unaware_workers(p_name text, p_version bigint) RETURNS bigint
STABLE ${sql} AS $$
  SELECT count(*) FROM worker w
  WHERE w.rules_seen < p_version AND w.expires_at > clock_timestamp()
    AND (split_part(p_name, '/', 1) = ANY (w.tasks) OR w.id IN (SELECT h.worker_id FROM held_in(p_name) h))
$$;

-- Sets submit-side limits where their groups have none, and removes forgotten ones where there is none to set (NULL);
-- returns the plain groups that got their first one. All locks are taken first, in one order for all, and the version of the
-- limits is raised last: no two proposers wait in a circle.
CREATE FUNCTION propose_limits(p_groups text[], p_limits integer[]) RETURNS SETOF text
${plpgsql} AS $$
DECLARE
  v_idle text[] := forgotten_among(p_groups, p_limits);
  v_alone boolean := v_idle <> '{}' OR EXISTS (
    SELECT FROM unnest(p_groups, p_limits) AS p(name, proposed)
    WHERE p.proposed IS NOT NULL AND NOT is_keyed(p.name) AND limit_of(p.name) IS NULL);
  v_proposal record;
  v_named boolean := false;
BEGIN
  IF v_alone THEN
    PERFORM pg_advisory_xact_lock(rules_lock());
    -- Under the lock: no claim works by the number that is forgotten here.
    PERFORM forget_limits(v_idle);
  ELSE
    -- Against a change of a family's limit, and the end of a worker whose jobs are to name slots here.
    PERFORM pg_advisory_xact_lock_shared(rules_lock());
  END IF;
  -- Under the lock, a number that is on record stays: only these keys can get theirs from here.
  PERFORM pg_advisory_xact_lock(latches(), l.latch)
  FROM (
    SELECT DISTINCT latch_of(p.name) AS latch FROM unnest(p_groups, p_limits) AS p(name, proposed)
    WHERE p.proposed IS NOT NULL AND is_keyed(p.name) AND limit_of(p.name) IS NULL
    ORDER BY 1) l;

  FOR v_proposal IN
    SELECT p.name, min(p.proposed) AS proposed
    FROM unnest(p_groups, p_limits) AS p(name, proposed)
    WHERE p.proposed IS NOT NULL AND (v_alone OR is_keyed(p.name)) AND limit_of(p.name) IS NULL
    GROUP BY p.name
    ORDER BY p.name
  LOOP
    IF NOT is_keyed(v_proposal.name) THEN
      PERFORM apply_limit(v_proposal.name, 'submit', v_proposal.proposed);
      RETURN NEXT v_proposal.name;
    ELSE
      INSERT INTO limit_rule AS r (name, submit) VALUES (v_proposal.name, v_proposal.proposed)
      ON CONFLICT (name) DO UPDATE SET
        submit = excluded.submit, changed_at = excluded.changed_at, changed_token = excluded.changed_token;
      v_named := name_slots(v_proposal.name) OR v_named;
    END IF;
  END LOOP;
  IF v_named THEN
    PERFORM announce_rules();
  END IF;
END
$$;
