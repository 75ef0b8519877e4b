-- The exchange: everything that a worker and the store have to tell each other in one round trip, in one transaction.
--
-- Outcomes come first, so that what they free can be claimed; jobs that come back are put in line after the claim, so that no
-- exchange gives a worker a job that it ends.

-- The lock of a worker. A call that its worker has given up may still be on its way, and be carried out by the server at
-- any later time. Nothing tells such a call from a current one but the worker's epoch: each reconcile raises it, and an
-- exchange names the one it belongs to, as a declaration does. All hold this lock until the commit, or the rules lock
-- exclusively, and look at the epoch under it. So a
-- reconcile waits for an exchange that is under way, and sees what it did; an exchange that gets the lock after the
-- reconcile is refused; and a reconcile that another has overtaken is refused too. What ends a worker's standing holds
-- the rules lock, and deletes its row. Renewals take no part in it: none waits for an exchange.
CREATE FUNCTION worker_lock(p_worker uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended('${schema}/worker/' || p_worker, 0) $$;

-- The answer of an exchange: a row for each claimed job, best first, and one that has the news and nothing else.
--
-- News, each only where there is any: lost (the lease), late (the exchange is of another epoch, and nothing was changed),
-- stale (limits have changed, and nothing was claimed), refused and cancelled (outcomes, by id), gates (groups in which the
-- jobs run under slots that are lent to the worker), lent (slots: group, number) and their token,
-- proposed (limits to be set, by group), unwanted (tasks to be given lanes), contended (groups to be made hot), full (groups
-- that kept jobs away), shared (groups with freed slots that jobs of any task may be waiting for), left_behind (groups of
-- which jobs are to be called back), ends (where the claim ended, as values of place_in_line), more (there may be more to
-- find at once), due_ms (until the next scheduled job is due).
CREATE TYPE answer AS (
  news jsonb,
  id uuid,
  token bigint,
  task text,
  attempt integer,
  counted boolean,         -- the attempt is counted as started
  timeout_ms bigint,
  first_group text,        -- besides the task's own
  own_slot integer,        -- that it names in its task's group, ...
  first_slot integer,      -- ... and in that one
  groups text[],           -- all besides the task's own, if there are several, ...
  slots integer[],         -- ... and all its slots: see job.slots. Lists take both sides longer than the rest of the row
  refiled boolean,
  payload text,
  trace text,
  waited_ms integer
);

-- A row of news.
CREATE FUNCTION news_row(p_news jsonb) RETURNS answer
IMMUTABLE ${sql} AS $$ SELECT (p_news, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::answer $$;

-- How many milliseconds it is until the next scheduled job is due.
CREATE FUNCTION ms_until_due() RETURNS integer
STABLE ${sql} AS $$
  SELECT least(greatest(date_part('epoch', run_at - clock_timestamp()) * 1000, 0), 86400000)::integer
  FROM job WHERE state = 0 ORDER BY run_at LIMIT 1
$$;

-- A token above all that were given out, and above this one. See raise_tokens, in the slots.
CREATE FUNCTION next_token(p_above bigint) RETURNS bigint
${plpgsql} AS $$
DECLARE
  v_token bigint := nextval('token');
BEGIN
  IF v_token <= p_above THEN
    PERFORM raise_tokens(p_above);
    v_token := nextval('token');
  END IF;
  RETURN v_token;
END
$$;

-- Takes down what a worker says about jobs that go on.
CREATE FUNCTION note_progress(p_worker uuid, p_report report) RETURNS void
${lookups} AS $$
BEGIN
  IF cardinality(p_report.started) > 0 THEN
    UPDATE job SET attempt = attempt + 1, started_at = clock_timestamp()
    WHERE id = ANY (p_report.started) AND worker_id = p_worker AND state = 2 AND started_at IS NULL;
  END IF;
  IF cardinality(p_report.progress_ids) > 0 THEN
    UPDATE job SET progress = p.note
    FROM unnest(p_report.progress_ids, p_report.progress) AS p(id, note)
    WHERE job.id = ANY (ARRAY[p.id]) AND job.worker_id = p_worker AND job.state = 2;
  END IF;
END
$$;

-- Lends a worker slots at these places, which are locked; says which: group, number.
CREATE FUNCTION lend(p_worker uuid, p_token bigint, p_places places) RETURNS jsonb
${lookups} AS $$
DECLARE
  v_lease slot;            -- what is on record for them
BEGIN
  v_lease.worker_id := p_worker;
  v_lease.token := p_token;
  RETURN (
    SELECT jsonb_agg(jsonb_build_array(t.group_name, t.slot))
    FROM take_slots(v_lease, p_places.names, p_places.ns, p_places.counts) t);
END
$$;

-- Those of the plain ones of these groups that ready jobs of any task are in, besides the group's own task.
CREATE FUNCTION shared_among(p_groups text[]) RETURNS text[]
STABLE ${lookups} AS $$
DECLARE
  v_plain text[] := ARRAY(SELECT DISTINCT n FROM unnest(p_groups) AS n WHERE NOT is_keyed(n));
BEGIN
  IF v_plain = '{}' OR NOT (SELECT g.is_called FROM further_groups g) THEN
    RETURN NULL;
  END IF;
  RETURN ARRAY(
    SELECT g FROM unnest(v_plain) AS g
    WHERE (SELECT true FROM job_in_group j WHERE j.group_name = g AND j.state = 1 LIMIT 1));   -- with EXISTS, it would read all of them
END
$$;

-- Everything a worker and the store have to tell each other in one round trip: see dev.sluice.spi.WorkerSession.
CREATE FUNCTION exchange(p_worker uuid, p_epoch bigint, p_report report, p_demand demand)
RETURNS SETOF answer
${lookups} AS $$
#variable_conflict use_column
DECLARE
  v_epoch bigint;
  v_ended record;
  v_freed text[];
  v_left_behind text[];
  v_claim claim;
  v_token bigint;
  v_lent jsonb;
  v_stale boolean;
BEGIN
  -- First of all, before any row is locked: what holds the rules lock exclusively goes on to lock rows.
  PERFORM pg_advisory_xact_lock_shared(rules_lock()), pg_advisory_xact_lock(worker_lock(p_worker));
  SELECT w.epoch INTO v_epoch FROM worker w WHERE w.id = p_worker AND w.expires_at > clock_timestamp();
  IF v_epoch IS DISTINCT FROM p_epoch THEN
    RETURN NEXT news_row(jsonb_build_object(CASE WHEN v_epoch IS NULL THEN 'lost' ELSE 'late' END, true));
    RETURN;
  END IF;
  p_demand := completed(p_worker, p_demand);
  PERFORM note_progress(p_worker, p_report);
  SELECT * INTO v_ended FROM finish(p_worker, p_report);
  v_freed := v_ended.groups;
  IF cardinality(p_report.slots) > 0 THEN
    v_freed := v_freed || free_slots(p_report.slot_groups, p_report.slots, p_report.slot_tokens);
  END IF;
  v_freed := v_freed || p_report.left_behind;
  IF cardinality(v_freed) > 0
      AND EXISTS (SELECT FROM job WHERE state = 1 AND lane <> '' AND lane <> task) THEN
    v_left_behind := call_back_all(v_freed, p_demand.depths, p_demand.depth);
  END IF;

  v_stale := (SELECT rules_version FROM meta) <> p_demand.rules;
  IF p_demand.jobs > 0 AND NOT v_stale THEN
    v_token := next_token(p_demand.highest_token);
    v_claim := claim(p_worker, p_demand);
    v_stale := coalesce(v_claim.stale, false);
    v_lent := CASE WHEN (v_claim.lend).names IS NOT NULL THEN lend(p_worker, v_token, v_claim.lend) END;
    RETURN QUERY
    UPDATE job SET
      state = 2,
      worker_id = p_worker,
      token = v_token,
      slots = c.slots,
      attempt = job.attempt + (depth_of(job.task, p_demand.depths, p_demand.depth) = 0)::integer,
      started_at = CASE WHEN depth_of(job.task, p_demand.depths, p_demand.depth) = 0 THEN clock_timestamp() END,
      -- A job that is claimed as soon as it is due was kept waiting by no group.
      held_back_by = CASE
        WHEN v_claim.full_until IS NOT NULL AND job.run_at < (v_claim.full_until ->> job.task)::timestamptz
          AND job.run_at < clock_timestamp() - interval '50 milliseconds'
        THEN job.task ELSE job.held_back_by END
    FROM unnest(v_claim.jobs) AS c
    WHERE job.ctid = c.tid
    RETURNING NULL::jsonb, job.id, v_token, job.task, job.attempt + (job.started_at IS NULL)::integer,
              job.started_at IS NOT NULL, job.timeout_ms, job.groups[1], job.slots[1], job.slots[2],
              CASE WHEN job.groups[2] IS NOT NULL THEN job.groups END, CASE WHEN job.groups[2] IS NOT NULL THEN job.slots END,
              job.refiled, job.payload::text, job.trace, least(greatest(date_part('epoch', clock_timestamp() - job.run_at) * 1000, 0), 2000000000)::integer;
    -- What kept jobs away, and does so now that the claim has its slots. A worker that is told to look again at once is told
    -- this then. Below saturation most claims are short, and nothing kept anything away: that costs a look at one index.
    IF p_demand.tell AND v_claim.more IS NOT TRUE AND coalesce(cardinality(v_claim.jobs), 0) < p_demand.jobs
        AND (p_demand.limited <> '{}'
          OR EXISTS (SELECT FROM job WHERE state = 1 AND lane <> '' AND lane <> task)) THEN
      v_claim.full_groups := v_claim.full_groups || groups_in_the_way(p_demand);
    END IF;
  END IF;
  IF 3 > ANY (p_report.verdicts) THEN
    v_freed := v_freed || put_back(p_worker, p_report);
    -- After them, in a statement of its own: what set jobs aside has been waited for.
    IF cardinality(v_freed) > 0
        AND EXISTS (SELECT FROM job WHERE state = 1 AND lane <> '' AND lane <> task) THEN
      v_left_behind := call_back_all(v_freed, p_demand.depths, p_demand.depth);
    END IF;
  END IF;
  v_claim.stale := v_stale;
  IF EXISTS (SELECT FROM ask) OR (p_demand.tell AND (
      v_claim.full_groups IS NOT NULL OR v_claim.capped IS NOT NULL OR EXISTS (SELECT FROM reservation))) THEN
    PERFORM settle(p_worker, p_demand, v_claim, v_freed);
  END IF;
  RETURN NEXT news_row(jsonb_strip_nulls(jsonb_build_object(
    'stale', nullif(v_stale, false),
    'refused', v_ended.refused,
    'cancelled', v_ended.cancelled,
    'gates', nullif(v_claim.gates, '{}'),
    'lent', v_lent,
    'token', CASE WHEN v_lent IS NOT NULL THEN v_token END,
    'proposed', (SELECT jsonb_object_agg(p.name, p.max) FROM unnest(v_claim.proposed_groups, v_claim.proposed_limits) AS p(name, max)),
    'unwanted', v_claim.unwanted,
    'contended', v_claim.contended,
    'full', v_claim.full_groups || v_claim.capped,
    'shared', shared_among(v_freed),
    'left_behind', v_left_behind,
    'ends', (SELECT jsonb_agg(e::text) FROM unnest(v_claim.ends) AS e),
    'more', nullif(v_claim.more, false),
    'due_ms', CASE WHEN p_demand.jobs > 0 AND NOT v_stale THEN ms_until_due() END)));
END
$$;
