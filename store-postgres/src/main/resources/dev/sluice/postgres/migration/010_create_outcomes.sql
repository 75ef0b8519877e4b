-- Outcomes: how attempts end, and what becomes of their jobs. An outcome under an old token changes nothing.

-- Moves those of these jobs from job to finished_job that end: 3 succeeded, 4 failed, 5 cancelled. Says which, and the groups in which they
-- may have named slots, each once for every job. With tokens, only jobs that p_worker still has under these tokens are moved.
CREATE FUNCTION bury(
  p_ids uuid[], p_states smallint[], p_ran_ms bigint[], p_results text[], p_failures jsonb[],
  p_worker uuid DEFAULT NULL, p_tokens bigint[] DEFAULT NULL, OUT ids uuid[], OUT groups text[])
${lookups} AS $$
#variable_conflict use_column
BEGIN
  WITH gone AS (
    DELETE FROM job
    USING (
      SELECT *
      FROM unnest(p_ids, p_states, p_ran_ms, p_results, p_failures, p_tokens)
        AS given(id, end_state, ran_ms, result, failure, token)
      WHERE end_state > 2
      ORDER BY id                                 -- one order for all, so that no two wait for each other
    ) o
    WHERE job.id = ANY (ARRAY[o.id])
      AND (p_tokens IS NULL OR (job.token = o.token AND job.worker_id = p_worker AND job.state = 2))
    RETURNING job.*, o.end_state, o.ran_ms, o.result AS end_result, o.failure,
              -- an attempt whose start was never reported counts all the same
              job.attempt + (job.state = 2 AND job.started_at IS NULL AND o.ran_ms IS NOT NULL)::integer AS attempts
  ), kept AS (
    INSERT INTO finished_job (
      id, task, queue, state, priority, run_at, groups, limited_group, submit_limit, attempt, token, worker_id,
      started_at, finished_at, dedupe_key, run_id, timeout_ms, submitted_at, payload, result, failures, progress,
      held_back_by, trace)
    SELECT
      id, task, queue, end_state, priority, run_at, groups, limited_group, submit_limit,
      attempts, token, worker_id,
      coalesce(started_at, clock_timestamp() - ran_ms * interval '1 millisecond'),
      clock_timestamp(), dedupe_key, run_id, timeout_ms, submitted_at, payload,
      CASE WHEN end_state = 3 THEN end_result::json END,
      CASE WHEN failure IS NULL THEN failures ELSE with_failure(failures, attempts, failure) END, progress,
      held_back_by, trace
    FROM gone
  )
  SELECT array_agg(g.id),
         array_agg(g.groups[1]) FILTER (WHERE g.groups[1] IS NOT NULL)
           || array_agg(g.task) FILTER (WHERE g.slots[1] IS NOT NULL)
           || (SELECT array_agg(f.name) FROM gone o CROSS JOIN LATERAL unnest(o.groups[2:]) AS f(name)
               WHERE o.groups[2] IS NOT NULL)
  INTO ids, groups
  FROM gone g;
END
$$;

-- Moves jobs out of the way that were asked to stop. One whose end the table does not take (a constraint or a trigger of its
-- own is against it) stays where it is: whatever else the caller does must not depend on it.
CREATE FUNCTION bury_cancelled(p_ids uuid[]) RETURNS void
${plpgsql} AS $$
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
LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN jsonb_array_length(p_failures) >= 20 THEN p_failures - 0 ELSE p_failures END
    || (p_failure || jsonb_build_object('attempt', p_attempt, 'at', clock_timestamp()))
$$;

-- What a worker reports: how attempts ended, which jobs have started, what they say of their progress, which lent slots it
-- gives back, and for which groups jobs are to be called back that other claims had locked.
--
-- Verdicts: -1 refiled (its result is the groups it is in from now on, joined by newlines), 0 retry, 1 snoozed, 2 handed
-- back, 3 succeeded, 4 failed, 5 cancelled.
CREATE TYPE report AS (
  ids uuid[],
  tokens bigint[],
  verdicts smallint[],
  delays_ms bigint[],
  ran_ms bigint[],
  results text[],
  failures jsonb[],
  started uuid[],
  progress_ids uuid[],
  progress text[],
  slot_groups text[],
  slots integer[],
  slot_tokens bigint[],
  left_behind text[]
);

-- Records how attempts of a worker ended; says which were not its own any more, which are on record as cancelled, and the
-- groups of jobs that are finished or leave them. An outcome under an old token changes nothing. Jobs that come back (-1 to 2) are locked
-- here, and put back in line by put_back.
CREATE FUNCTION finish(
  p_worker uuid, p_report report, OUT refused uuid[], OUT cancelled uuid[], OUT groups text[])
${lookups} AS $$
#variable_conflict use_column
DECLARE
  v_own report;            -- of it, the outcomes of jobs that are still the worker's own
BEGIN
  IF cardinality(p_report.ids) = 0 THEN
    RETURN;
  ELSIF 3 = ALL (p_report.verdicts) THEN
    -- Successes alone, as nearly always: nothing to decide, so they go in one statement.
    SELECT b.ids, b.groups INTO v_own.ids, groups
    FROM bury(p_report.ids, p_report.verdicts, p_report.ran_ms, p_report.results, p_report.failures, p_worker, p_report.tokens) b;
    IF coalesce(cardinality(v_own.ids), 0) < cardinality(p_report.ids) THEN
      refused := ARRAY(SELECT unnest(p_report.ids) EXCEPT SELECT unnest(v_own.ids));
    END IF;
    RETURN;
  END IF;

  -- A job that was asked to stop does not come back: whatever its attempt says, short of success, it is cancelled.
  SELECT array_agg(l.id), array_agg(l.verdict), array_agg(l.ran_ms), array_agg(l.result), array_agg(l.failure)
  INTO v_own.ids, v_own.verdicts, v_own.ran_ms, v_own.results, v_own.failures
  FROM (
    SELECT j.id, o.ran_ms, o.result, o.failure,
           CASE WHEN j.cancel_requested AND o.verdict < 3 THEN 5::smallint ELSE o.verdict END AS verdict
    FROM (
      SELECT *
      FROM unnest(p_report.ids, p_report.tokens, p_report.verdicts, p_report.ran_ms, p_report.results, p_report.failures)
        AS given(id, token, verdict, ran_ms, result, failure)
      ORDER BY id
    ) o
    CROSS JOIN LATERAL (
      SELECT k.id, k.cancel_requested
      FROM job k
      WHERE k.id = o.id AND k.token = o.token AND k.worker_id = p_worker AND k.state = 2
      FOR UPDATE
    ) j
  ) l;
  refused := ARRAY(SELECT unnest(p_report.ids) EXCEPT SELECT unnest(v_own.ids));
  cancelled := ARRAY(SELECT o.id FROM unnest(v_own.ids, v_own.verdicts) AS o(id, verdict) WHERE o.verdict = 5);
  IF v_own.ids IS NULL THEN
    RETURN;
  END IF;

  IF 3 <= ANY (v_own.verdicts) THEN
    SELECT b.groups INTO groups FROM bury(v_own.ids, v_own.verdicts, v_own.ran_ms, v_own.results, v_own.failures) b;
  END IF;

  IF -1 = ANY (v_own.verdicts) THEN
    PERFORM note_further_groups();
    groups := groups || ARRAY(
      SELECT unnest(j.task || j.groups)
      FROM unnest(v_own.ids, v_own.verdicts) AS v(id, verdict)
      JOIN job j ON j.id = ANY (ARRAY[v.id])
      WHERE v.verdict = -1);
    UPDATE job j SET
      groups = o.groups,
      slots = NULL,
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
END
$$;

-- Puts jobs back in line whose attempts a worker reported as ended for now: the verdicts below 3 that finish has accepted
-- in this transaction. An exchange does so after its claim, so that no exchange gives a worker a job that it ends. Returns
-- the groups in which the jobs may have named slots.
CREATE FUNCTION put_back(p_worker uuid, p_report report) RETURNS text[]
${lookups} AS $$
DECLARE
  v_groups text[];
BEGIN
  WITH back AS (
    UPDATE job j SET
      state = CASE WHEN o.delay_ms > 0 THEN 0 ELSE 1 END,
      lane = home_lane(j.task),
      shard = shard_of(j.groups),
      run_at = CASE WHEN o.verdict IN (-1, 2) THEN j.run_at ELSE clock_timestamp() + o.delay_ms * interval '1 millisecond' END,
      -- A retry counts its attempt, even one whose start was never reported; other returns undo what was counted.
      attempt = j.attempt + CASE
        WHEN o.verdict = 0 THEN (j.started_at IS NULL)::integer
        ELSE - (j.started_at IS NOT NULL)::integer
      END,
      failures = CASE WHEN o.verdict = 0
        THEN with_failure(j.failures, j.attempt + (j.started_at IS NULL)::integer, o.failure) ELSE j.failures END,
      worker_id = CASE WHEN o.verdict = 0 THEN j.worker_id END,
      slots = NULL,
      started_at = CASE WHEN o.verdict = 0
        THEN coalesce(j.started_at, clock_timestamp() - o.ran_ms * interval '1 millisecond') END
    FROM unnest(p_report.ids, p_report.tokens, p_report.verdicts, p_report.delays_ms, p_report.ran_ms, p_report.failures)
      AS o(id, token, verdict, delay_ms, ran_ms, failure)
    WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND j.worker_id = p_worker AND j.state = 2 AND o.verdict < 3
    RETURNING j.task, j.groups
  )
  SELECT array_agg(g.name) INTO v_groups FROM back b CROSS JOIN LATERAL unnest(b.task || b.groups) AS g(name);
  RETURN v_groups;
END
$$;
