-- Workers: signing on and off, leases, recovery, and the reconcile in which a worker and the store agree on what it holds.
--
-- What a worker holds ends with its row: its jobs are ready again, its slots free, its asks gone, in one transaction.

-- Brings the limits that code declares up to date for these tasks: the lowest among live workers that handle the task;
-- none if they declare none; as it was if no live worker handles it. Says whether anything changed. The caller holds the rules lock.
CREATE FUNCTION sync_code_limits(p_tasks text[]) RETURNS boolean
${plpgsql} AS $$
BEGIN
  PERFORM apply_limit(c.name, 'code', c.max)
  FROM (
    SELECT coalesce(d.name, r.name) AS name, d.max
    FROM (
      SELECT d.name, min(d.max) AS max
      FROM worker w
      CROSS JOIN LATERAL unnest(w.limit_names, w.limit_values) AS d(name, max)
      WHERE split_part(d.name, '/', 1) = ANY (p_tasks) AND w.expires_at > clock_timestamp()
      GROUP BY d.name
    ) d
    FULL JOIN (SELECT * FROM limit_rule WHERE code IS NOT NULL AND split_part(name, '/', 1) = ANY (p_tasks)) r ON r.name = d.name
    WHERE d.max IS DISTINCT FROM r.code AND EXISTS (
      SELECT FROM worker w WHERE split_part(coalesce(d.name, r.name), '/', 1) = ANY (w.tasks) AND w.expires_at > clock_timestamp())
    ORDER BY 1
  ) c;
  RETURN FOUND;
END
$$;

-- Signs a worker on; says whether that changed a limit.
CREATE FUNCTION register_worker(
  p_worker uuid, p_name text, p_queues text[], p_tasks text[], p_limit_names text[], p_limit_values integer[], p_lease_ms bigint,
  p_highest_token bigint) RETURNS boolean
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  PERFORM raise_tokens(p_highest_token);
  INSERT INTO worker (id, name, queues, tasks, rooms, limit_names, limit_values, lease_ms, granted_ms, expires_at)
  VALUES (p_worker, p_name, p_queues, p_tasks, (SELECT coalesce(jsonb_object_agg(t, 2000000000), '{}') FROM unnest(p_tasks) AS t),
          p_limit_names, p_limit_values, p_lease_ms, p_lease_ms, clock_timestamp() + p_lease_ms * interval '1 millisecond');
  RETURN sync_code_limits(p_tasks);
END
$$;

-- Puts on record what a worker's tasks declare in code from now on. Names the epoch of the worker, so that one that the
-- worker has given up never replaces a later one: see worker_lock. Says what came of it: lost, late (and nothing else),
-- changed (a limit) or unchanged.
CREATE FUNCTION declare_limits(p_worker uuid, p_epoch bigint, p_limit_names text[], p_limit_values integer[]) RETURNS text
${plpgsql} AS $$
DECLARE
  v_epoch bigint;
  v_tasks text[];
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  SELECT epoch, tasks INTO v_epoch, v_tasks FROM worker WHERE id = p_worker AND expires_at > clock_timestamp();
  IF v_epoch IS DISTINCT FROM p_epoch THEN
    RETURN CASE WHEN v_epoch IS NULL THEN 'lost' ELSE 'late' END;
  END IF;
  UPDATE worker SET limit_names = p_limit_names, limit_values = p_limit_values WHERE id = p_worker;
  RETURN CASE WHEN sync_code_limits(v_tasks) THEN 'changed' ELSE 'unchanged' END;
END
$$;

-- Takes claimed jobs from a worker that does not have them any more: those that were asked to stop are cancelled, the others are ready
-- again. If the worker was lost, a job that had started keeps its attempt, with a note of what happened; else it is as if it had not been
-- claimed. Says of which tasks jobs went back, and of which groups slots came free, each once for every one.
CREATE FUNCTION take_back(p_jobs uuid[], p_lost boolean, OUT requeued text[], OUT named text[])
${lookups} AS $$
DECLARE
  v_cancelled uuid[];
BEGIN
  SELECT array_agg(c.id) FILTER (WHERE c.cancel_requested) INTO v_cancelled
  FROM (SELECT j.id, j.cancel_requested FROM job j WHERE j.id = ANY (p_jobs) ORDER BY j.id FOR UPDATE) c;
  named := ARRAY(
    SELECT g.name
    FROM job j
    CROSS JOIN LATERAL unnest(j.task || j.groups) WITH ORDINALITY AS g(name, place)
    WHERE j.id = ANY (p_jobs) AND j.slots[g.place] IS NOT NULL
    GROUP BY g.name, j.slots[g.place]);
  PERFORM bury_cancelled(v_cancelled) WHERE v_cancelled IS NOT NULL;
  WITH back AS (
    UPDATE job SET
      state = 1, lane = home_lane(task), shard = shard_of(groups), worker_id = NULL, slots = NULL, started_at = NULL,
      failures = CASE WHEN p_lost AND started_at IS NOT NULL THEN with_failure(failures, attempt, jsonb_build_object(
          'type', 'WorkerLost', 'message', 'The worker ' || worker_id || ' lost its lease while the job ran.', 'stackTrace', ''))
        ELSE failures END,
      attempt = attempt - (NOT p_lost AND started_at IS NOT NULL)::integer
    WHERE id = ANY (p_jobs) AND state = 2
    RETURNING task
  )
  SELECT array_agg(b.task) INTO requeued FROM back b;
  PERFORM call_back_all(named);
END
$$;

-- Ends a worker's standing: its jobs are ready again and name no slots, and its lent slots are free, all in one transaction. The caller has
-- locked the worker's row. Says what take_back does.
CREATE FUNCTION retire_worker(p_worker uuid, p_died boolean, OUT requeued text[], OUT slots text[])
${plpgsql} AS $$
DECLARE
  v_tasks text[];
BEGIN
  SELECT t.requeued, t.named INTO requeued, slots
  FROM take_back(ARRAY(SELECT j.id FROM claimed_job j WHERE j.worker_id = p_worker), p_died) t;
  slots := slots || take_lent(ARRAY(SELECT s FROM slot s WHERE s.worker_id = p_worker));
  DELETE FROM attested WHERE worker_id = p_worker;
  DELETE FROM ask WHERE worker_id = p_worker;
  DELETE FROM worker WHERE id = p_worker RETURNING tasks INTO v_tasks;
  PERFORM sync_code_limits(v_tasks);
END
$$;

-- Signs a worker off, with groups of which it has left jobs behind (see call_back_all): under the rules lock no claim has
-- them locked.
CREATE FUNCTION sign_off(p_worker uuid, p_left_behind text[]) RETURNS void
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  PERFORM 1 FROM worker WHERE id = p_worker FOR UPDATE;
  IF FOUND THEN
    PERFORM retire_worker(p_worker, false);
    PERFORM call_back_all(p_left_behind);
    PERFORM wake_all();
  END IF;
END
$$;

-- Shortens leases that reach further than they were granted for: the server's clock was set back since. Such a lease lasts
-- once more as long as it was granted for, counted from now; its holder counts on no more.
-- In a transaction of its own: the rules lock comes before all locks on rows.
CREATE FUNCTION shorten_leases() RETURNS void
${plpgsql} AS $$
BEGIN
  UPDATE worker SET expires_at = clock_timestamp() + granted_ms * interval '1 millisecond'
  WHERE id IN (
    SELECT w.id FROM worker w
    WHERE w.expires_at > clock_timestamp() + w.granted_ms * interval '1 millisecond'
    ORDER BY w.id
    FOR UPDATE SKIP LOCKED);
  UPDATE slot SET expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
  WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM slot s
    WHERE s.expires_at IS NOT NULL AND s.expires_at > clock_timestamp() + s.lease_ms * interval '1 millisecond'
    FOR UPDATE SKIP LOCKED));
END
$$;

-- Frees what dead workers and expired permits held. Kinds: worker (one row per dead one, with its name), job (its requeued
-- jobs by task) and slot (by group, of dead workers and of expired permits).
CREATE FUNCTION recover() RETURNS TABLE (kind text, worker uuid, name text, number bigint)
${plpgsql} AS $$
DECLARE
  v_dead record;
  v_retired record;
  v_found boolean := false;
BEGIN
  IF EXISTS (SELECT FROM worker WHERE expires_at <= clock_timestamp()) THEN
    PERFORM pg_advisory_xact_lock(rules_lock());
    FOR v_dead IN
      SELECT w.id, w.name FROM worker w WHERE w.expires_at <= clock_timestamp() ORDER BY w.id FOR UPDATE SKIP LOCKED
    LOOP
      v_found := true;
      SELECT * INTO v_retired FROM retire_worker(v_dead.id, true);
      RETURN QUERY SELECT 'worker', v_dead.id, v_dead.name, 1::bigint;
      RETURN QUERY SELECT 'job', v_dead.id, t, count(*) FROM unnest(v_retired.requeued) AS t GROUP BY t;
      RETURN QUERY SELECT 'slot', v_dead.id, g, count(*) FROM unnest(v_retired.slots) AS g GROUP BY g;
    END LOOP;
  END IF;
  RETURN QUERY SELECT 'slot', NULL::uuid, f.group_name, f.freed FROM free_expired_permits(NULL) f;
  IF v_found OR FOUND THEN
    PERFORM wake_all();
  END IF;
END
$$;

-- Lets a worker's lease end so long after now; false if it was lost. The client numbers its renewals, and each of them covers
-- what the earlier ones asked for: one that another has overtaken changes nothing, and its lease is held all the same.
CREATE FUNCTION renew_worker(p_worker uuid, p_renewal bigint, p_ms bigint) RETURNS boolean
${plpgsql} AS $$
BEGIN
  UPDATE worker SET granted_ms = p_ms, expires_at = clock_timestamp() + p_ms * interval '1 millisecond', renewal = p_renewal
  WHERE id = p_worker AND expires_at > clock_timestamp() AND renewal < p_renewal;
  RETURN FOUND OR EXISTS (SELECT FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp());
END
$$;

-- Agrees with a worker on what it holds: jobs of claims it does not know of, by job and token, go back in line, or are
-- cancelled if they were asked to stop. Begins a new epoch of the worker, which must be above the last one: see
-- worker_lock. Returns NULL if the lease is lost; {"late": true} if the reconcile came too late; and else the version of the
-- limits, the jobs (by id: the hot groups they are in, and the slots they name), the slots that are lent to the worker
-- (group, number, token), and which of their groups are draining.
--
-- It does not wait for long: a worker whose earlier calls are stuck sends one reconcile after another, and each would keep
-- a connection of the server busy. The worker's row is changed last, because renewals wait for whatever has it.
CREATE FUNCTION reconcile(p_worker uuid, p_epoch bigint, p_known uuid[], p_tokens bigint[]) RETURNS jsonb
${plpgsql} SET lock_timeout = '5s' AS $$
DECLARE
  v_version bigint;
  v_epoch bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(rules_lock()), pg_advisory_xact_lock(worker_lock(p_worker));
  SELECT rules_version INTO v_version FROM meta;
  SELECT w.epoch INTO v_epoch FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp();
  IF v_epoch IS NULL THEN
    RETURN NULL;
  ELSIF v_epoch >= p_epoch THEN
    RETURN '{"late": true}';
  END IF;
  PERFORM take_back(ARRAY(
    SELECT j.id FROM claimed_job j
    WHERE j.worker_id = p_worker
      AND (j.id, j.token) NOT IN (SELECT k.id, k.token FROM unnest(p_known, p_tokens) AS k(id, token))), false);
  UPDATE worker w SET
    epoch = p_epoch, rules_seen = v_version,
    (limited, lanes, hot) = (SELECT b.limited, b.lanes, b.hot FROM works_by(w.tasks) b)
  WHERE w.id = p_worker;
  RETURN jsonb_build_object('version', v_version) || standing_of(p_worker);
END
$$;

-- Which of these tasks have a limit, as keys, which a lane, and which a group that is hot.
CREATE FUNCTION works_by(p_tasks text[], OUT limited jsonb, OUT lanes text[], OUT hot text[])
STABLE ${sql} AS $$
  SELECT coalesce(jsonb_object_agg(r.name, true) FILTER (WHERE r.max IS NOT NULL), '{}'),
         coalesce(array_agg(r.name) FILTER (WHERE r.lane), '{}'),
         coalesce(array_agg(r.name) FILTER (WHERE r.max IS NOT NULL AND is_hot(r.name)), '{}')
  FROM (SELECT l.name, l.lane, limit_of(l.name) AS max FROM limit_rule l WHERE l.name = ANY (p_tasks)) r
$$;

-- What a worker holds.
CREATE FUNCTION standing_of(p_worker uuid) RETURNS jsonb
STABLE ${sql} AS $$
  SELECT jsonb_build_object(
    'jobs', (
      SELECT coalesce(jsonb_object_agg(j.id, jsonb_build_object(
        'gates', (SELECT coalesce(jsonb_agg(g ORDER BY g), '[]') FROM unnest(j.task || j.groups) AS g
                  WHERE limit_of(g) IS NOT NULL AND is_hot(g)),
        'named', (SELECT coalesce(jsonb_object_agg(g.name, j.slots[g.place]), '{}')
                  FROM unnest(j.task || j.groups) WITH ORDINALITY AS g(name, place)
                  WHERE j.slots[g.place] IS NOT NULL AND limit_of(g.name) IS NOT NULL))), '{}')
      FROM claimed_job j
      WHERE j.worker_id = p_worker),
    'slots', (
      SELECT coalesce(jsonb_agg(jsonb_build_array(s.group_name, s.slot, s.token)), '[]') FROM slot s WHERE s.worker_id = p_worker),
    'draining', (
      SELECT coalesce(jsonb_agg(g.name), '[]')
      FROM (SELECT DISTINCT s.group_name AS name FROM slot s WHERE s.worker_id = p_worker) g
      WHERE (SELECT count(*) FROM slot s WHERE s.group_name = g.name) > limit_of(g.name)))
$$;

-- Takes down what a worker has. It says so between two exchanges; under its lock and in its epoch no exchange is under way,
-- so whatever was on record for it before this token and is not listed it will never know of. Nothing is looked for here:
-- the audit compares, for all workers at once (unlisted, in the audit).
CREATE FUNCTION attest(
  p_worker uuid, p_epoch bigint, p_rules bigint, p_jobs uuid[], p_tokens bigint[],
  p_groups text[], p_slots integer[], p_slot_tokens bigint[])
RETURNS void
${plpgsql} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(rules_lock()), pg_advisory_xact_lock(worker_lock(p_worker));
  INSERT INTO attested (worker_id, epoch, rules, token, jobs, tokens, groups, slots, slot_tokens)
  SELECT p_worker, p_epoch, p_rules, nextval('token'), p_jobs, p_tokens, p_groups, p_slots, p_slot_tokens
  FROM worker w WHERE w.id = p_worker AND w.epoch = p_epoch AND w.expires_at > clock_timestamp()
  ON CONFLICT (worker_id) DO UPDATE SET (epoch, rules, token, jobs, tokens, groups, slots, slot_tokens) = (
    excluded.epoch, excluded.rules, excluded.token, excluded.jobs, excluded.tokens, excluded.groups, excluded.slots, excluded.slot_tokens);
END
$$;
