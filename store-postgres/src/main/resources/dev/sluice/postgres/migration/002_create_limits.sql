-- Limits: which number holds for a group, how its places are laid out, and how a change takes effect.
--
-- The rules lock. Claims take it shared, changes of limits that could catch a claimer unaware take it exclusively: a
-- group that had no limit gets one, a number changes. A claim carries the version of the limits its worker knows; under
-- the lock it compares it with meta.rules_version and gives up when they differ. So whatever a claim assumes about
-- limits is true until it commits, and the plain path need not read a single limit.
--
-- Keyed groups (T/key, T/dimension=value) come and go by the hundred thousand. Their jobs are never on the plain path
-- and each claim looks their limits up, so a submit-side limit on a keyed group needs only that group's latch. Nor do
-- they have places that are laid out and counted: see 003.
--
-- The latch of a keyed group is an advisory lock. Who takes slots of the group or gives it its first limit holds it
-- until the commit; who claims jobs of a group without a limit holds it shared. A claim only ever tries a latch, and
-- passes by the jobs of a group whose latch another has. The server keeps all locks of all its users in one table of a
-- fixed size, so nobody takes many latches at once: see latches_allowed.

-- Whoever holds one of these locks reads what others committed before they gave it up. Only READ COMMITTED lets a statement
-- see that; under a stricter isolation it would go by what it saw when the transaction began.

CREATE FUNCTION require_read_committed() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'Limits hold only in transactions that are READ COMMITTED, and this one is %.',
        upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'SL002';
  END IF;
END
$$;

CREATE FUNCTION rules_lock() RETURNS bigint
LANGUAGE plpgsql
AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM ${schema}.require_read_committed();
  END IF;
  RETURN hashtextextended('${schema}/rules', 0);
END
$$;

-- The two halves of a latch's number.
CREATE FUNCTION latches() RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT hashtext('${schema}/latches') $$;

CREATE FUNCTION latch_of(p_group text) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT hashtext(p_group) $$;

-- How many latches a claim may hold that wants so many. Any claim may hold 50: within what the server sets aside for
-- every transaction (max_locks_per_transaction). It may hold 500 if it gets one of a few permits for that, which all
-- schemas of the database share: so many that the rest of the server's table of locks would hold them all.
CREATE FUNCTION latches_allowed(p_wanted bigint) RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_share integer := current_setting('max_locks_per_transaction');
  v_few integer := least(50, v_share * 3 / 4);
BEGIN
  IF p_wanted > v_few THEN
    FOR i IN 1 .. v_share * current_setting('max_connections')::integer / 1000 LOOP
      IF pg_try_advisory_xact_lock(hashtext('sluice/wide claims'), i) THEN
        RETURN 500;
      END IF;
    END LOOP;
  END IF;
  RETURN v_few;
END
$$;

CREATE FUNCTION is_keyed(p_group text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$ SELECT strpos(p_group, '/') > 0 $$;

-- The family of a keyed group: T/key -> T/*, T/dimension=value -> T/dimension=*; NULL for a plain group.
CREATE FUNCTION family_of(p_group text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN strpos(p_group, '/') = 0 THEN NULL
    WHEN strpos(p_group, '=') > 0 THEN left(p_group, strpos(p_group, '=')) || '*'
    ELSE left(p_group, strpos(p_group, '/')) || '*'
  END
$$;

-- The limit in force: the strongest level that is set; within a level the group's own number before its family's.
CREATE FUNCTION limit_of(p_group text) RETURNS integer
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT coalesce(
    own.operator, family.operator,
    own.config, family.config,
    own.code, family.code,
    own.submit, family.submit)
  FROM (VALUES (1)) AS one
  LEFT JOIN limit_rule own ON own.name = p_group
  LEFT JOIN limit_rule family ON family.name = family_of(p_group)
$$;

-- Whether a keyed group has no number but one that submits brought along, and no unfinished job and no slot any more: that
-- number is as good as forgotten, and the next submit's counts. The row stays until it is replaced or swept.
CREATE FUNCTION is_idle(p_group text) RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
BEGIN
  RETURN is_keyed(p_group)
    AND EXISTS (
      SELECT FROM limit_rule r
      WHERE r.name = p_group AND r.submit IS NOT NULL AND r.operator IS NULL AND r.config IS NULL AND r.code IS NULL)
    AND NOT EXISTS (SELECT FROM slot s WHERE s.group_name = p_group)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[1] = p_group)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[2] = p_group)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[3] = p_group)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[4] = p_group);
END
$$;

-- Which of these groups have a number on record that is forgotten, and is not the one given here (NULL = none).
CREATE FUNCTION forgotten_among(p_groups text[], p_limits integer[]) RETURNS text[]
LANGUAGE plpgsql STABLE
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
  v_other text[] := ARRAY(
    SELECT DISTINCT r.name
    FROM unnest(p_groups, p_limits) AS g(name, max)
    JOIN limit_rule r ON r.name = ANY (ARRAY[g.name])
    WHERE is_keyed(g.name) AND r.submit <> coalesce(g.max, -1));
BEGIN
  RETURN CASE WHEN v_other = '{}' THEN v_other ELSE ARRAY(SELECT g FROM unnest(v_other) AS g WHERE is_idle(g)) END;
END
$$;

-- Deletes those of these numbers that are forgotten; returns how many. A number whose row a submit in flight has locked (see
-- lock_for_reject) stays: that submit is about to store a job of the key. The caller holds the rules lock.
CREATE FUNCTION forget_limits(p_groups text[]) RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
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

-- The limit of a group, as users see it.
CREATE FUNCTION limit_in_use(p_group text) RETURNS integer
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT CASE WHEN is_idle(p_group) THEN limit_of(family_of(p_group)) ELSE limit_of(p_group) END
$$;

-- The limits of many groups, looked up one by one; of their few families, each once.
CREATE FUNCTION limits_of(p_groups text[]) RETURNS integer[]
LANGUAGE plpgsql STABLE
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_families limit_rule[] := ARRAY(
    SELECT f
    FROM (SELECT DISTINCT family_of(g) AS name FROM unnest(p_groups) AS g) n
    JOIN limit_rule f ON f.name = ANY (ARRAY[n.name]));
BEGIN
  RETURN ARRAY(
    SELECT coalesce(own.operator, family.operator, own.config, family.config,
                    own.code, family.code, own.submit, family.submit)
    FROM unnest(p_groups) WITH ORDINALITY AS g(name, ord)
    LEFT JOIN limit_rule own ON own.name = ANY (ARRAY[g.name])
    LEFT JOIN unnest(v_families) AS family ON family.name = family_of(g.name)
    ORDER BY g.ord);
END
$$;

-- Whether a group has a limit and no free place.
CREATE FUNCTION is_full(p_group text) RETURNS boolean
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT coalesce(
    CASE WHEN is_keyed(p_group)
      THEN (SELECT count(*) FROM slot s WHERE s.group_name = p_group)
           >= limit_of(p_group)
      ELSE (SELECT sum(g.capacity - g.used) FROM slot_group g WHERE g.group_name = p_group) <= 0
           AND limit_of(p_group) IS NOT NULL
    END,
    false)
$$;

-- How many of a group's places row n counts: all rows together exactly the limit.
CREATE FUNCTION capacity_of(p_limit integer, p_n integer) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT p_limit / 50 + (p_n < p_limit % 50)::integer $$;

CREATE FUNCTION rows_of(p_limit integer) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT greatest(least(p_limit, 50), 1) $$;

-- Lays a plain group's places out for a limit. A row with slots in use stays, with capacity 0 if it has no place left:
-- while any row holds more than its capacity, room is counted over the whole group (see lock_places).
CREATE FUNCTION lay_out(p_group text, p_limit integer) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_raised boolean := EXISTS (SELECT FROM slot_group WHERE group_name = p_group);
BEGIN
  -- A row that is new in a group that had a limit was as good as full until now.
  INSERT INTO slot_group AS g (group_name, n, capacity, used, full_since, full_until)
  SELECT p_group, n, capacity_of(p_limit, n), 0,
         CASE WHEN p_limit = 0 THEN v_now WHEN v_raised THEN '-infinity' END, CASE WHEN v_raised THEN v_now END
  FROM generate_series(0, rows_of(p_limit) - 1) AS n
  ON CONFLICT (group_name, n) DO UPDATE SET
    capacity = excluded.capacity,
    full_since = CASE WHEN g.used < g.capacity AND g.used >= excluded.capacity THEN v_now ELSE g.full_since END,
    full_until = CASE WHEN g.used >= g.capacity AND g.used < excluded.capacity THEN v_now ELSE g.full_until END
  WHERE g.capacity <> excluded.capacity;

  UPDATE slot_group SET
    capacity = 0,
    full_since = CASE WHEN used < capacity THEN v_now ELSE full_since END
  WHERE group_name = p_group AND n >= rows_of(p_limit) AND capacity > 0;

  DELETE FROM slot_group
  WHERE group_name = p_group AND n >= rows_of(p_limit) AND used = 0;
END
$$;

-- Keeps the held slots of these groups as they are: locks the rows that count those of plain groups, and the slots
-- themselves of keyed ones; in one order for all.
CREATE FUNCTION lock_groups(p_groups text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
AS $$
BEGIN
  PERFORM 1 FROM slot_group WHERE group_name = ANY (p_groups) ORDER BY group_name, n FOR UPDATE;
  PERFORM 1 FROM slot WHERE group_name = ANY (p_groups) AND is_keyed(group_name) ORDER BY group_name, slot FOR UPDATE;
END
$$;

-- Sets used of plain groups to what the slots on record say. The caller has locked the groups, in a statement before
-- this one: whoever takes or frees a slot waits for that lock, so what is counted here is the truth.
CREATE FUNCTION recount(p_groups text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  INSERT INTO slot_group (group_name, n, capacity, used)
  SELECT DISTINCT group_name, (slot % 50)::smallint, 0, 0 FROM slot WHERE group_name = ANY (p_groups) AND NOT is_keyed(group_name)
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

-- Gives every claimed job of a group that just got a limit, having had none, a slot on record, held by its worker. There
-- may be more of them than the limit allows: they drain. Slots that are left from an earlier limit do not count for
-- these jobs: their worker may be about to give them back.
CREATE FUNCTION adopt(p_group text) RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  adopted integer;
BEGIN
  PERFORM lock_groups(ARRAY[p_group]);
  WITH claimed AS (
    SELECT worker_id FROM job WHERE state = 2 AND task = p_group
    UNION ALL SELECT worker_id FROM job WHERE groups[1] = p_group AND state = 2
    UNION ALL SELECT worker_id FROM job WHERE groups[2] = p_group AND state = 2
    UNION ALL SELECT worker_id FROM job WHERE groups[3] = p_group AND state = 2
    UNION ALL SELECT worker_id FROM job WHERE groups[4] = p_group AND state = 2
  ), numbered AS (
    SELECT worker_id, row_number() OVER () AS rank FROM claimed
  ), free AS (
    SELECT place, row_number() OVER (ORDER BY place) AS rank
    FROM generate_series(0, (SELECT count(*) FROM claimed)
                          + (SELECT count(*) FROM slot s WHERE s.group_name = p_group)) AS place
    WHERE NOT EXISTS (SELECT FROM slot s WHERE s.group_name = p_group AND s.slot = place)
  )
  -- As of the beginning of this transaction: before the limit changed, for which they are not to be blamed.
  INSERT INTO slot (group_name, slot, worker_id, token, acquired_at)
  SELECT p_group, free.place, numbered.worker_id, nextval('token'), transaction_timestamp()
  FROM numbered
  JOIN free USING (rank);
  GET DIAGNOSTICS adopted = ROW_COUNT;
  IF adopted > 0 AND NOT is_keyed(p_group) THEN
    PERFORM recount(ARRAY[p_group]);
  END IF;
  RETURN adopted;
END
$$;

-- The lane a job of this task and these groups stands in when nothing holds it back.
CREATE FUNCTION home_lane(p_task text, p_groups text[], p_limited_group text) RETURNS text
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT CASE
    WHEN r.name IS NOT NULL THEN p_task
    WHEN cardinality(p_groups) > 0 OR p_limited_group IS NOT NULL THEN '*'
    ELSE ''
  END
  FROM (VALUES (1)) AS one
  LEFT JOIN limit_rule r ON r.name = p_task
$$;

-- The queues of the ready jobs in a lane.
CREATE FUNCTION queues_in(p_lane text) RETURNS SETOF text
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  WITH RECURSIVE queues(queue) AS (
    SELECT min(queue) FROM job WHERE state = 1 AND lane = p_lane
    UNION ALL
    SELECT (SELECT min(j.queue) FROM job j WHERE j.state = 1 AND j.lane = p_lane AND j.queue > q.queue)
    FROM queues q
    WHERE q.queue IS NOT NULL
  )
  SELECT queue FROM queues WHERE queue IS NOT NULL
$$;

-- Calls jobs that were set aside for a full group back to their own lanes: the best p_count of each queue.
CREATE FUNCTION call_back(p_group text, p_count bigint) RETURNS bigint
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
  called bigint;
BEGIN
  WITH best AS (
    SELECT b.id
    FROM queues_in('*' || p_group) AS q
    CROSS JOIN LATERAL (
      SELECT j.id
      FROM job j
      WHERE j.state = 1 AND j.lane = '*' || p_group AND j.queue = q
      ORDER BY j.priority DESC, j.run_at, j.id
      LIMIT p_count
      FOR UPDATE SKIP LOCKED
    ) b
  )
  UPDATE job SET lane = home_lane(job.task, job.groups, job.limited_group)
  FROM best
  WHERE job.id = ANY (ARRAY[best.id]);
  GET DIAGNOSTICS called = ROW_COUNT;
  RETURN called;
END
$$;

-- Calls jobs back that stand aside for groups with room, such as those behind others that were called back and that
-- nobody takes because no worker handles their task. Looks at up to p_lanes groups after the lane p_after; returns the
-- lane to go on from, or NULL at the end.
CREATE FUNCTION call_back_forgotten(p_after text, p_lanes integer) RETURNS text
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
  v_lane text := greatest(p_after, '*');
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('${schema}/forgotten', 0)) THEN
    RETURN p_after;                               -- someone else is at it
  END IF;
  FOR i IN 1 .. p_lanes LOOP
    SELECT j.lane INTO v_lane FROM job j WHERE j.state = 1 AND j.lane > v_lane ORDER BY j.lane LIMIT 1;
    IF v_lane IS NULL OR left(v_lane, 1) <> '*' THEN
      RETURN NULL;
    END IF;
    IF NOT is_full(substr(v_lane, 2)) THEN
      PERFORM call_back(substr(v_lane, 2), 100);
    END IF;
  END LOOP;
  RETURN v_lane;
END
$$;

-- Makes the limit of one group true in its places after its rule has changed. Runs under the rules lock (or, for a
-- keyed group whose first limit comes from a submit, under that group's latch).
CREATE FUNCTION enforce(p_group text, p_before integer) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_limit integer := limit_of(p_group);
BEGIN
  IF v_limit IS NULL THEN
    -- Lifted. Slots still held are given back by their holders; jobs set aside go home.
    -- Not all at once: everyone waits for the rules lock meanwhile. Whoever lifted it sees to the rest.
    PERFORM call_back(p_group, 1000);
    DELETE FROM slot_group WHERE group_name = p_group AND used = 0;
    RETURN;
  END IF;
  IF NOT is_keyed(p_group) THEN
    PERFORM lay_out(p_group, v_limit);
  END IF;
  IF p_before IS NULL THEN
    PERFORM adopt(p_group);
  ELSIF v_limit > p_before THEN
    PERFORM call_back(p_group, least(v_limit, 1000));
  END IF;
END
$$;

-- Puts a change of a limit on the log, and now and then takes off what is old: all but the latest thousands, and of each
-- limit the latest.
CREATE FUNCTION log_limit(p_name text, p_level text, p_before integer, p_after integer, p_by text) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_id bigint;
BEGIN
  INSERT INTO limit_change (name, level, before, after, by) VALUES (p_name, p_level, p_before, p_after, p_by)
  RETURNING id INTO v_id;
  IF v_id % 500 = 0 THEN
    DELETE FROM limit_change c
    WHERE c.id <= v_id - 5000
      AND EXISTS (SELECT FROM limit_change l WHERE l.name = c.name AND l.level = c.level AND l.id > c.id);
  END IF;
END
$$;

-- Sets (or, with NULL, takes away) the number of a group or family at one level; with p_by, puts that on the log. The
-- caller holds the rules lock.
CREATE FUNCTION apply_limit(p_name text, p_level text, p_limit integer, p_by text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
  v_before integer := limit_of(p_name);
  v_family boolean := right(p_name, 2) IN ('/*', '=*');
  v_member record;
  v_members text[];
  v_limits integer[];
  v_number integer := (
    SELECT CASE p_level WHEN 'operator' THEN r.operator WHEN 'config' THEN r.config WHEN 'code' THEN r.code ELSE r.submit END
    FROM limit_rule r WHERE r.name = p_name);
BEGIN
  IF p_limit IS NOT DISTINCT FROM v_number THEN
    RETURN;                                       -- nothing new for anyone
  END IF;
  IF p_by IS NOT NULL AND p_level IN ('operator', 'config') THEN
    PERFORM log_limit(p_name, p_level, v_number, p_limit, p_by);
  END IF;
  IF v_family THEN
    -- Its groups that anybody is in: those with slots, and those that had no limit and have jobs with workers.
    SELECT array_agg(m.name), array_agg(limit_of(m.name)) INTO v_members, v_limits
    FROM (
      SELECT s.group_name AS name FROM slot s
      UNION
      SELECT unnest(j.groups) FROM job j WHERE j.state = 2
    ) m
    WHERE family_of(m.name) = p_name;
  END IF;

  INSERT INTO limit_rule AS r (name, operator, config, code, submit)
  VALUES (
    p_name,
    CASE p_level WHEN 'operator' THEN p_limit END,
    CASE p_level WHEN 'config' THEN p_limit END,
    CASE p_level WHEN 'code' THEN p_limit END,
    CASE p_level WHEN 'submit' THEN p_limit END)
  ON CONFLICT (name) DO UPDATE SET
    operator = CASE p_level WHEN 'operator' THEN p_limit ELSE r.operator END,
    config = CASE p_level WHEN 'config' THEN p_limit ELSE r.config END,
    code = CASE p_level WHEN 'code' THEN p_limit ELSE r.code END,
    submit = CASE p_level WHEN 'submit' THEN p_limit ELSE r.submit END,
    changed_at = clock_timestamp();

  IF v_family THEN
    FOR v_member IN SELECT * FROM unnest(v_members, v_limits) AS m(name, before) LOOP
      PERFORM enforce(v_member.name, v_member.before);
    END LOOP;
    UPDATE job SET lane = home_lane(task, groups, limited_group)
    WHERE state = 1 AND lane <> '' AND lane <> '*' AND lane <> task AND family_of(substr(lane, 2)) = p_name;
  ELSE
    PERFORM enforce(p_name, v_before);
  END IF;
  UPDATE meta SET rules_version = rules_version + 1;
END
$$;

-- Gives a task a lane of its own without a limit. A claim that finds many jobs of a task it does not want at the front
-- of an open lane asks for this: nobody should have to read past them again.
CREATE FUNCTION give_lane(p_task text) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM limit_rule WHERE name = p_task) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(rules_lock());
  INSERT INTO limit_rule (name) VALUES (p_task) ON CONFLICT DO NOTHING;
  UPDATE meta SET rules_version = rules_version + 1;
  PERFORM pg_notify('sluice_${schema}', 'rules');
END
$$;

-- Moves ready jobs of tasks that have just got a lane from the open lanes into it, a batch at a time in the order of ids:
-- until they have moved, claims move those they come across. Returns the id to go on from, or NULL at the end.
CREATE FUNCTION settle_lanes(p_tasks text[], p_after uuid, p_batch integer) RETURNS uuid
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
  v_tasks text[] := ARRAY(SELECT r.name FROM limit_rule r WHERE r.name = ANY (p_tasks));
  v_last uuid;
BEGIN
  WITH unsettled AS (
    SELECT j.id
    FROM job j
    WHERE j.id > p_after AND j.state = 1 AND j.lane IN ('', '*') AND j.task = ANY (v_tasks)
    ORDER BY j.id
    LIMIT p_batch
    FOR UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE job SET lane = job.task
    FROM unsettled
    WHERE job.id = ANY (ARRAY[unsettled.id])
    RETURNING job.id
  )
  SELECT id INTO v_last FROM moved ORDER BY id DESC LIMIT 1;
  RETURN v_last;
END
$$;

-- Sets a limit live; returns the version of the limits from which on it holds.
CREATE FUNCTION set_limit(p_name text, p_level text, p_limit integer, p_by text) RETURNS bigint
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  PERFORM apply_limit(p_name, p_level, p_limit, p_by);
  PERFORM pg_notify('sluice_${schema}', 'rules');
  RETURN (SELECT rules_version FROM meta);
END
$$;

-- Puts pointers on record, in place of those of the same families. Workers hear of it as of a changed limit: what they have
-- not started was judged without it.
CREATE FUNCTION record_pointers(p_families text[], p_pointers text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
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
  UPDATE meta SET rules_version = rules_version + 1;
  PERFORM pg_notify('sluice_${schema}', 'rules');
END
$$;

-- How many live workers that could start a job of this group have not heard of this version of the limits.
CREATE FUNCTION unaware_workers(p_name text, p_version bigint) RETURNS bigint
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT count(*)
  FROM worker w
  WHERE w.rules_seen < p_version
    AND w.expires_at > clock_timestamp()
    AND (split_part(p_name, '/', 1) = ANY (w.tasks)
      OR EXISTS (SELECT FROM slot s WHERE s.worker_id = w.id AND s.group_name = p_name))
$$;

-- Sets submit-side limits where their groups have none, and removes forgotten ones where there is none to set (NULL);
-- returns the plain groups that got their first one. All locks are taken first, in one order for all, and the version of the
-- limits is raised last: no two proposers wait in a circle.
CREATE FUNCTION propose_limits(p_groups text[], p_limits integer[]) RETURNS SETOF text
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_new text[] := ARRAY(
    SELECT DISTINCT p.name
    FROM unnest(p_groups, p_limits) AS p(name, proposed)
    WHERE p.proposed IS NOT NULL AND limit_of(p.name) IS NULL);
  v_idle text[] := forgotten_among(p_groups, p_limits);
  v_proposal record;
  v_adopted boolean := false;
BEGIN
  IF v_idle <> '{}' OR EXISTS (SELECT FROM unnest(v_new) AS g WHERE NOT is_keyed(g)) THEN
    PERFORM pg_advisory_xact_lock(rules_lock());
    -- Under the lock: no claim works by the number that is forgotten here.
    PERFORM forget_limits(v_idle);
  ELSE
    -- Against whoever changes a family's limit, or retires a worker whose jobs are adopted here.
    PERFORM pg_advisory_xact_lock_shared(rules_lock());
  END IF;
  -- Again, under the lock: a key's number that was on record before may have been forgotten, and now stays.
  v_new := ARRAY(
    SELECT DISTINCT p.name
    FROM unnest(p_groups, p_limits) AS p(name, proposed)
    WHERE p.proposed IS NOT NULL AND (is_keyed(p.name) OR p.name = ANY (v_new)) AND limit_of(p.name) IS NULL);
  PERFORM pg_advisory_xact_lock(latches(), l.latch)
  FROM (SELECT DISTINCT latch_of(g) AS latch FROM unnest(v_new) AS g WHERE is_keyed(g) ORDER BY 1) l;

  FOR v_proposal IN
    SELECT p.name, min(p.proposed) AS proposed, is_keyed(p.name) AS keyed
    FROM unnest(p_groups, p_limits) AS p(name, proposed)
    WHERE p.proposed IS NOT NULL AND p.name = ANY (v_new) AND limit_of(p.name) IS NULL
    GROUP BY p.name
    ORDER BY p.name
  LOOP
    IF NOT v_proposal.keyed THEN
      PERFORM apply_limit(v_proposal.name, 'submit', v_proposal.proposed);
      PERFORM pg_notify('sluice_${schema}', 'rules');
      RETURN NEXT v_proposal.name;
    ELSE
      INSERT INTO limit_rule AS r (name, submit) VALUES (v_proposal.name, v_proposal.proposed)
      ON CONFLICT (name) DO UPDATE SET submit = excluded.submit, changed_at = clock_timestamp();
      v_adopted := adopt(v_proposal.name) > 0 OR v_adopted;
    END IF;
  END LOOP;
  IF v_adopted THEN
    UPDATE meta SET rules_version = rules_version + 1;
    PERFORM pg_notify('sluice_${schema}', 'rules');
  END IF;
END
$$;
