-- The audit: what is held by the holders on record, compared with slots, counts and limits.
--
-- Whatever changes a slot changes its count, its holder's record and its jobs in the same transaction. So one statement,
-- hence one snapshot, sees them agree at any moment, however busy the store is, and looking needs no lock.
--
-- The running jobs of a worker are covered in a hot group by the slots that are lent to the worker, and in a cold one by the
-- slots that they name, each by one of its own: jobs that name the same slot run one after the other. A slot is held once by
-- each worker whose jobs name it, and once by a permit that has it: two holders of one slot are two. A group that holds more
-- than its limit drains while no claim or slot in it is newer than the limit, by the tokens: the start of a job that was
-- claimed before is nothing new.

CREATE TYPE finding AS (group_name text, kind text, number integer, seen text, worker_id uuid);

-- What can be put right, of these groups or (NULL) of all: counts that are wrong, and slots of workers not on record. Plans
-- are made for the groups given, so that a few are looked up.
CREATE FUNCTION audit_repairable(p_groups text[]) RETURNS SETOF finding
STABLE ${plpgsql} SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY
  WITH counted AS (
    SELECT g.group_name, g.n, g.used, 0 AS held FROM slot_group g WHERE p_groups IS NULL OR g.group_name = ANY (p_groups)
    UNION ALL
    SELECT s.group_name, s.slot % 50, 0, 1 FROM slot s
    WHERE is_hot(s.group_name) AND (p_groups IS NULL OR s.group_name = ANY (p_groups))
  ), miscounted AS (
    SELECT c.group_name, sum(c.used) AS used, sum(c.held) AS held FROM counted c GROUP BY c.group_name, c.n HAVING sum(c.used) <> sum(c.held)
  )
  SELECT m.group_name, 'MISCOUNTED', sum(abs(m.used - m.held))::integer,
         format('The counter says %s, and %s slots are on record.', sum(m.used), sum(m.held)), NULL::uuid
  FROM miscounted m
  GROUP BY m.group_name
  UNION ALL
  SELECT s.group_name, 'LEAKED', count(*)::integer,
         format('%s slots are held by the worker %s, which is not on record.', count(*), s.worker_id), s.worker_id
  FROM slot s
  WHERE s.worker_id IS NOT NULL AND (p_groups IS NULL OR s.group_name = ANY (p_groups))
    AND NOT EXISTS (SELECT FROM worker w WHERE w.id = s.worker_id)
  GROUP BY s.group_name, s.worker_id;
END
$$;

-- Claims and slots on record for live workers that did not list them when they last said what they have. What they got
-- after that has a higher token. A worker that reconciled since has agreed with the store. And a version of the limits that
-- is newer may have come with slots that the worker is yet to hear of: a group that becomes hot brings slots for workers that
-- have its jobs, and raises the version with it. One scan each, whatever the number of workers; lists are long
-- and the planner takes them for short, so no loops.
CREATE FUNCTION unlisted() RETURNS TABLE (worker_id uuid, token bigint, job_id uuid, group_name text, slot integer)
STABLE ${lists} AS $$
BEGIN
  RETURN QUERY
  WITH said AS (
    SELECT a.*
    FROM attested a
    JOIN worker w ON w.id = a.worker_id AND w.epoch = a.epoch
    WHERE a.rules = (SELECT m.rules_version FROM meta m)
  ), listed_job AS (
    SELECT a.worker_id, k.* FROM said a CROSS JOIN LATERAL unnest(a.jobs, a.tokens) AS k(id, token)
  ), listed_slot AS (
    SELECT a.worker_id, k.* FROM said a CROSS JOIN LATERAL unnest(a.groups, a.slots, a.slot_tokens) AS k(group_name, slot, token)
  )
  SELECT j.worker_id, j.token, j.id, NULL::text, NULL::integer
  FROM claimed_job j
  JOIN said a ON a.worker_id = j.worker_id AND j.token < a.token
  WHERE NOT EXISTS (SELECT FROM listed_job k WHERE (k.worker_id, k.id, k.token) = (j.worker_id, j.id, j.token))
  UNION ALL
  SELECT s.worker_id, s.token, NULL, s.group_name, s.slot
  FROM slot s
  JOIN said a ON a.worker_id = s.worker_id AND s.token < a.token
  WHERE NOT EXISTS (
    SELECT FROM listed_slot k WHERE (k.worker_id, k.group_name, k.slot, k.token) = (s.worker_id, s.group_name, s.slot, s.token));
END
$$;

-- All that is not as it should be.
CREATE FUNCTION audit_findings() RETURNS SETOF finding
STABLE ${sql} AS $$
  WITH running AS (
    SELECT j.worker_id, g.name, count(*)::integer AS jobs, count(DISTINCT j.slots[g.place])::integer AS named
    FROM claimed_job j
    CROSS JOIN LATERAL unnest(j.task || j.groups) WITH ORDINALITY AS g(name, place)
    WHERE j.started_at IS NOT NULL
    GROUP BY 1, 2
  ), lent AS (
    SELECT s.worker_id, s.group_name AS name, count(*)::integer AS slots FROM slot s WHERE s.worker_id IS NOT NULL GROUP BY 1, 2
  ), covered AS (
    SELECT r.*, CASE WHEN is_hot(r.name) THEN coalesce(l.slots, 0) ELSE r.named END AS slots
    FROM running r
    LEFT JOIN lent l ON l.worker_id = r.worker_id AND l.name = r.name
  ), held AS (
    SELECT s.group_name AS name, count(DISTINCT (s.slot, s.worker_id))::integer AS slots, max(s.token) AS newest FROM held_slot s GROUP BY 1
  ), limited AS (
    SELECT u.*, number_of(o, f) AS max,
           greatest(o.changed_at, f.changed_at) AS changed_at, greatest(o.changed_token, f.changed_token) AS changed_token
    FROM held u
    LEFT JOIN limit_rule o ON o.name = u.name
    LEFT JOIN limit_rule f ON f.name = family_of(u.name)
  )
  SELECT * FROM audit_repairable(NULL)
  UNION ALL
  SELECT coalesce(u.group_name, j.task), 'UNLISTED', count(*)::integer,
         format('%s %s the worker %s, which does not list them.', count(*),
                CASE WHEN u.job_id IS NULL THEN 'slots are on record for' ELSE 'jobs are on record with' END, u.worker_id),
         u.worker_id
  FROM unlisted() u
  LEFT JOIN job j ON j.id = u.job_id
  GROUP BY coalesce(u.group_name, j.task), u.job_id IS NULL, u.worker_id
  UNION ALL
  SELECT c.name, 'UNCOVERED', c.jobs - c.slots,
         format('%s jobs run on the worker %s, which holds %s slots.', c.jobs, c.worker_id, c.slots), c.worker_id
  FROM covered c
  WHERE c.jobs > c.slots AND limit_of(c.name) IS NOT NULL
  UNION ALL
  SELECT l.name, 'EXCEEDED', l.slots - l.max,
         format('%s slots are held at a limit of %s, which was last changed at %s.', l.slots, l.max, l.changed_at), NULL::uuid
  FROM limited l
  WHERE l.slots > l.max AND l.newest > l.changed_token
  ORDER BY 1, 2, 5
$$;

-- Puts right what can be in these groups, in which something was found: slots that nothing holds are freed, counts are
-- counted again, and jobs that wait for the places are called back. Under the rules lock no claim is under way, so what is found
-- here is what is repaired here; it is returned.
CREATE FUNCTION audit_repair(p_groups text[]) RETURNS SETOF finding
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  RETURN QUERY SELECT * FROM audit_repairable(p_groups) ORDER BY 1, 2, 5;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM lock_counters(p_groups);
  DELETE FROM slot s
  WHERE s.group_name = ANY (p_groups) AND s.worker_id IS NOT NULL AND NOT EXISTS (SELECT FROM worker w WHERE w.id = s.worker_id);
  PERFORM recount(p_groups);
  PERFORM call_back(g, 1000) FROM unnest(p_groups) AS g WHERE NOT is_full(g);
  PERFORM wake_all();
END
$$;

-- Takes from live workers what they did not list: jobs go back in line or are cancelled, slots are free. Under the rules
-- lock no worker reconciles meanwhile, which is the only way to hear of them.
CREATE FUNCTION take_unlisted() RETURNS void
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  PERFORM take_back(ARRAY(SELECT u.job_id FROM unlisted() u WHERE u.job_id IS NOT NULL), false);
  PERFORM take_lent(ARRAY(
    SELECT s FROM unlisted() u JOIN slot s ON s.group_name = u.group_name AND s.slot = u.slot AND s.token = u.token));
  PERFORM wake_all();
END
$$;

-- Takes jobs back that are with a worker that is not on record. That never is, unless a worker is deleted by hand.
-- Returns how many.
CREATE FUNCTION requeue_orphans() RETURNS integer
${plpgsql} AS $$
DECLARE
  v_jobs uuid[];
BEGIN
  FOR v_look IN 1 .. 2 LOOP
    v_jobs := ARRAY(SELECT j.id FROM claimed_job j WHERE NOT EXISTS (SELECT FROM worker w WHERE w.id = j.worker_id));
    IF v_jobs = '{}' THEN
      RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(rules_lock());   -- and look again, under the lock
  END LOOP;
  PERFORM take_back(v_jobs, true);
  PERFORM wake_all();
  RETURN cardinality(v_jobs);
END
$$;
