-- Limits: which number holds for a group, and the locks under which that is true.
--
-- The rules lock. Claims take it shared, changes of limits that could catch a claimer unaware take it exclusively: a
-- group that had no limit gets one, a number changes. A claim carries the version of the limits its worker knows; under
-- the lock it compares it with meta.rules_version and gives up when they differ. So whatever a claim assumes about
-- limits is true until it commits, and the plain path need not read a single limit.
--
-- A group with a limit is cold or hot.
--
--   Cold: a claimed job names the number of its slot in the group (job.slots). The slots in use are the numbers named, and
--   those of permits. Several jobs of one worker may name one slot, and run one after the other.
--     1. No slot comes into use while as many are as the limit says, and each is used by one worker or one permit.
--     2. A number comes into use only under the group's latch, after a look at the numbers in use that began when the
--        latch was held (look, in the admission).
--   Whatever ends a claim, ends the naming: nothing has to free a slot.
--
--   Hot: the slots are counted in slot_group and lent to workers, which keep them from job to job (see the slots). No job names one.
--   A plain group becomes hot when its claims get into each other's way (heat, in the changes of limits), or would do so at once
--   when it gets its first limit (is_awaited).
--
-- Keyed groups (T/key, T/dimension=value) come and go by the hundred thousand, and stay cold. Their jobs are never on the
-- plain path and each claim looks their limits up, so a submit-side limit on a keyed group needs only that group's latch.
--
-- The latch of a group is an advisory lock, which several keys may have in common. What names a slot of the group, lends one to a permit or gives a key its first
-- limit holds the latch until the commit; a claim of jobs of a key without a limit holds it shared. A claim only ever
-- tries a latch, and passes by the jobs of a group whose latch another transaction has. The server keeps all locks of all
-- its users in one table of a fixed size, so no look of a claim takes many latches: see latches_allowed.
--
-- A transaction that holds one of these locks reads what others committed before they gave it up. Only READ COMMITTED lets
-- a statement see that; under a stricter isolation it would go by what it saw when the transaction began.

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

-- Keys share 256 latches, so that a claim of many keys takes few, and one that keeps to a shard (see the search) sixteen for the
-- first keys of its jobs.
CREATE FUNCTION latch_of(p_group text) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$ SELECT hashtext(p_group) & CASE WHEN strpos(p_group, '/') > 0 THEN 255 ELSE -1 END $$;

-- How many latches a look of a claim may take that wants so many. Any may take 50: within what the server sets aside for
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

-- Whether all these groups are keys of the same family as the first, and none of that family has a number of its own: then the
-- family's limit is the limit of each.
CREATE FUNCTION have_family_limit(p_groups text[]) RETURNS boolean
LANGUAGE plpgsql STABLE
${lookups}
AS $$
DECLARE
  v_family text := family_of(p_groups[1]);
  v_prefix text := left(v_family, -1);
BEGIN
  RETURN v_family IS NOT NULL
    AND (SELECT bool_and(starts_with(g, v_prefix) AND (right(v_prefix, 1) = '=' OR strpos(g, '=') = 0)) FROM unnest(p_groups) AS g)
    AND NOT has_own_limits(v_family);
END
$$;

-- Whether there is any other rule below the prefix of a family: a group of it may have a number of its own.
CREATE FUNCTION has_own_limits(p_family text) RETURNS boolean
LANGUAGE sql STABLE
${lookups}
AS $$
  SELECT EXISTS (
    SELECT FROM limit_rule o
    WHERE o.name > left(p_family, -1) AND o.name < left(p_family, -2) || chr(ascii(right(p_family, 2)) + 1) AND o.name <> p_family)
$$;

-- The limits of many groups. Each of their few families is looked up once; a group itself only if it is plain, or if any
-- group of its family has a number of its own.
CREATE FUNCTION limits_of(p_groups text[]) RETURNS integer[]
LANGUAGE plpgsql STABLE
${lookups}
AS $$
BEGIN
  IF have_family_limit(p_groups) THEN
    RETURN array_fill(limit_of(family_of(p_groups[1])), ARRAY[cardinality(p_groups)]);
  END IF;
  RETURN ARRAY(
    SELECT CASE WHEN f.own IS NOT FALSE THEN limit_of(g.name) ELSE f.max END
    FROM unnest(p_groups) WITH ORDINALITY AS g(name, ord)
    LEFT JOIN (
      SELECT n.name, has_own_limits(n.name) AS own, limit_of(n.name) AS max
      FROM (SELECT DISTINCT family_of(g) AS name FROM unnest(p_groups) AS g) n
      OFFSET 0
    ) f ON f.name = family_of(g.name)
    ORDER BY g.ord);
END
$$;

-- The claimed jobs that are in a group.
CREATE FUNCTION claimed_in(p_group text) RETURNS SETOF job
LANGUAGE plpgsql STABLE
${lookups}
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM job WHERE state = 2 AND task = p_group
  UNION ALL SELECT * FROM job WHERE groups[1] = p_group AND state > 1 AND task <> p_group
  UNION ALL SELECT * FROM job WHERE groups[2] = p_group AND state > 1 AND task <> p_group
  UNION ALL SELECT * FROM job WHERE groups[3] = p_group AND state > 1 AND task <> p_group
  UNION ALL SELECT * FROM job WHERE groups[4] = p_group AND state > 1 AND task <> p_group;
END
$$;

-- Whether the slots of a group are counted and lent.
CREATE FUNCTION is_hot(p_group text) RETURNS boolean
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$ SELECT EXISTS (SELECT FROM slot_group g WHERE g.group_name = p_group) $$;

-- How many slots of a group are in use.
CREATE FUNCTION slots_used(p_group text) RETURNS integer
LANGUAGE plpgsql STABLE
${lookups}
AS $$
BEGIN
  RETURN (SELECT count(DISTINCT h.slot)::integer FROM held_slot h WHERE h.group_name = p_group);
END
$$;

-- Whether a group has a limit and no free place.
CREATE FUNCTION is_full(p_group text) RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_limit integer := limit_of(p_group);
BEGIN
  RETURN v_limit IS NOT NULL AND coalesce(
    (SELECT sum(g.capacity - g.used) FROM slot_group g WHERE g.group_name = p_group) <= 0,
    slots_used(p_group) >= v_limit);
END
$$;

-- Whether a keyed group has no number but one that submits brought along, and no unfinished job and no slot any more: that
-- number is as good as forgotten, and the next submit's counts. The row stays until it is replaced or swept.
CREATE FUNCTION is_idle(p_group text) RETURNS boolean
LANGUAGE plpgsql STABLE
${lookups}
AS $$
BEGIN
  RETURN is_keyed(p_group)
    AND EXISTS (
      SELECT FROM limit_rule r
      WHERE r.name = p_group AND r.submit IS NOT NULL AND r.operator IS NULL AND r.config IS NULL AND r.code IS NULL)
    AND NOT EXISTS (SELECT FROM slot s WHERE s.group_name = p_group)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[1] = p_group AND j.state < 2)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[2] = p_group AND j.state < 2)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[3] = p_group AND j.state < 2)
    AND NOT EXISTS (SELECT FROM job j WHERE j.groups[4] = p_group AND j.state < 2)
    AND NOT EXISTS (SELECT FROM claimed_in(p_group));
END
$$;

-- The limit of a group, as users see it.
CREATE FUNCTION limit_in_use(p_group text) RETURNS integer
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
AS $$
  SELECT CASE WHEN is_idle(p_group) THEN limit_of(family_of(p_group)) ELSE limit_of(p_group) END
$$;
