-- The audit: who holds what by the holders on record, compared with slots, counts and limits.
--
-- Whatever changes a slot changes its count, its holder's record and its jobs in the same transaction. So one statement,
-- hence one snapshot, sees them agree at any moment, however busy the store is, and looking needs no lock.

-- What can be put right, of these groups or (NULL) of all: counts that are wrong, and slots of workers not on record. Plans
-- are made for the groups given, so that a few are looked up.
CREATE FUNCTION audit_repairable(p_groups text[])
RETURNS TABLE (group_name text, kind text, number integer, seen text, worker_id uuid)
LANGUAGE plpgsql STABLE
SET search_path = ${schema}, pg_temp
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH held AS (
    SELECT s.group_name, s.slot % 50 AS n, count(*)::integer AS slots
    FROM slot s
    WHERE NOT is_keyed(s.group_name) AND (p_groups IS NULL OR s.group_name = ANY (p_groups))
    GROUP BY 1, 2
  ), counted AS (
    SELECT g.group_name, g.n, g.used
    FROM slot_group g
    WHERE p_groups IS NULL OR g.group_name = ANY (p_groups)
  ), miscounted AS (
    SELECT coalesce(c.group_name, h.group_name) AS name,
           sum(abs(coalesce(c.used, 0) - coalesce(h.slots, 0)))::integer AS number,
           sum(coalesce(c.used, 0)) AS counted,
           sum(coalesce(h.slots, 0)) AS slots
    FROM counted c
    FULL JOIN held h ON h.group_name = c.group_name AND h.n = c.n
    WHERE coalesce(c.used, 0) <> coalesce(h.slots, 0)
    GROUP BY 1
  ), leaked AS (
    SELECT s.group_name AS name, s.worker_id, count(*)::integer AS number
    FROM slot s
    WHERE s.worker_id IS NOT NULL AND (p_groups IS NULL OR s.group_name = ANY (p_groups))
      AND NOT EXISTS (SELECT FROM worker w WHERE w.id = s.worker_id)
    GROUP BY 1, 2
  )
  SELECT m.name, 'MISCOUNTED', m.number,
         format('The counter says %s, and %s slots are on record.', m.counted, m.slots), NULL::uuid
  FROM miscounted m
  UNION ALL
  SELECT l.name, 'LEAKED', l.number,
         format('%s slots are held by the worker %s, which is not on record.', l.number, l.worker_id), l.worker_id
  FROM leaked l;
END
$$;

-- All that is not as it should be.
CREATE FUNCTION audit_findings() RETURNS TABLE (group_name text, kind text, number integer, seen text, worker_id uuid)
LANGUAGE sql STABLE
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
  WITH running AS (
    SELECT j.worker_id, g.name, count(*)::integer AS jobs
    FROM job j
    CROSS JOIN LATERAL unnest(j.task || j.groups) AS g(name)
    WHERE j.state = 2 AND j.started_at IS NOT NULL
    GROUP BY 1, 2
  ), covered AS (
    SELECT s.worker_id, s.group_name AS name, count(*)::integer AS slots
    FROM slot s
    WHERE s.worker_id IS NOT NULL
    GROUP BY 1, 2
  ), in_use AS (
    SELECT s.group_name AS name, count(*)::integer AS slots, max(s.acquired_at) AS newest
    FROM slot s
    GROUP BY 1
  ), limited AS (
    SELECT u.*, coalesce(o.operator, f.operator, o.config, f.config, o.code, f.code, o.submit, f.submit) AS max,
           greatest(o.changed_at, f.changed_at) AS changed_at
    FROM in_use u
    LEFT JOIN limit_rule o ON o.name = u.name
    LEFT JOIN limit_rule f ON f.name = family_of(u.name)
  )
  SELECT * FROM audit_repairable(NULL)
  UNION ALL
  SELECT s.group_name, 'UNLISTED', count(*)::integer,
         format('%s slots are on record for the worker %s, which does not list them.', count(*), u.worker_id), u.worker_id
  FROM unlisted u
  JOIN slot s ON s.group_name = u.group_name AND s.slot = u.slot AND s.token = u.token AND s.worker_id = u.worker_id
  GROUP BY s.group_name, u.worker_id
  UNION ALL
  SELECT j.task, 'UNLISTED', count(*)::integer,
         format('%s jobs are on record with the worker %s, which does not list them.', count(*), u.worker_id), u.worker_id
  FROM unlisted u
  JOIN job j ON j.id = u.job_id AND j.token = u.token AND j.worker_id = u.worker_id AND j.state = 2
  GROUP BY j.task, u.worker_id
  UNION ALL
  SELECT r.name, 'UNCOVERED', r.jobs - coalesce(c.slots, 0),
         format('%s jobs run on the worker %s, which holds %s slots.', r.jobs, r.worker_id, coalesce(c.slots, 0)), r.worker_id
  FROM running r
  LEFT JOIN covered c ON c.worker_id = r.worker_id AND c.name = r.name
  WHERE r.jobs > coalesce(c.slots, 0) AND limit_of(r.name) IS NOT NULL
  UNION ALL
  SELECT l.name, 'EXCEEDED', l.slots - l.max,
         format('%s slots are held at a limit of %s, which was last changed at %s.', l.slots, l.max, l.changed_at), NULL::uuid
  FROM limited l
  WHERE l.slots > l.max AND l.newest > l.changed_at
  ORDER BY 1, 2, 5
$$;

-- Puts right what can be in these groups, in which something was found: slots that nobody holds are freed, counts are
-- counted again, and who waits for the places is called. Under the rules lock nobody claims meanwhile, so what is found
-- here is what is repaired here; it is returned.
CREATE FUNCTION audit_repair(p_groups text[])
RETURNS TABLE (group_name text, kind text, number integer, seen text, worker_id uuid)
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_groups text[] := '{}';
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  FOR group_name, kind, number, seen, worker_id IN SELECT * FROM audit_repairable(p_groups) ORDER BY 1, 2, 5 LOOP
    IF group_name <> ALL (v_groups) THEN
      v_groups := v_groups || group_name;
    END IF;
    RETURN NEXT;
  END LOOP;
  IF v_groups = '{}' THEN
    RETURN;
  END IF;
  PERFORM lock_groups(v_groups);
  DELETE FROM slot s
  WHERE s.group_name = ANY (v_groups) AND s.worker_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM worker w WHERE w.id = s.worker_id);
  PERFORM recount(v_groups);
  PERFORM call_back(g, 1000) FROM unnest(v_groups) AS g WHERE NOT is_full(g);
  PERFORM wake_all();
END
$$;

-- Takes from live workers what they did not list: jobs go back in line, slots are free. Under the rules lock no worker
-- reconciles meanwhile, which is the only way to hear of them.
CREATE FUNCTION take_unlisted() RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
DECLARE
  v_groups text[];
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  UPDATE job j SET
    state = 1,
    lane = home_lane(j.task, j.groups, j.limited_group),
    attempt = j.attempt - (j.started_at IS NOT NULL)::integer,
    worker_id = NULL,
    started_at = NULL
  FROM unlisted u
  WHERE j.id = u.job_id AND j.token = u.token AND j.worker_id = u.worker_id AND j.state = 2;
  SELECT array_agg(DISTINCT u.group_name) INTO v_groups FROM unlisted u WHERE u.group_name IS NOT NULL;
  IF v_groups IS NOT NULL THEN
    PERFORM lock_groups(v_groups);
    DELETE FROM slot s
    USING unlisted u
    WHERE s.group_name = u.group_name AND s.slot = u.slot AND s.token = u.token AND s.worker_id = u.worker_id;
    PERFORM recount(v_groups);
    PERFORM call_back(g, 1000) FROM unnest(v_groups) AS g WHERE NOT is_full(g);
  END IF;
  DELETE FROM unlisted;
  PERFORM wake_all();
END
$$;

-- Puts jobs back in line that are with a worker that is not on record. That never is, unless somebody deletes workers by
-- hand. Returns how many.
CREATE FUNCTION requeue_orphans() RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
DECLARE
  v_requeued integer;
BEGIN
  IF NOT EXISTS (
      SELECT FROM job j WHERE j.state = 2 AND NOT EXISTS (SELECT FROM worker w WHERE w.id = j.worker_id)) THEN
    RETURN 0;
  END IF;
  PERFORM pg_advisory_xact_lock(rules_lock());
  UPDATE job j SET
    state = 1,
    lane = home_lane(j.task, j.groups, j.limited_group),
    worker_id = NULL,
    started_at = NULL
  WHERE j.state = 2 AND NOT EXISTS (SELECT FROM worker w WHERE w.id = j.worker_id);
  GET DIAGNOSTICS v_requeued = ROW_COUNT;
  PERFORM wake_all();
  RETURN v_requeued;
END
$$;
