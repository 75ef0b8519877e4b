-- Fairness: which worker gets the next slot of a full group, and which job (decision 21). Limits do not depend on any of it:
-- the admission counts slots against the limit, and what is said here only takes slots off what it would admit.
--
-- A worker that has room and finds a group full stands in line for it: it has an ask. While others are in line, a worker gets
-- jobs under no more slots than its allowance (shares_of), so slots above its share come free with the jobs in them. A slot
-- that is free is offered to the first in line, which is woken. With more workers than slots there are turns.
--
-- Nothing waits here: a row that another transaction has locked is left as it is.

-- A worker's place in the line of a group; or, once it has got what it asked for, its turn.
CREATE TABLE ask (
  worker_id uuid NOT NULL,
  group_name text COLLATE "C" NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  offered_at timestamptz,                     -- since when a slot is left free for it
  turn_ends timestamptz,                      -- not in line any more: it keeps a slot from job to job until then, and gives way
  PRIMARY KEY (worker_id, group_name)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX ask_in_line ON ask (group_name, place) WHERE turn_ends IS NULL;

-- Jobs in several limited groups that were passed over: first in line, with a slot free in one group and none in another.
CREATE TABLE reservation (
  job_id uuid PRIMARY KEY,
  groups text[] COLLATE "C" NOT NULL,         -- of which a slot each is, or will be, kept for it
  since timestamptz NOT NULL DEFAULT clock_timestamp(),     -- when it was first passed over, and ...
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- ... when it last was, as far as is known
  until timestamptz NOT NULL DEFAULT '-infinity',           -- until when slots are kept
  rests_until timestamptz NOT NULL DEFAULT '-infinity',     -- until when none of these groups is kept for any job again
  times integer NOT NULL DEFAULT 0                          -- how many times slots were kept for it
);

-- How the slots of a group are shared among the workers that hold some and those in line, as one worker has to know it, or
-- none (NULL).
CREATE TYPE group_shares AS (
  mine integer,            -- slots that the worker has
  free integer,            -- slots that nothing has
  share integer,           -- slots that each worker is due, rounded down; 0: they take turns
  workers integer,
  others boolean,          -- whether another worker has slots, or is in line for some
  line uuid[],             -- the others in line that have less than they are due, first come first
  allowance integer        -- under how many slots the worker may have jobs while these are in line
);

CREATE FUNCTION shares_of(p_worker uuid, p_group text, p_limit integer) RETURNS group_shares
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_holders uuid[];
  v_held integer[];
  v_used integer;
  v_permits integer;
  v_line uuid[];
  v_owed integer;          -- slots that the others in line lack
  v_ahead integer;         -- those in line before this worker
  v_own integer;           -- slots that the worker keeps, whatever the others lack
  v_shares group_shares;
BEGIN
  SELECT array_agg(h.worker_id) FILTER (WHERE h.worker_id IS NOT NULL), array_agg(h.slots) FILTER (WHERE h.worker_id IS NOT NULL),
         coalesce(sum(h.slots), 0), coalesce(sum(h.slots) FILTER (WHERE h.worker_id IS NULL), 0)
  INTO v_holders, v_held, v_used, v_permits
  FROM (
    SELECT s.worker_id, count(DISTINCT s.slot)::integer AS slots FROM held_slot s WHERE s.group_name = p_group GROUP BY s.worker_id
  ) h;
  v_line := ARRAY(
    SELECT a.worker_id FROM ask a WHERE a.group_name = p_group AND a.turn_ends IS NULL AND is_fresh(a.offered_at) ORDER BY a.place);
  v_shares.workers := (
    SELECT count(DISTINCT w) FROM unnest(v_holders || v_line || p_worker) AS w);
  v_shares.share := greatest(p_limit - v_permits, 0) / greatest(v_shares.workers, 1);
  v_shares.mine := coalesce(v_held[array_position(v_holders, p_worker)], 0);
  v_shares.free := greatest(p_limit - v_used, 0);
  SELECT array_agg(l.worker ORDER BY l.ord), coalesce(sum(l.lack), 0),
         coalesce(sum(l.lack) FILTER (WHERE l.ord < coalesce(array_position(v_line, p_worker), l.ord + 1)), 0)
  INTO v_shares.line, v_owed, v_ahead
  FROM (
    SELECT w.worker, w.ord, greatest(v_shares.share, 1) - coalesce(v_held[array_position(v_holders, w.worker)], 0) AS lack
    FROM unnest(v_line) WITH ORDINALITY AS w(worker, ord)
    WHERE w.worker IS DISTINCT FROM p_worker
  ) l
  WHERE l.lack > 0;
  v_shares.others := v_owed > 0 OR EXISTS (SELECT FROM unnest(v_holders) AS h WHERE h IS DISTINCT FROM p_worker);
  v_own := CASE WHEN v_shares.share > 0 THEN v_shares.share ELSE (
    SELECT count(*) FROM ask a WHERE a.worker_id = p_worker AND a.group_name = p_group AND a.turn_ends > clock_timestamp()) END;
  v_shares.allowance := CASE
    WHEN v_own = 0 AND v_shares.mine = 0 AND v_owed > 0 THEN greatest(least(v_shares.free - v_ahead, 1), 0)
    ELSE greatest(least(v_own, v_shares.mine + v_shares.free), v_shares.mine + v_shares.free - v_owed)
  END;
  RETURN v_shares;
END
$$;

-- Whether what was offered then, or not yet, still stands. A worker that has not come within three seconds may have died.
CREATE FUNCTION is_fresh(p_offered_at timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE
AS $$ SELECT p_offered_at IS NULL OR p_offered_at > clock_timestamp() - interval '3 seconds' $$;

-- How many more slots of each group the worker may take: NULL as many as there are; below 0, under so many of those it has
-- it gets no more jobs. The caller holds the latches of cold groups, and has the found jobs locked.
CREATE FUNCTION caps_for(p_worker uuid, p_found found, p_groups needed_groups, p_demand demand) RETURNS integer[]
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_caps integer[] := array_fill(NULL::integer, ARRAY[cardinality(p_groups.names)]);
  v_group record;
  v_shares group_shares;
  v_kept reservation;
  v_comes boolean;
BEGIN
  FOR v_group IN
    SELECT g.ord, g.name, g.max
    FROM unnest(p_groups.names, p_groups.kinds, p_groups.limits) WITH ORDINALITY AS g(name, kind, max, ord)
    WHERE g.kind IN ('c', 'h') AND p_groups.allowed[g.ord] > 0
      AND EXISTS (SELECT FROM ask a WHERE a.group_name = g.name AND a.turn_ends IS NULL AND a.worker_id <> p_worker)
  LOOP
    PERFORM drop_void(v_group.name);
    v_shares := shares_of(p_worker, v_group.name, v_group.max);
    IF v_shares.line IS NOT NULL THEN
      v_caps[v_group.ord] := v_shares.allowance - v_shares.mine;
    END IF;
  END LOOP;
  -- One slot is kept; unless the job it is kept for is here, and all its groups have room: it comes first then, and takes that
  -- slot before all that are in line.
  FOR v_kept IN
    SELECT r.* FROM reservation r WHERE r.until > clock_timestamp() AND r.groups && p_groups.names AND is_kept(r)
  LOOP
    v_comes := EXISTS (SELECT FROM job j WHERE j.id = v_kept.job_id AND j.ctid = p_found.tids[1])
      AND have_room(v_kept.groups, p_demand)
      AND NOT EXISTS (
        SELECT FROM unnest(p_groups.names, p_groups.allowed) AS g(name, allowed)
        WHERE g.allowed = 0 AND g.name = ANY (v_kept.groups));
    FOR v_group IN
      SELECT g.ord, g.max - slots_used(g.name) - 1 AS cap
      FROM unnest(p_groups.names, p_groups.kinds, p_groups.limits) WITH ORDINALITY AS g(name, kind, max, ord)
      WHERE g.kind IN ('c', 'h') AND g.name = ANY (v_kept.groups)
    LOOP
      v_caps[v_group.ord] := CASE
        WHEN NOT v_comes THEN least(v_caps[v_group.ord], greatest(v_group.cap, -1))
        WHEN v_caps[v_group.ord] < 1 THEN 1
        ELSE v_caps[v_group.ord] END;
    END LOOP;
  END LOOP;
  RETURN v_caps;
END
$$;

-- If a worker has not come for the slot it was offered, the whole line of the group is void: workers that died together cost
-- the group these seconds once, and the others will ask again.
CREATE FUNCTION drop_void(p_group text) RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  IF EXISTS (SELECT FROM ask a WHERE a.group_name = p_group AND a.turn_ends IS NULL AND NOT is_fresh(a.offered_at)) THEN
    DELETE FROM ask WHERE ctid = ANY (ARRAY(
      SELECT a.ctid FROM ask a WHERE a.group_name = p_group AND a.turn_ends IS NULL FOR UPDATE SKIP LOCKED));
  END IF;
END
$$;

-- Leaves free slots of these groups to the first in line, and wakes them with the commit.
CREATE FUNCTION offer(p_groups text[]) RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_group text;
  v_shares group_shares;
  v_promised bigint;       -- slots that are offered already, or kept for jobs
  v_worker uuid;
BEGIN
  FOR v_group IN
    SELECT DISTINCT a.group_name FROM ask a WHERE a.group_name = ANY (p_groups) AND a.turn_ends IS NULL AND a.offered_at IS NULL
  LOOP
    v_shares := shares_of(NULL, v_group, limit_of(v_group));
    v_promised := (
        SELECT count(*) FROM ask o
        WHERE o.group_name = v_group AND o.turn_ends IS NULL AND o.offered_at IS NOT NULL AND is_fresh(o.offered_at))
      + (SELECT count(*) FROM reservation r WHERE v_group = ANY (r.groups) AND is_kept(r));
    FOR v_worker IN
      UPDATE ask SET offered_at = clock_timestamp()
      WHERE ctid = ANY (ARRAY(
        SELECT a.ctid FROM ask a
        WHERE a.group_name = v_group AND a.turn_ends IS NULL AND a.offered_at IS NULL AND a.worker_id = ANY (v_shares.line)
        ORDER BY a.place
        LIMIT greatest(v_shares.free - v_promised, 0)
        FOR UPDATE SKIP LOCKED))
      RETURNING worker_id
    LOOP
      PERFORM pg_notify('sluice_${schema}', v_worker::text);
    END LOOP;
  END LOOP;
END
$$;

-- Has a worker stand in line for those of these groups of which it has less than it is due; for 16 at most in all.
CREATE FUNCTION ask_for(p_worker uuid, p_groups text[]) RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_own text[] := ARRAY(SELECT a.group_name FROM ask a WHERE a.worker_id = p_worker);
  v_group text;
  v_limit integer;
  v_shares group_shares;
BEGIN
  FOR v_group IN
    SELECT DISTINCT g FROM unnest(p_groups) AS g WHERE g <> ALL (v_own) LIMIT greatest(16 - cardinality(v_own), 0)
  LOOP
    v_limit := limit_of(v_group);
    v_shares := shares_of(p_worker, v_group, v_limit);
    IF v_limit > 0 AND v_shares.mine < greatest(v_shares.share, 1) AND v_shares.others THEN
      INSERT INTO ask (worker_id, group_name) VALUES (p_worker, v_group) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
END
$$;

-- Brings a worker's asks up to date after its claim: what is met, or of no use to it, ends. It has no use for an offer if it was
-- there before the claim, which found no job at all. All its asks end when nothing keeps jobs from it any more. Returns the
-- groups of which it was offered a slot and leaves it: the slot is for the next in line.
CREATE FUNCTION settle_asks(p_worker uuid, p_demand demand, p_claim claim, p_offered text[]) RETURNS text[]
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_ask record;
  v_shares group_shares;
  v_left text[];
  v_found boolean := coalesce(cardinality(p_claim.jobs), 0) > 0 OR coalesce(p_claim.more, false)
    OR coalesce(cardinality(p_claim.full_groups || p_claim.capped), 0) > 0;
  v_idle boolean := p_demand.jobs = 0 OR (p_demand.tell AND NOT v_found);
BEGIN
  FOR v_ask IN
    SELECT a.ctid AS tid, a.group_name, a.offered_at, a.turn_ends, limit_of(a.group_name) AS max
    FROM ask a
    WHERE a.worker_id = p_worker AND (
      a.turn_ends <= clock_timestamp() OR (a.turn_ends IS NULL AND (a.offered_at IS NOT NULL OR p_demand.tell OR v_idle)))
    FOR UPDATE SKIP LOCKED
  LOOP
    v_shares := shares_of(p_worker, v_ask.group_name, v_ask.max);
    IF v_ask.turn_ends IS NOT NULL THEN
      -- A worker that gives way stands in line again at once: one with many tasks would else come later than others each time.
      IF v_idle OR coalesce(v_ask.max, 0) = 0 OR v_shares.line IS NULL OR v_shares.share > 0 THEN
        DELETE FROM ask WHERE ctid = v_ask.tid;
      ELSIF v_shares.mine = 0 THEN
        UPDATE ask SET turn_ends = NULL, place = DEFAULT WHERE ctid = v_ask.tid;
      END IF;
    ELSIF v_shares.mine >= greatest(v_shares.share, 1) THEN
      -- Met. There may be fewer workers than slots just now; should that change, this one has only begun.
      UPDATE ask SET offered_at = NULL, turn_ends = clock_timestamp() + turn(v_ask.max, v_shares.workers) WHERE ctid = v_ask.tid;
    ELSIF v_idle OR v_ask.max IS NULL OR (NOT v_found AND v_shares.free > 0 AND v_ask.group_name = ANY (p_offered)) THEN
      DELETE FROM ask WHERE ctid = v_ask.tid;
      IF v_ask.offered_at IS NOT NULL AND v_shares.free > 0 THEN
        v_left := v_left || v_ask.group_name;
      END IF;
    ELSIF v_ask.offered_at IS NOT NULL AND v_shares.free = 0 THEN
      UPDATE ask SET offered_at = NULL WHERE ctid = v_ask.tid;
    END IF;
  END LOOP;
  RETURN v_left;
END
$$;

-- How long a worker keeps a slot while there are more workers than slots: each has had its turn after about two seconds.
CREATE FUNCTION turn(p_slots integer, p_workers integer) RETURNS interval
LANGUAGE sql IMMUTABLE
AS $$ SELECT greatest(least(2.0 * p_slots / p_workers, 1), 0.5) * interval '1 second' $$;

-- The last step of an exchange: what the worker did not get it asks for, and what it leaves is offered to others. p_freed has
-- the groups of which slots came free, p_offered those of which the worker was offered slots before its claim. Of use only if
-- there are asks, or the claim is to tell what kept jobs away.
CREATE FUNCTION settle(p_worker uuid, p_demand demand, p_claim claim, p_freed text[], p_offered text[]) RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_own boolean := EXISTS (SELECT FROM ask a WHERE a.worker_id = p_worker);
  v_left text[];
BEGIN
  IF v_own AND NOT p_claim.stale THEN
    v_left := settle_asks(p_worker, p_demand, p_claim, p_offered);
  END IF;
  -- A worker that is refused for the sake of others stands in line at once, one that finds a group full once in a while.
  IF p_demand.tell AND NOT p_claim.stale AND p_claim.more IS NOT TRUE
      AND coalesce(cardinality(p_claim.jobs), 0) < p_demand.jobs THEN
    PERFORM ask_for(p_worker, p_claim.full_groups || p_claim.capped);
  ELSIF p_claim.capped IS NOT NULL THEN
    PERFORM ask_for(p_worker, p_claim.capped);
  END IF;
  IF p_demand.tell THEN
    PERFORM forget_reservations();
  END IF;
  IF EXISTS (SELECT FROM ask a WHERE a.turn_ends IS NULL) THEN
    PERFORM offer(p_freed || p_claim.capped || v_left);
  END IF;
  -- A worker that was refused for the sake of this one does not know that it may go on.
  IF EXISTS (SELECT FROM unnest(v_left) AS l WHERE NOT EXISTS (SELECT FROM ask a WHERE a.group_name = l AND a.turn_ends IS NULL)) THEN
    PERFORM wake_all();
  END IF;
END
$$;

-- Whether slots are kept for a job now: not while one of its groups is held at 0, and not once it is claimed or has ended.
CREATE FUNCTION is_kept(p_reservation reservation) RETURNS boolean
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN p_reservation.until > clock_timestamp()
    AND EXISTS (SELECT FROM job j WHERE j.id = p_reservation.job_id AND j.state = 1)
    AND 0 < ALL (limits_of(p_reservation.groups));
END
$$;

-- Whether each of a job's groups has a slot for this worker: a free one, or one that is lent to it and has room.
CREATE FUNCTION have_room(p_groups text[], p_demand demand) RETURNS boolean
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  RETURN NOT EXISTS (
    SELECT FROM unnest(p_groups) AS g(name)
    WHERE is_full(g.name) AND coalesce(p_demand.spares[array_position(p_demand.spare_groups, g.name)], 0) = 0);
END
$$;

-- The found jobs; before them a job that slots are kept for, if this worker wants it and all its groups have room, locked as
-- they are. Wherever it stands, it need not be among the best.
CREATE FUNCTION kept_first(p_found found, p_demand demand) RETURNS found
LANGUAGE plpgsql
${lookups}
AS $$
DECLARE
  v_kept record;
BEGIN
  SELECT j.ctid AS tid, j.lane, j.task, nullif(j.groups[1], j.task) AS first,
         j.groups[2] IS NOT NULL OR j.limited_group IS NOT NULL AS further
  INTO v_kept
  FROM reservation r
  JOIN job j ON j.id = ANY (ARRAY[r.job_id])
  WHERE r.until > clock_timestamp() AND is_kept(r) AND have_room(r.groups, p_demand) AND p_demand.rooms ? j.task
    AND j.state = 1 AND j.queue = ANY (p_demand.queues) AND NOT EXISTS (SELECT FROM queue q WHERE q.name = j.queue AND q.paused)
  LIMIT 1
  FOR UPDATE OF j SKIP LOCKED;
  IF FOUND THEN
    IF v_kept.lane NOT IN ('', '*', v_kept.task) THEN
      -- Called back here and now, so that nothing else calls it back and moves it in the table.
      UPDATE job SET lane = home_lane(task, groups, limited_group) WHERE ctid = v_kept.tid
      RETURNING ctid, lane INTO v_kept.tid, v_kept.lane;
    END IF;
    SELECT v_kept.tid || array_agg(f.tid ORDER BY f.ord), v_kept.lane || array_agg(f.lane ORDER BY f.ord),
           v_kept.task || array_agg(f.task ORDER BY f.ord), v_kept.first || array_agg(f.first ORDER BY f.ord),
           NULL, v_kept.further OR p_found.further
    INTO p_found
    FROM (
      SELECT * FROM unnest(p_found.tids, p_found.lanes, p_found.tasks, p_found.firsts)
        WITH ORDINALITY AS o(tid, lane, task, first, ord)
      WHERE o.tid <> v_kept.tid
      ORDER BY ord
      LIMIT p_demand.jobs - 1
    ) f;
  END IF;
  RETURN p_found;
END
$$;

-- Takes down the first of the found jobs that one of its groups would admit, and another, which is full, does not. If that has
-- been so for five seconds, slots of all its groups are kept for it for ten; then these groups rest. The caller has the job
-- locked, so no other transaction takes it down.
CREATE FUNCTION note_passed_over(p_found found, p_needs needs, p_groups needed_groups, p_full text[]) RETURNS void
LANGUAGE plpgsql
${lists}
AS $$
DECLARE
  v_ord integer;
  v_groups text[];
  v_id uuid;
  v_now timestamptz := clock_timestamp();
BEGIN
  -- A task's own group is not kept besides one of its keys: a slot of the key comes free together with one of the task.
  SELECT c.ord, c.groups INTO v_ord, v_groups
  FROM (
    SELECT n.ord, ARRAY(
      SELECT g FROM unnest(array_agg(p_groups.names[n.g]) FILTER (WHERE p_groups.kinds[n.g] IN ('c', 'h'))) AS g
      WHERE NOT EXISTS (
        SELECT FROM unnest(array_agg(p_groups.names[n.g])) AS k WHERE is_keyed(k) AND split_part(k, '/', 1) = g)
      ORDER BY 1) AS groups
    FROM unnest(p_needs.ords, p_needs.gs) AS n(ord, g)
    GROUP BY n.ord
    HAVING count(*) > 1 AND NOT bool_or(p_groups.kinds[n.g] = 'r' AND p_groups.allowed[n.g] = 0)
  ) c
  WHERE cardinality(c.groups) > 1 AND c.groups && p_full
    AND EXISTS (
      SELECT FROM unnest(p_groups.names, p_groups.allowed) AS a(name, allowed) WHERE a.allowed > 0 AND a.name = ANY (c.groups))
  ORDER BY c.ord
  LIMIT 1;
  IF v_ord IS NULL THEN
    RETURN;
  END IF;
  SELECT j.id INTO v_id FROM job j WHERE j.ctid = p_found.tids[v_ord];
  INSERT INTO reservation (job_id, groups) VALUES (v_id, v_groups) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM reservation r WHERE r.job_id = v_id FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE reservation r SET
    since = CASE WHEN r.seen_at < v_now - interval '10 seconds' THEN v_now ELSE r.since END,
    seen_at = v_now
  WHERE r.job_id = v_id AND r.seen_at < v_now - interval '0.5 seconds';
  UPDATE reservation r SET
    groups = v_groups,
    until = v_now + interval '10 seconds',
    rests_until = v_now + interval '10 seconds' + least(15 * 2 ^ r.times, 60) * interval '1 second',
    times = r.times + 1
  WHERE r.job_id = v_id AND r.since < v_now - interval '5 seconds' AND r.rests_until < v_now AND 0 < ALL (limits_of(v_groups))
    AND NOT EXISTS (SELECT FROM reservation o WHERE o.groups && v_groups AND o.rests_until > v_now);
END
$$;

-- Forgets jobs that are not passed over any more.
CREATE FUNCTION forget_reservations() RETURNS void
LANGUAGE plpgsql
${lookups}
AS $$
BEGIN
  IF EXISTS (SELECT FROM reservation) THEN
    DELETE FROM reservation WHERE ctid = ANY (ARRAY(
      SELECT r.ctid FROM reservation r
      WHERE greatest(r.seen_at, r.rests_until) < clock_timestamp() - interval '10 seconds'
         OR NOT EXISTS (SELECT FROM job j WHERE j.id = r.job_id AND j.state < 2)
      FOR UPDATE SKIP LOCKED));
  END IF;
END
$$;
