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
--     1. No claim and no permit brings a slot into use while as many are as the limit says, and each is used by one worker or one permit.
--     2. A number comes into use only under the group's latch, after a look at the numbers in use that began when the
--        latch was held (look, in the admission); or, for jobs that are claimed when their group gets its first limit, under the rules
--        lock (name_slots, in the changes of limits). There may be more of these than the limit allows: they drain.
--   Whatever ends a claim, ends the naming: nothing has to free a slot.
--
--   Hot: the slots are counted in slot_group and lent to workers, which keep them from job to job (see the slots). No job names one.
--   A plain group becomes hot when its claims get into each other's way (heat, in the changes of limits), or would do so at once
--   when it gets its first limit (is_awaited), or when its task has a lane.
--
-- Keyed groups (T/key, T/dimension=value) come and go by the hundred thousand, and stay cold. Their jobs are never on the
-- plain path and each claim looks their limits up, so a submit-side limit on a keyed group needs only that group's latch.
--
-- The latch of a plain group is the lock on its row in limit_rule. Keys, which mostly have no row, share 256 advisory locks. What
-- names a slot of the group, lends one to a permit or gives a key its first limit holds the latch until the commit; a claim
-- of jobs of a key without a limit holds it shared. A claim only ever tries a latch, and passes by the jobs of a group
-- whose latch another transaction has.
--
-- A transaction that holds one of these locks reads what others committed before they gave it up. Only READ COMMITTED lets
-- a statement see that; under a stricter isolation it would go by what it saw when the transaction began.

CREATE FUNCTION rules_lock() RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'Limits hold only in transactions that are READ COMMITTED, and this one is %.',
        upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'SL002';
  END IF;
  RETURN hashtextextended('${schema}/rules', 0);
END
$$;

-- Has all workers hear that limits, or what goes with them, have changed.
CREATE FUNCTION announce_rules() RETURNS void
${plpgsql} AS $$
BEGIN
  UPDATE meta SET rules_version = rules_version + 1;
  PERFORM pg_notify('sluice_${schema}', 'rules');
END
$$;

-- The two halves of the number of a key's latch. The server keeps all advisory locks in one table of a fixed size, so keys share them:
-- a claim that keeps to a shard takes 32 for the first keys of its jobs.
CREATE FUNCTION latches() RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT hashtext('${schema}/latches') $$;

CREATE FUNCTION latch_of(p_key text) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT hashtext(p_key) & 255 $$;

-- Of a shard, behind those of keys: see shards_to_claim, in the claim.
CREATE FUNCTION latch_of_shard(p_shard smallint) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT 256 + p_shard $$;

CREATE FUNCTION is_keyed(p_group text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT strpos(p_group, '/') > 0 $$;

-- The family of a keyed group: T/key -> T/*, T/dimension=value -> T/dimension=*; NULL for a plain group.
CREATE FUNCTION family_of(p_group text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN strpos(p_group, '/') > 0 THEN left(p_group, strpos(p_group, CASE WHEN strpos(p_group, '=') > 0 THEN '=' ELSE '/' END)) || '*' END
$$;

-- Whether a keyed group is of this family: as family_of says, but quicker.
CREATE FUNCTION is_key_of(p_group text, p_family text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT starts_with(p_group, left(p_family, -1)) AND (right(p_family, 2) = '=*' OR strpos(p_group, '=') = 0)
$$;

-- The number that a group's own rule and that of its family come to: the strongest level that is set; within a level the group's own.
CREATE FUNCTION number_of(p_own limit_rule, p_family limit_rule) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_own.operator, p_family.operator, p_own.config, p_family.config,
                  p_own.code, p_family.code, p_own.submit, p_family.submit)
$$;

-- Whether a rule says any number: one that was taken away leaves a row without.
CREATE FUNCTION has_number(p_rule limit_rule) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(p_rule.operator, p_rule.config, p_rule.code, p_rule.submit) IS NOT NULL $$;

-- The limits in force.
CREATE FUNCTION limits_of(p_groups text[]) RETURNS integer[]
STABLE ${lookups} AS $$
BEGIN
  RETURN ARRAY(
    SELECT number_of(o, f)
    FROM unnest(p_groups) WITH ORDINALITY AS g(name, ord)
    LEFT JOIN limit_rule o ON o.name = ANY (ARRAY[g.name])
    LEFT JOIN limit_rule f ON f.name = ANY (ARRAY[family_of(g.name)])
    ORDER BY g.ord);
END
$$;

CREATE FUNCTION limit_of(p_group text) RETURNS integer
STABLE ${sql} AS $$ SELECT (limits_of(ARRAY[p_group]))[1] $$;

-- The claimed jobs that are in a group, the slots that they name there, and where these stand in job.slots.
CREATE FUNCTION claimed_in(p_group text)
RETURNS TABLE (id uuid, place integer, slot integer, worker_id uuid, token bigint, started_at timestamptz)
STABLE ${lookups} AS $$
BEGIN
  RETURN QUERY
  SELECT j.id, 1, j.slots[1], j.worker_id, j.token, j.started_at FROM claimed_job j WHERE j.task = p_group
  UNION ALL
  SELECT j.id, j.place, j.slot, j.worker_id, j.token, j.started_at
  FROM job_in_group j WHERE j.group_name = p_group AND j.state = 2 AND (j.task = p_group) IS NOT TRUE;
END
$$;

-- Whether the slots of a group are counted and lent.
CREATE FUNCTION is_hot(p_group text) RETURNS boolean
STABLE ${sql} AS $$ SELECT EXISTS (SELECT FROM slot_group g WHERE g.group_name = p_group) $$;

-- The slots of a group that are in use, and the workers that have them; a slot that several jobs name, once for each. In a hot group
-- no job names any: its claimed jobs, thousands of them, are not read.
CREATE FUNCTION held_in(p_group text) RETURNS TABLE (slot integer, worker_id uuid)
STABLE ${lookups} AS $$
BEGIN
  RETURN QUERY SELECT s.slot, s.worker_id FROM slot s WHERE s.group_name = p_group;
  IF NOT is_hot(p_group) THEN
    RETURN QUERY
    SELECT j.slots[1], j.worker_id FROM job j WHERE j.task = p_group AND j.state = 2 AND j.slots[1] IS NOT NULL
    UNION ALL
    SELECT j.slot, j.worker_id FROM job_in_group j WHERE j.group_name = p_group AND j.state = 2 AND j.slot IS NOT NULL;
  END IF;
END
$$;

-- How many slots of a group are in use.
CREATE FUNCTION slots_used(p_group text) RETURNS integer
STABLE ${lookups} AS $$
BEGIN
  RETURN (SELECT count(DISTINCT h.slot)::integer FROM held_in(p_group) h);
END
$$;

-- Those of these groups that have a limit and no free place.
CREATE FUNCTION full_among(p_groups text[]) RETURNS SETOF text
STABLE ${lookups} AS $$
BEGIN
  RETURN QUERY
  SELECT g.name
  FROM unnest(p_groups, limits_of(p_groups)) AS g(name, max)
  WHERE g.max IS NOT NULL AND coalesce(
    (SELECT sum(p.capacity - p.used) FROM slot_group p WHERE p.group_name = g.name) <= 0, slots_used(g.name) >= g.max);
END
$$;

CREATE FUNCTION is_full(p_group text) RETURNS boolean
STABLE ${sql} AS $$ SELECT EXISTS (SELECT FROM full_among(ARRAY[p_group])) $$;

-- Whether a keyed group has no number but one that submits brought along, and no unfinished job and no slot any more: that
-- number is as good as forgotten, and the next submit's counts. The row stays until it is replaced or swept.
CREATE FUNCTION is_idle(p_group text) RETURNS boolean
STABLE ${lookups} AS $$
BEGIN
  RETURN is_keyed(p_group)
    AND EXISTS (SELECT FROM limit_rule r WHERE r.name = p_group AND r.submit IS NOT NULL AND coalesce(r.operator, r.config, r.code) IS NULL)
    AND NOT EXISTS (SELECT FROM slot s WHERE s.group_name = p_group)
    AND NOT EXISTS (SELECT FROM job_in_group j WHERE j.group_name = p_group AND j.state < 2)
    AND NOT EXISTS (SELECT FROM claimed_in(p_group));
END
$$;

-- The limit of a group, as users see it.
CREATE FUNCTION limit_in_use(p_group text) RETURNS integer
STABLE ${sql} AS $$ SELECT limit_of(CASE WHEN is_idle(p_group) THEN family_of(p_group) ELSE p_group END) $$;
