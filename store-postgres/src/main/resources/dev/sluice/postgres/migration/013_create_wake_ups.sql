-- Wake-ups: what tells a worker that there is something to do.

-- Wakes workers that found too little to do, for news of some kinds: jobs of a task in a queue ('*' = any), and how many
-- workers that is worth at most. Called after the commit of whatever gave them something to do: a worker first says what
-- it is waiting for, then looks once more, and only then sleeps; so either its last look sees the news, or this sees it
-- waiting.
CREATE FUNCTION wake(p_tasks text[], p_queues text[], p_workers integer[]) RETURNS void
${plpgsql} AS $$
DECLARE
  -- In one order for all calls, whatever their news, and no others after them: none waits for another in a circle. A worker that begins to
  -- wait after this sees the news with its last look.
  v_waiting uuid[] := ARRAY(
    SELECT w.id FROM worker w WHERE w.waiting_for IS NOT NULL AND w.expires_at > clock_timestamp() ORDER BY w.id FOR NO KEY UPDATE);
  v_news record;
  v_worker uuid;
BEGIN
  FOR v_news IN SELECT * FROM unnest(p_tasks, p_queues, p_workers) AS n(task, queue, workers) ORDER BY n.workers DESC LOOP
    FOR v_worker IN
      UPDATE worker SET waiting_for = NULL
      WHERE id IN (
        SELECT w.id
        FROM worker w
        WHERE w.id = ANY (v_waiting) AND w.waiting_for IS NOT NULL
          AND (v_news.task = '*' OR v_news.task = ANY (w.waiting_for))
          AND (v_news.queue = '*' OR v_news.queue = ANY (w.queues))
        ORDER BY w.id
        LIMIT v_news.workers)
      RETURNING id
    LOOP
      PERFORM pg_notify('sluice_${schema}', v_worker::text);
    END LOOP;
  END LOOP;
END
$$;

-- Wakes one worker that waits for jobs of this task in this queue, with the commit of this transaction. True: the worker's row
-- is locked and no longer says that the worker waits, so no other job counts on that worker, and the worker hears of this
-- job when the job can be seen. False: no row was found. A worker may yet say that it waits after this look, and look for
-- jobs before the commit: neither sees the other then. After false the submitter therefore calls wake when it has committed.
--
-- The row stays locked until the commit, and the worker's renewals wait for it. So this is the last step of a transaction
-- that consists of one statement: no client, frozen or cut off, can keep it open. Rows that other transactions have locked
-- are passed over: nothing waits here. The planner settings are those of the caller (submit_one).
CREATE FUNCTION wake_one(p_task text, p_queue text) RETURNS boolean
${plpgsql} AS $$
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
${sql} AS $$ SELECT pg_notify('sluice_${schema}', 'all') $$;

-- Has the server plan what an exchange of a limited task runs. The plans belong to the connection: its first such call would
-- make some forty of them, 15 ms, with locks held. All lists are empty, so nothing is found, locked or written. It does
-- not wait for a migration that has the tables.
CREATE FUNCTION warm_up() RETURNS void
${plpgsql} SET lock_timeout = '100ms' AS $$
DECLARE
  v_demand demand := (0, '{}', 0, '{}', false, 0, '{}', '{}', '{}', '{}', false, false, 0, false, '{}', '{}', '{}', '{}')::demand;
  v_found found := ('{}', '{}', '{}', '{}', '{}', true, true)::found;
  v_needs needs := (NULL, NULL, '{}', '{}', '{}', '{}', '{}')::needs;
BEGIN
  PERFORM promote_due(0);
  PERFORM lines_of(v_demand, '{}', NULL);
  PERFORM find('{}', '{}', '{}');
  PERFORM needs_of(v_found, v_demand);
  PERFORM rooms_of(v_found, v_needs, v_demand);
  PERFORM limits_of('{}');
  PERFORM latched(v_needs, '{}'), numbered_among('{}', '{}');
  PERFORM looked(NULL, '{}', '{}', v_needs, '{}');
  PERFORM admit_cold('{}');
  PERFORM choose(v_found, v_needs, '{}');
  PERFORM with_refusals(NULL, '{}');
  PERFORM lock_places('{}', '{}', 0);
  PERFORM lend_for(v_found, '{}', v_needs, '{}', v_demand, NULL);
  PERFORM take_slots(NULL, '{}', '{}', '{}');
  PERFORM free_slots('{}', '{}', '{}');
  PERFORM bury('{}', '{}', '{}', '{}', '{}', NULL, '{}');
END
$$;
