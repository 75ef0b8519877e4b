-- The life of jobs and workers: outcomes, exchanges, leases, recovery.

-- Moves jobs out of the way of the living; returns those it moved. The verdict of those that end here: 3 succeeded,
-- 4 failed, 5 cancelled. With tokens, only jobs that p_worker still has under these tokens are moved.
--
-- Claimed is state 2 and nothing is above it. Where a job is looked up by its id, the condition reads "state > 1": from
-- "state = 2" the planner would gather that job_claimed serves as well, and read all claimed jobs for each of these.
CREATE FUNCTION bury(
  p_ids uuid[], p_states smallint[], p_ran_ms bigint[], p_results text[], p_failures jsonb[],
  p_worker uuid DEFAULT NULL, p_tokens bigint[] DEFAULT NULL)
RETURNS SETOF uuid
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
  RETURN QUERY
  WITH gone AS (
    DELETE FROM job
    USING (
      SELECT *
      FROM unnest(p_ids, p_states, p_ran_ms, p_results, p_failures, p_tokens)
        AS given(id, end_state, ran_ms, result, failure, token)
      ORDER BY id                                 -- one order for all, so that no two wait for each other
    ) o
    WHERE job.id = ANY (ARRAY[o.id])
      AND (p_tokens IS NULL OR (job.token = o.token AND job.worker_id = p_worker AND job.state > 1))
    RETURNING job.*, o.end_state, o.ran_ms, o.result AS end_result, o.failure,
              -- an attempt whose start was never reported counts all the same
              job.attempt + (job.state > 1 AND job.started_at IS NULL AND o.ran_ms IS NOT NULL)::integer AS attempts
  )
  INSERT INTO finished_job AS f (
    id, task, queue, state, priority, run_at, groups, limited_group, submit_limit, attempt, token, worker_id,
    started_at, finished_at, dedupe_key, run_id, timeout_ms, submitted_at, payload, result, failures, progress,
    held_back_by, trace)
  SELECT
    id, task, queue, end_state, priority, run_at, groups, limited_group, submit_limit,
    attempts, token, worker_id,
    coalesce(started_at, clock_timestamp() - ran_ms * interval '1 millisecond'),
    clock_timestamp(), dedupe_key, run_id, timeout_ms, submitted_at, payload, end_result::json,
    CASE WHEN failure IS NULL THEN failures ELSE with_failure(failures, attempts, failure) END, progress,
    held_back_by, trace
  FROM gone
  RETURNING f.id;
END
$$;

-- Moves jobs out of the way that were asked to stop. One whose end the table does not take (a constraint or a trigger of its
-- own is against it) stays where it is: whatever else the caller does must not depend on it.
CREATE FUNCTION bury_cancelled(p_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  PERFORM bury(p_ids, array_fill(5::smallint, ARRAY[cardinality(p_ids)]), NULL, NULL, NULL);
EXCEPTION
  WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
    IF cardinality(p_ids) > 1 THEN
      PERFORM bury_cancelled(ARRAY[id]) FROM unnest(p_ids) AS id;
    ELSE
      RAISE WARNING 'Job % was asked to stop and cannot be recorded as cancelled: %', p_ids[1], SQLERRM;
    END IF;
END
$$;

-- The failures on record with one more, the newest twenty.
CREATE FUNCTION with_failure(p_failures jsonb, p_attempt integer, p_failure jsonb) RETURNS jsonb
LANGUAGE sql VOLATILE
AS $$
  SELECT CASE WHEN jsonb_array_length(p_failures) >= 20 THEN p_failures - 0 ELSE p_failures END
    || (p_failure || jsonb_build_object('attempt', p_attempt, 'at', clock_timestamp()))
$$;

CREATE TYPE outcomes AS (
  ids uuid[],
  verdicts smallint[],
  delays_ms bigint[],
  ran_ms bigint[],
  results text[],
  failures jsonb[]
);

-- Records how attempts of a worker ended; returns those that were still its own, and which are on record as cancelled.
-- Verdicts: -1 refiled (its result is the groups it is in from now on, joined by newlines), 0 retry, 1 snoozed, 2 handed
-- back, 3 succeeded, 4 failed, 5 cancelled. An outcome under an old token changes nothing. Jobs that come back (-1 to 2)
-- are locked here, and put back in line by put_back.
CREATE FUNCTION finish(
  p_worker uuid, p_ids uuid[], p_tokens bigint[], p_verdicts smallint[], p_delays_ms bigint[], p_ran_ms bigint[],
  p_results text[], p_failures jsonb[])
RETURNS TABLE (id uuid, cancelled boolean)
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
  v_own outcomes;
BEGIN
  IF 3 = ALL (p_verdicts) THEN
    -- Successes alone, as nearly always: nothing to decide, so they go in one statement.
    RETURN QUERY SELECT b, false FROM bury(p_ids, p_verdicts, p_ran_ms, p_results, p_failures, p_worker, p_tokens) AS b;
    RETURN;
  END IF;

  -- A job that was asked to stop does not come back: whatever its attempt says, short of success, it is cancelled.
  SELECT array_agg(l.id), array_agg(l.verdict), array_agg(l.delay_ms), array_agg(l.ran_ms), array_agg(l.result),
         array_agg(l.failure)
  INTO v_own
  FROM (
    SELECT j.id, o.delay_ms, o.ran_ms, o.result, o.failure,
           CASE WHEN j.cancel_requested AND o.verdict < 3 THEN 5::smallint ELSE o.verdict END AS verdict
    FROM (
      SELECT *
      FROM unnest(p_ids, p_tokens, p_verdicts, p_delays_ms, p_ran_ms, p_results, p_failures)
        AS given(id, token, verdict, delay_ms, ran_ms, result, failure)
      ORDER BY id
    ) o
    CROSS JOIN LATERAL (
      SELECT k.id, k.cancel_requested
      FROM job k
      WHERE k.id = o.id AND k.token = o.token AND k.worker_id = p_worker AND k.state > 1
      FOR UPDATE
    ) j
  ) l;
  IF v_own.ids IS NULL THEN
    RETURN;
  END IF;

  IF 3 <= ANY (v_own.verdicts) THEN
    PERFORM bury(array_agg(o.id), array_agg(o.verdict), array_agg(o.ran_ms),
                 array_agg(CASE WHEN o.verdict = 3 THEN o.result END), array_agg(o.failure))
    FROM unnest(v_own.ids, v_own.verdicts, v_own.ran_ms, v_own.results, v_own.failures)
      AS o(id, verdict, ran_ms, result, failure)
    WHERE o.verdict >= 3;
  END IF;

  IF -1 = ANY (v_own.verdicts) THEN
    UPDATE job j SET
      groups = o.groups,
      limited_group = CASE WHEN j.limited_group = ANY (j.task || o.groups) THEN j.limited_group END,
      submit_limit = CASE WHEN j.limited_group = ANY (j.task || o.groups) THEN j.submit_limit END,
      refiled = true
    FROM (
      SELECT v.id, coalesce(string_to_array(nullif(v.result, ''), E'\n'), '{}') AS groups
      FROM unnest(v_own.ids, v_own.verdicts, v_own.results) AS v(id, verdict, result)
      WHERE v.verdict = -1
    ) o
    WHERE j.id = ANY (ARRAY[o.id]);
  END IF;
  RETURN QUERY SELECT o.id, o.verdict = 5 FROM unnest(v_own.ids, v_own.verdicts) AS o(id, verdict);
END
$$;

-- Puts jobs back in line whose attempts a worker reported as ended for now: the verdicts below 3 that finish has accepted
-- in this transaction. An exchange does so after its claim, so that no exchange gives a worker a job that it ends.
CREATE FUNCTION put_back(
  p_worker uuid, p_ids uuid[], p_tokens bigint[], p_verdicts smallint[], p_delays_ms bigint[], p_ran_ms bigint[],
  p_failures jsonb[])
RETURNS void
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
  UPDATE job j SET
    state = CASE WHEN o.delay_ms > 0 THEN 0 ELSE 1 END,
    lane = home_lane(j.task, j.groups, j.limited_group),
    run_at = CASE WHEN o.verdict IN (-1, 2) THEN j.run_at ELSE clock_timestamp() + o.delay_ms * interval '1 millisecond' END,
    -- A retry counts its attempt, even one whose start was never reported; other returns undo what was counted.
    attempt = j.attempt + CASE
      WHEN o.verdict = 0 THEN (j.started_at IS NULL)::integer
      ELSE - (j.started_at IS NOT NULL)::integer
    END,
    failures = CASE WHEN o.verdict = 0
      THEN with_failure(j.failures, j.attempt + (j.started_at IS NULL)::integer, o.failure) ELSE j.failures END,
    worker_id = CASE WHEN o.verdict = 0 THEN j.worker_id END,
    started_at = CASE WHEN o.verdict = 0
      THEN coalesce(j.started_at, clock_timestamp() - o.ran_ms * interval '1 millisecond') END
  FROM unnest(p_ids, p_tokens, p_verdicts, p_delays_ms, p_ran_ms, p_failures)
    AS o(id, token, verdict, delay_ms, ran_ms, failure)
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND j.worker_id = p_worker AND j.state > 1 AND o.verdict < 3;
END
$$;

-- The lock of a worker. A call that its worker has given up may still be on its way, and be carried out by the server at
-- any later time. Nothing tells such a call from a current one but the worker's epoch: each reconcile raises it, and an
-- exchange names the one it belongs to, as a declaration does. All hold this lock until the commit, or the rules lock
-- exclusively, and look at the epoch under it. So a
-- reconcile waits for an exchange that is under way, and sees what it did; an exchange that gets the lock after the
-- reconcile is refused; and a reconcile that another has overtaken is refused too. What ends a worker's standing holds
-- the rules lock, and deletes its row. Renewals take no part in it: none waits for an exchange.
CREATE FUNCTION worker_lock(p_worker uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE
AS $$ SELECT hashtextextended('${schema}/worker/' || p_worker, 0) $$;

-- Everything a worker and the store have to tell each other in one round trip: see dev.sluice.spi.WorkerSession.
CREATE FUNCTION exchange(
  p_worker uuid, p_epoch bigint, p_rules bigint, p_queues text[], p_jobs integer,
  p_tasks text[], p_room integer[], p_depth integer[], p_lane boolean[], p_limited boolean[],
  p_spare_groups text[], p_spare integer[], p_after place_in_line[],
  p_ids uuid[], p_tokens bigint[], p_verdicts smallint[], p_delays_ms bigint[], p_ran_ms bigint[], p_results text[], p_failures jsonb[],
  p_started uuid[], p_progress_ids uuid[], p_progress text[],
  p_slot_groups text[], p_slots integer[], p_slot_tokens bigint[], p_left_behind text[], p_tell boolean,
  p_highest_token bigint)
RETURNS SETOF answer
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
  v_freed text[];
  v_backs call_backs;
  v_stale boolean;
  v_epoch bigint;
BEGIN
  -- First of all, before any row is locked: whoever holds the rules lock exclusively goes on to lock rows.
  PERFORM pg_advisory_xact_lock_shared(rules_lock()), pg_advisory_xact_lock(worker_lock(p_worker));
  SELECT w.epoch INTO v_epoch FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp();
  IF v_epoch IS DISTINCT FROM p_epoch THEN
    RETURN NEXT (CASE WHEN v_epoch IS NULL THEN 'l' ELSE 'o' END,
                 NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer;
    RETURN;
  END IF;
  IF cardinality(p_started) > 0 THEN
    UPDATE job SET attempt = attempt + 1, started_at = clock_timestamp()
    WHERE id = ANY (p_started) AND worker_id = p_worker AND state > 1 AND started_at IS NULL;
  END IF;
  IF cardinality(p_progress_ids) > 0 THEN
    UPDATE job SET progress = p.note
    FROM unnest(p_progress_ids, p_progress) AS p(id, note)
    WHERE job.id = ANY (ARRAY[p.id]) AND job.worker_id = p_worker AND job.state > 1;
  END IF;
  IF cardinality(p_ids) > 0 THEN
    RETURN QUERY
    SELECT 'a'::"char", f.id, NULL::bigint, NULL::text, NULL::integer, f.cancelled, NULL::bigint, NULL::text[], NULL::text,
           NULL::text, NULL::integer
    FROM finish(p_worker, p_ids, p_tokens, p_verdicts, p_delays_ms, p_ran_ms, p_results, p_failures) AS f;
  END IF;
  IF cardinality(p_slots) > 0 THEN
    v_freed := release_slots(p_worker, p_slot_groups, p_slots, p_slot_tokens);
  END IF;
  IF v_freed IS NOT NULL OR cardinality(p_left_behind) > 0 THEN
    v_backs := call_back_all(v_freed || p_left_behind, p_tasks, p_depth);
    RETURN QUERY
    SELECT 'b'::"char", NULL::uuid, NULL::bigint, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
           NULL::text, g, NULL::integer
    FROM unnest(v_backs.left_behind) AS g;
  END IF;
  v_stale := (SELECT rules_version FROM meta) <> p_rules;
  IF v_stale THEN
    RETURN NEXT ('r', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer;
  ELSIF p_jobs > 0 THEN
    RETURN QUERY SELECT * FROM claim(
      p_worker, p_queues, p_jobs, p_tasks, p_room, p_depth, p_lane, p_limited, p_spare_groups, p_spare, p_after, p_tell,
      p_highest_token);
  END IF;
  IF 3 > ANY (p_verdicts) THEN
    PERFORM put_back(p_worker, p_ids, p_tokens, p_verdicts, p_delays_ms, p_ran_ms, p_failures);
  END IF;
  IF p_jobs > 0 AND NOT v_stale THEN
    RETURN QUERY
    SELECT 'd'::"char", NULL::uuid, NULL::bigint, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
           NULL::text, NULL::text,
           least(greatest(date_part('epoch', run_at - clock_timestamp()) * 1000, 0), 86400000)::integer
    FROM job
    WHERE state = 0
    ORDER BY run_at
    LIMIT 1;
  END IF;

  -- Others may be waiting for a place that this worker gave back: those who handle the task whose group it is. Any group may
  -- also be named at submit, by jobs of any task.
  IF v_freed IS NOT NULL THEN
    RETURN QUERY
    SELECT 'w'::"char", NULL::uuid, NULL::bigint, NULL::text, NULL::integer, NULL::boolean, NULL::bigint, NULL::text[],
           NULL::text, g.name, NULL::integer
    FROM (SELECT DISTINCT n AS name FROM unnest(v_freed) AS n WHERE NOT is_keyed(n)) g
    WHERE EXISTS (SELECT FROM job j WHERE j.groups[1] = g.name AND j.state = 1)
       OR EXISTS (SELECT FROM job j WHERE j.groups[2] = g.name AND j.state = 1)
       OR EXISTS (SELECT FROM job j WHERE j.groups[3] = g.name AND j.state = 1)
       OR EXISTS (SELECT FROM job j WHERE j.groups[4] = g.name AND j.state = 1);
  END IF;
END
$$;

-- Brings the limits that code declares up to date for these tasks: the lowest among live workers that handle the task;
-- none if they declare none; as it was if nobody handles it just now. Says whether
-- anything changed. The caller holds the rules lock.
CREATE FUNCTION sync_code_limits(p_tasks text[]) RETURNS boolean
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_change record;
  v_changed boolean := false;
BEGIN
  FOR v_change IN
    WITH declared AS (
      SELECT d.name, min(d.max) AS max
      FROM worker w
      CROSS JOIN LATERAL unnest(w.limit_names, w.limit_values) AS d(name, max)
      WHERE split_part(d.name, '/', 1) = ANY (p_tasks) AND w.expires_at > clock_timestamp()
      GROUP BY d.name
    )
    SELECT coalesce(d.name, r.name) AS name, d.max
    FROM declared d
    FULL JOIN (SELECT * FROM limit_rule WHERE code IS NOT NULL AND split_part(name, '/', 1) = ANY (p_tasks)) r
      ON r.name = d.name
    WHERE d.max IS DISTINCT FROM r.code
      AND EXISTS (
        SELECT FROM worker w
        WHERE split_part(coalesce(d.name, r.name), '/', 1) = ANY (w.tasks) AND w.expires_at > clock_timestamp())
    ORDER BY 1
  LOOP
    PERFORM apply_limit(v_change.name, 'code', v_change.max);
    PERFORM pg_notify('sluice_${schema}', 'rules');
    v_changed := true;
  END LOOP;
  RETURN v_changed;
END
$$;

-- Signs a worker on; says whether that changed a limit.
CREATE FUNCTION register_worker(
  p_worker uuid, p_name text, p_queues text[], p_tasks text[], p_limit_names text[], p_limit_values integer[], p_lease_ms bigint,
  p_highest_token bigint)
RETURNS boolean
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(rules_lock());
  PERFORM raise_tokens(p_highest_token);
  INSERT INTO worker (id, name, queues, tasks, limit_names, limit_values, lease_ms, granted_ms, expires_at)
  VALUES (p_worker, p_name, p_queues, p_tasks, p_limit_names, p_limit_values, p_lease_ms, p_lease_ms,
          clock_timestamp() + p_lease_ms * interval '1 millisecond');
  RETURN sync_code_limits(p_tasks);
END
$$;

-- Puts on record what a worker's tasks declare in code from now on. Names the epoch of the worker, so that one that the
-- worker has given up never replaces a later one: see worker_lock. Says what came of it: lost, late (and nothing else),
-- changed (a limit) or unchanged.
CREATE FUNCTION declare_limits(p_worker uuid, p_epoch bigint, p_limit_names text[], p_limit_values integer[]) RETURNS text
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
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

-- Ends a worker's standing: its jobs are ready again, its slots free, and used is recounted from the slots that are
-- left, all in one transaction. The caller has locked the worker's row. A job that had started keeps its attempt, with a
-- note of what happened, if the worker died; a worker that signs off hands its jobs back untouched.
CREATE FUNCTION retire_worker(p_worker uuid, p_died boolean) RETURNS TABLE (requeued text[], slots text[])
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
AS $$
DECLARE
  v_groups text[];
  v_slots integer[];
  v_tasks text[];
  v_cancelled uuid[];
  v_requeued text[];
BEGIN
  SELECT array_agg(s.group_name), array_agg(s.slot) INTO v_groups, v_slots FROM slot s WHERE s.worker_id = p_worker;

  SELECT array_agg(id) INTO v_cancelled
  FROM (SELECT id FROM job WHERE state = 2 AND worker_id = p_worker AND cancel_requested FOR UPDATE) c;
  IF v_cancelled IS NOT NULL THEN
    PERFORM bury_cancelled(v_cancelled);
  END IF;

  WITH requeued AS (
    UPDATE job SET
      state = 1,
      lane = home_lane(task, groups, limited_group),
      failures = CASE WHEN p_died AND started_at IS NOT NULL
        THEN with_failure(failures, attempt, jsonb_build_object(
          'type', 'WorkerLost',
          'message', 'The worker ' || worker_id || ' lost its lease while the job ran.', 'stackTrace', ''))
        ELSE failures
      END,
      attempt = attempt - (NOT p_died AND started_at IS NOT NULL)::integer,
      worker_id = NULL,
      started_at = NULL
    WHERE state = 2 AND worker_id = p_worker
    RETURNING task
  )
  SELECT array_agg(task) INTO v_requeued FROM requeued;

  IF v_groups IS NOT NULL THEN
    PERFORM lock_groups(v_groups);
    DELETE FROM slot WHERE worker_id = p_worker;
    PERFORM recount(ARRAY(SELECT DISTINCT unnest(v_groups)));
    PERFORM call_back(g, 8 * count(*)) FROM unnest(v_groups) AS g GROUP BY g ORDER BY g;
  END IF;

  DELETE FROM attested WHERE worker_id = p_worker;
  DELETE FROM worker WHERE id = p_worker RETURNING tasks INTO v_tasks;
  PERFORM sync_code_limits(v_tasks);
  RETURN QUERY SELECT v_requeued, v_groups;
END
$$;

-- Signs a worker off, with groups of which it has left jobs behind (see call_back_all): under the rules lock nobody has
-- them locked.
CREATE FUNCTION sign_off(p_worker uuid, p_left_behind text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
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
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
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
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
#variable_conflict use_column
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
  IF EXISTS (SELECT FROM slot WHERE expires_at <= (SELECT clock_timestamp())) THEN
    RETURN QUERY SELECT 'slot', NULL::uuid, f.group_name, f.freed FROM free_expired_permits(NULL) f;
    v_found := true;
  END IF;
  IF v_found THEN
    PERFORM wake_all();
  END IF;
END
$$;

-- Lets a worker's lease end so long after now; false if it was lost. The client numbers its renewals, and each of them covers
-- what the earlier ones asked for: one that another has overtaken changes nothing, and its lease is held all the same.
CREATE FUNCTION renew_worker(p_worker uuid, p_renewal bigint, p_ms bigint) RETURNS boolean
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  UPDATE worker SET
    granted_ms = p_ms,
    expires_at = clock_timestamp() + p_ms * interval '1 millisecond',
    renewal = p_renewal
  WHERE id = p_worker AND expires_at > clock_timestamp() AND renewal < p_renewal;
  RETURN FOUND OR EXISTS (SELECT FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp());
END
$$;

-- Agrees with a worker on what it holds: jobs of claims it does not know of, by job and token, go back in line, or are
-- cancelled if they were asked to stop. Begins a new epoch of the worker, which must be above the last one: see
-- worker_lock. Kinds: epoch (number: the one on record, if the reconcile came too late, and nothing else), version
-- (number), job (id and the limited groups it is in), slot, draining (group), task (which has a lane of its own; number
-- 1 = and a limit).
--
-- It does not wait for long: a worker whose earlier calls are stuck sends one reconcile after another, and each would keep
-- a connection of the server busy. The worker's row is changed last, because renewals wait for whoever has it.
CREATE FUNCTION reconcile(p_worker uuid, p_epoch bigint, p_known uuid[], p_tokens bigint[])
RETURNS TABLE (kind text, id uuid, groups text[], name text, slot integer, number bigint)
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET jit = off
SET lock_timeout = '5s'
AS $$
#variable_conflict use_column
DECLARE
  v_version bigint;
  v_epoch bigint;
  v_tasks text[];
  v_unknown uuid[];
  v_cancelled uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(rules_lock()), pg_advisory_xact_lock(worker_lock(p_worker));
  SELECT rules_version INTO v_version FROM meta;
  SELECT w.epoch, w.tasks INTO v_epoch, v_tasks FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp();
  IF v_epoch IS NULL THEN
    RETURN;
  ELSIF v_epoch >= p_epoch THEN
    RETURN QUERY SELECT 'epoch', NULL::uuid, NULL::text[], NULL::text, NULL::integer, v_epoch;
    RETURN;
  END IF;
  SELECT array_agg(u.id), array_agg(u.id) FILTER (WHERE u.cancel_requested) INTO v_unknown, v_cancelled
  FROM (
    SELECT j.id, j.cancel_requested
    FROM job j
    WHERE j.state = 2 AND j.worker_id = p_worker
      AND (j.id, j.token) NOT IN (SELECT k.id, k.token FROM unnest(p_known, p_tokens) AS k(id, token))
    ORDER BY j.id
    FOR UPDATE
  ) u;
  IF v_cancelled IS NOT NULL THEN
    PERFORM bury_cancelled(v_cancelled);
  END IF;
  UPDATE job j SET
    state = 1,
    lane = home_lane(j.task, j.groups, j.limited_group),
    attempt = j.attempt - (j.started_at IS NOT NULL)::integer,
    worker_id = NULL,
    started_at = NULL
  WHERE j.id = ANY (v_unknown);

  RETURN QUERY SELECT 'version', NULL::uuid, NULL::text[], NULL::text, NULL::integer, v_version;
  RETURN QUERY
  SELECT 'job', j.id,
         ARRAY(SELECT g FROM unnest(j.task || j.groups) AS g WHERE limit_of(g) IS NOT NULL ORDER BY g),
         NULL::text, NULL::integer, NULL::bigint
  FROM job j
  WHERE j.state = 2 AND j.worker_id = p_worker;
  RETURN QUERY
  SELECT 'slot', NULL::uuid, NULL::text[], s.group_name, s.slot, s.token
  FROM slot s
  WHERE s.worker_id = p_worker;
  RETURN QUERY
  SELECT 'draining', NULL::uuid, NULL::text[], g.name, NULL::integer, NULL::bigint
  FROM (SELECT DISTINCT s.group_name AS name FROM slot s WHERE s.worker_id = p_worker) g
  WHERE (SELECT count(*) FROM slot s WHERE s.group_name = g.name) > limit_of(g.name);
  RETURN QUERY
  SELECT 'task', NULL::uuid, NULL::text[], r.name, NULL::integer, (limit_of(r.name) IS NOT NULL)::integer::bigint
  FROM limit_rule r
  WHERE r.name = ANY (v_tasks);
  UPDATE worker w SET rules_seen = v_version, epoch = p_epoch WHERE w.id = p_worker;
END
$$;

-- Takes down what a worker has. It says so between two exchanges; under its lock and in its epoch no exchange is under way,
-- so whatever was on record for it before this token and is not listed it will never know of. Nothing is looked for here:
-- the audit compares, for all workers at once (unlisted in 011).
CREATE FUNCTION attest(
  p_worker uuid, p_epoch bigint, p_rules bigint, p_jobs uuid[], p_tokens bigint[],
  p_groups text[], p_slots integer[], p_slot_tokens bigint[])
RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(rules_lock()), pg_advisory_xact_lock(worker_lock(p_worker));
  IF p_epoch IS DISTINCT FROM (SELECT w.epoch FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp()) THEN
    RETURN;
  END IF;
  INSERT INTO attested AS a (worker_id, epoch, rules, token, jobs, tokens, groups, slots, slot_tokens)
  VALUES (p_worker, p_epoch, p_rules, nextval('token'), p_jobs, p_tokens, p_groups, p_slots, p_slot_tokens)
  ON CONFLICT (worker_id) DO UPDATE SET
    epoch = excluded.epoch,
    rules = excluded.rules,
    token = excluded.token,
    jobs = excluded.jobs,
    tokens = excluded.tokens,
    groups = excluded.groups,
    slots = excluded.slots,
    slot_tokens = excluded.slot_tokens;
END
$$;

-- Wakes workers that found too little to do, for news of some kinds: jobs of a task in a queue ('*' = any), and how many
-- workers that is worth at most. Called after the commit of whatever gave them something to do: a worker first says what
-- it is waiting for, then looks once more, and only then sleeps; so either its last look sees the news, or this sees it
-- waiting.
CREATE FUNCTION wake(p_tasks text[], p_queues text[], p_workers integer[]) RETURNS integer
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_news record;
  v_some uuid[];
  v_woken uuid[] := '{}';
BEGIN
  FOR v_news IN
    SELECT * FROM unnest(p_tasks, p_queues, p_workers) AS n(task, queue, workers) ORDER BY n.workers DESC
  LOOP
    WITH woken AS (
      UPDATE worker SET waiting_for = NULL
      WHERE id IN (
        SELECT w.id
        FROM worker w
        WHERE w.waiting_for IS NOT NULL
          AND (v_news.task = '*' OR v_news.task = ANY (w.waiting_for))
          AND (v_news.queue = '*' OR v_news.queue = ANY (w.queues))
          AND w.expires_at > clock_timestamp()
        ORDER BY w.id
        LIMIT v_news.workers
        FOR UPDATE)
      RETURNING id
    )
    SELECT array_agg(id) INTO v_some FROM woken;
    v_woken := v_woken || v_some;
  END LOOP;
  PERFORM pg_notify('sluice_${schema}', w::text) FROM unnest(v_woken) AS w;
  RETURN cardinality(v_woken);
END
$$;

-- Wakes one worker that waits for jobs of this task in this queue, with the commit of this transaction. True: the worker's row
-- is locked and no longer says that the worker waits, so no other job counts on that worker, and the worker hears of this
-- job when the job can be seen. False: no row was found. A worker may yet say that it waits after this look, and look for
-- jobs before the commit: neither sees the other then. After false the submitter therefore calls wake when it has committed.
--
-- The row stays locked until the commit, and the worker's renewals wait for it. So this is the last step of a transaction
-- that consists of one statement: no client, frozen or cut off, can keep it open. Rows that other transactions have locked
-- are passed over: nothing waits here. The planner settings are those of the caller (submit_one in 008).
CREATE FUNCTION wake_one(p_task text, p_queue text) RETURNS boolean
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
DECLARE
  v_worker uuid;
BEGIN
  UPDATE worker SET waiting_for = NULL
  WHERE id = (
    SELECT w.id
    FROM worker w
    WHERE p_task = ANY (w.waiting_for) AND p_queue = ANY (w.queues) AND w.expires_at > clock_timestamp()
    ORDER BY w.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED)
  RETURNING id INTO v_worker;
  IF v_worker IS NULL THEN
    RETURN false;
  END IF;
  PERFORM pg_notify('sluice_${schema}', v_worker::text);
  RETURN true;
END
$$;

CREATE FUNCTION wake_all() RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
AS $$
BEGIN
  PERFORM pg_notify('sluice_${schema}', 'all');
END
$$;

-- Has the server plan what an exchange of a limited task runs. The plans belong to the connection: its first such call would
-- make some forty of them, 15 ms, with locks held. All lists are empty, so nothing is found, locked or written. It does
-- not wait for a migration that has the tables.
CREATE FUNCTION warm_up() RETURNS void
LANGUAGE plpgsql
SET search_path = ${schema}, pg_temp
SET lock_timeout = '100ms'
AS $$
BEGIN
  PERFORM promote_due(0);
  PERFORM plan_claim(NULL, 0, '{}', 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
  PERFORM find('{}', '{}', '{}', '{}', '{}');
  PERFORM limits_of('{}');
  PERFORM lock_places('{}', '{}', 0);
  PERFORM choose('{}', 0, '{}', '{}', NULL, NULL, NULL, '{}', '{}');
  PERFORM take_slots(NULL, 0, '{}', '{}', '{}');
  PERFORM hand_over(NULL, 0, '{}', NULL, '{}', '{}');
  PERFORM release_slots(NULL, '{}', '{}', '{}');
END
$$;
