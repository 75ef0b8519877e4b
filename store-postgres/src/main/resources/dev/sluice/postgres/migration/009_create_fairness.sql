-- Fairness: which worker gets the next slot of a full group, and which job (decision 21). Limits do not depend on any of it:
-- the admission counts slots against the limit, and what is said here only takes slots off what it would admit.
--
-- A worker that has room and finds a group full stands in line for it: it has an ask. While others are in line, a worker gets
-- jobs under no more slots than its allowance (shares_of), so slots above its share come free with the jobs in them. A slot
-- that is free is offered to the first in line, which is woken and claims one of its jobs before others (claim_in_turn). With more
-- workers than slots there are turns.
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
${lookups} AS $$
DECLARE
  v record;
  v_own integer;           -- slots that the worker keeps, whatever the others lack
  v_shares group_shares;
BEGIN
  WITH worker AS (
    SELECT w.id, coalesce(sum(w.slots), 0) AS slots, max(w.place) AS place
    FROM (
      SELECT h.worker_id, count(DISTINCT h.slot), NULL::bigint FROM held_in(p_group) h GROUP BY h.worker_id
      UNION ALL
      SELECT a.worker_id, 0, a.place FROM ask a WHERE a.group_name = p_group AND a.turn_ends IS NULL AND is_fresh(a.offered_at)
      UNION ALL
      SELECT p_worker, 0, NULL WHERE p_worker IS NOT NULL
    ) AS w(id, slots, place)
    GROUP BY w.id                                 -- permits have no worker
  ), share AS (
    SELECT count(id)::integer AS workers, greatest(p_limit - coalesce(sum(slots) FILTER (WHERE id IS NULL), 0), 0)::integer
             / greatest(count(id), 1)::integer AS slots
    FROM worker
  ), line AS (
    SELECT w.id, w.place, greatest(s.slots, 1) - w.slots AS lack, w.place < (SELECT o.place FROM worker o WHERE o.id = p_worker) AS ahead
    FROM worker w, share s
    WHERE w.place IS NOT NULL AND w.id IS DISTINCT FROM p_worker AND greatest(s.slots, 1) > w.slots
  )
  SELECT (SELECT coalesce(max(w.slots), 0)::integer FROM worker w WHERE w.id = p_worker) AS mine,
         (SELECT greatest(p_limit - coalesce(sum(w.slots), 0), 0)::integer FROM worker w) AS free, s.slots AS share, s.workers,
         EXISTS (SELECT FROM worker w WHERE w.id IS DISTINCT FROM p_worker AND w.id IS NOT NULL AND w.slots > 0) AS others,
         (SELECT array_agg(l.id ORDER BY l.place) FROM line l) AS line,
         (SELECT coalesce(sum(l.lack), 0)::integer FROM line l) AS owed,
         (SELECT coalesce(sum(l.lack), 0)::integer FROM line l WHERE l.ahead IS NOT FALSE) AS owed_ahead
  INTO v
  FROM share s;
  v_own := CASE WHEN v.share > 0 THEN v.share ELSE (
    SELECT count(*) FROM ask a WHERE a.worker_id = p_worker AND a.group_name = p_group AND a.turn_ends > clock_timestamp()) END;
  RETURN (v.mine, v.free, v.share, v.workers, v.others OR v.owed > 0, v.line, CASE
    WHEN v_own = 0 AND v.mine = 0 AND v.owed > 0 THEN greatest(least(v.free - v.owed_ahead, 1), 0)
    ELSE greatest(least(v_own, v.mine + v.free), v.mine + v.free - v.owed) END)::group_shares;
END
$$;

-- Whether what was offered then, or not yet, still stands. A worker that has not come within three seconds may have died.
CREATE FUNCTION is_fresh(p_offered_at timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE AS $$ SELECT p_offered_at IS NULL OR p_offered_at > clock_timestamp() - interval '3 seconds' $$;

-- How many more slots of each group the worker may take: NULL as many as there are; below 0, under so many of those it has
-- it gets no more jobs. The caller holds the latches of cold groups, and has the found jobs locked.
CREATE FUNCTION with_caps(p_worker uuid, p_found found, p_rooms room[], p_demand demand) RETURNS room[]
${lookups} AS $$
DECLARE
  v_room room;
  v_shares group_shares;
  v_kept reservation;
  v_comes boolean;
BEGIN
  FOR i IN 1 .. cardinality(p_rooms) LOOP
    v_room := p_rooms[i];
    IF v_room.kind IN ('c', 'h') AND v_room.sure AND v_room.max > 0 AND EXISTS (
        SELECT FROM ask a WHERE a.group_name = v_room.name AND a.turn_ends IS NULL AND a.worker_id <> p_worker) THEN
      -- If a worker has not come for the slot it was offered, the whole line of the group is void: workers that died together cost
      -- the group these seconds once, and the others will ask again.
      DELETE FROM ask WHERE ctid = ANY (ARRAY(
        SELECT a.ctid FROM ask a
        WHERE a.group_name = v_room.name AND a.turn_ends IS NULL AND EXISTS (
          SELECT FROM ask o WHERE o.group_name = v_room.name AND o.turn_ends IS NULL AND NOT is_fresh(o.offered_at))
        FOR UPDATE SKIP LOCKED));
      v_shares := shares_of(p_worker, v_room.name, v_room.max);
      IF v_shares.line IS NOT NULL THEN
        p_rooms[i].cap := v_shares.allowance - v_shares.mine;
      END IF;
    END IF;
  END LOOP;
  -- One slot is kept; unless the job it is kept for is here, and all its groups have room: it comes first then, and takes that
  -- slot before all that are in line.
  FOR v_kept IN SELECT r.* FROM reservation r WHERE r.until > clock_timestamp() AND is_kept(r) LOOP
    v_comes := EXISTS (SELECT FROM job j WHERE j.id = v_kept.job_id AND j.ctid = p_found.tids[1])
      AND have_room(v_kept.groups, p_demand)
      AND NOT EXISTS (SELECT FROM unnest(p_rooms) AS g WHERE NOT (g.sure AND g.max > 0) AND g.name = ANY (v_kept.groups));
    FOR i IN 1 .. cardinality(p_rooms) LOOP
      v_room := p_rooms[i];
      IF v_room.kind IN ('c', 'h') AND v_room.name = ANY (v_kept.groups) THEN
        p_rooms[i].cap := CASE
          WHEN NOT v_comes THEN least(v_room.cap, greatest(v_room.max - slots_used(v_room.name) - 1, -1))
          WHEN v_room.cap < 1 THEN 1
          ELSE v_room.cap END;
      END IF;
    END LOOP;
  END LOOP;
  RETURN p_rooms;
END
$$;

-- Leaves free slots of these groups to the first in line, and wakes them with the commit.
CREATE FUNCTION offer(p_groups text[]) RETURNS void
${lookups} AS $$
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
${lookups} AS $$
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
CREATE FUNCTION settle_asks(p_worker uuid, p_demand demand, p_claim claim) RETURNS text[]
${lookups} AS $$
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
      -- Met. There may be fewer workers than slots just now; should that change, this one has only begun: each has had its turn
      -- after about two seconds.
      UPDATE ask SET
        offered_at = NULL,
        turn_ends = clock_timestamp() + greatest(least(2.0 * v_ask.max / v_shares.workers, 1), 0.5) * interval '1 second'
      WHERE ctid = v_ask.tid;
    ELSIF v_idle OR v_ask.max IS NULL OR (NOT v_found AND v_shares.free > 0 AND v_ask.group_name = ANY (p_demand.turns)) THEN
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

-- The last step of an exchange: what the worker did not get it asks for, and what it leaves is offered to others. p_freed has
-- the groups of which slots came free. Of use only if there are asks, or the claim is to tell what kept jobs away.
CREATE FUNCTION settle(p_worker uuid, p_demand demand, p_claim claim, p_freed text[]) RETURNS void
${lookups} AS $$
DECLARE
  v_left text[];
BEGIN
  IF NOT p_claim.stale AND EXISTS (SELECT FROM ask a WHERE a.worker_id = p_worker) THEN
    v_left := settle_asks(p_worker, p_demand, p_claim);
  END IF;
  -- A worker that is refused for the sake of others stands in line at once, one that finds a group full once in a while; even if
  -- there may be more to find, which other jobs may see to for ever.
  IF p_demand.tell AND NOT p_claim.stale AND (p_claim.more IS NOT TRUE OR p_demand.front)
      AND coalesce(cardinality(p_claim.jobs), 0) < p_demand.jobs THEN
    PERFORM ask_for(p_worker, p_claim.full_groups || p_claim.capped);
  ELSIF p_claim.capped IS NOT NULL THEN
    PERFORM ask_for(p_worker, p_claim.capped);
  END IF;
  IF p_demand.tell AND EXISTS (SELECT FROM reservation) THEN
    -- Jobs that are not passed over any more.
    DELETE FROM reservation WHERE ctid = ANY (ARRAY(
      SELECT r.ctid FROM reservation r
      WHERE greatest(r.seen_at, r.rests_until) < clock_timestamp() - interval '10 seconds'
         OR NOT EXISTS (SELECT FROM job j WHERE j.id = r.job_id AND j.state < 2)
      FOR UPDATE SKIP LOCKED));
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
STABLE ${sql} AS $$
  SELECT p_reservation.until > clock_timestamp()
    AND EXISTS (SELECT FROM job j WHERE j.id = p_reservation.job_id AND j.state = 1) AND 0 < ALL (limits_of(p_reservation.groups))
$$;

-- Whether each of a job's groups has a slot for this worker: a free one, or one that is lent to it and has room.
CREATE FUNCTION have_room(p_groups text[], p_demand demand) RETURNS boolean
STABLE ${sql} AS $$
  SELECT NOT EXISTS (
    SELECT FROM full_among(p_groups) AS g
    WHERE coalesce(p_demand.spares[array_position(p_demand.spare_groups, g)], 0) = 0)
$$;

-- A job that slots are kept for, if this worker wants it and all its groups have room, locked. Wherever it stands, it need not be
-- among the best.
CREATE FUNCTION kept_job(p_demand demand) RETURNS found
${lookups} AS $$
DECLARE
  v_found found;
BEGIN
  -- Where it was set aside, it is called back here and now, so that nothing else calls it back and moves it in the table.
  UPDATE job SET lane = home_lane(task), shard = shard_of(groups)
  WHERE ctid = ANY (ARRAY(
    SELECT j.ctid FROM reservation r JOIN job j ON j.id = ANY (ARRAY[r.job_id])
    WHERE is_kept(r) AND have_room(r.groups, p_demand) AND p_demand.rooms ? j.task AND j.state = 1 AND j.queue = ANY (p_demand.queues)
    LIMIT 1
    FOR UPDATE OF j SKIP LOCKED))
  RETURNING ARRAY[ctid], ARRAY[lane], ARRAY[shard], ARRAY[task], ARRAY[nullif(groups[1], task)], groups[1] IS NOT NULL,
            groups[2] IS NOT NULL OR limited_group IS NOT NULL
  INTO v_found;
  RETURN v_found;
END
$$;

-- Takes down the first of the found jobs that one of its groups would admit, and another, which is full, does not. If that has
-- been so for five seconds, slots of all its groups are kept for it for ten; then these groups rest. The caller has the job
-- locked, so no other transaction takes it down.
CREATE FUNCTION note_passed_over(p_found found, p_needs needs, p_rooms room[], p_full text[]) RETURNS void
${lists} AS $$
DECLARE
  v_id uuid;
  v_groups text[];
  v_now timestamptz := clock_timestamp();
BEGIN
  -- A task's own group is not kept besides one of its keys: a slot of the key comes free together with one of the task.
  SELECT (SELECT j.id FROM job j WHERE j.ctid = p_found.tids[c.ord]), c.groups INTO v_id, v_groups
  FROM (
    SELECT n.ord, bool_or(g.allowed > 0) AS any_room, array_agg(n.name ORDER BY n.name) AS groups
    FROM unnest(p_needs.ords, p_needs.names, p_needs.rooms) AS n(ord, name, room)
    JOIN unnest(p_rooms) AS g ON g.name = n.room
    WHERE g.kind IN ('c', 'h', 'k') AND NOT EXISTS (
      SELECT FROM unnest(p_needs.ords, p_needs.names) AS k(ord, name)
      WHERE k.ord = n.ord AND ((is_keyed(k.name) AND split_part(k.name, '/', 1) = n.name)
        OR (left(k.name, 1) = '*' AND (SELECT r.allowed FROM unnest(p_rooms) AS r WHERE r.name = k.name) = 0)))
    GROUP BY n.ord
    HAVING count(*) > 1
  ) c
  WHERE c.any_room AND c.groups && p_full
  ORDER BY c.ord
  LIMIT 1;
  INSERT INTO reservation (job_id, groups) SELECT v_id, v_groups WHERE v_id IS NOT NULL ON CONFLICT DO NOTHING;
  PERFORM 1 FROM reservation r WHERE r.job_id = v_id FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE reservation r SET
    since = CASE WHEN r.seen_at < v_now - interval '10 seconds' THEN v_now ELSE r.since END, seen_at = v_now
  WHERE r.job_id = v_id AND r.seen_at < v_now - interval '0.5 seconds';
  UPDATE reservation r SET
    groups = v_groups,
    times = r.times + 1,
    until = v_now + interval '10 seconds',
    rests_until = v_now + interval '10 seconds' + least(15 * 2 ^ r.times, 60) * interval '1 second'
  WHERE r.job_id = v_id AND r.since < v_now - interval '5 seconds' AND r.rests_until < v_now AND 0 < ALL (limits_of(v_groups))
    AND NOT EXISTS (SELECT FROM reservation o WHERE o.groups && v_groups AND o.rests_until > v_now);
END
$$;
