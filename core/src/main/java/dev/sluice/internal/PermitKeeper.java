package dev.sluice.internal;

import dev.sluice.Group;
import dev.sluice.Permit;
import dev.sluice.SlotLease;
import dev.sluice.SluiceException;
import dev.sluice.spi.LimitStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the permits of this process at a third of their lease, and gives back those that could not
 * be given back at once.
 *
 * <p>A permit is held only until a moment on this process's own clock ({@link Lease}): when the
 * last successful acquisition or renewal was <em>sent</em>, plus the lease, less a margin. The
 * store counts from a later moment (when the request arrived), so the permit says "not held" before
 * anyone else can be given its slot, whatever the network or the clocks do. Not held is final: a
 * renewal that is answered after that moment no longer counts.
 *
 * <p>A slot that cannot be given back, because the store is out of reach, is tried again until the
 * lease is over; then it is free by itself. These tries have a thread of their own: a store that
 * answers slowly must not keep other permits from being renewed.
 */
final class PermitKeeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PermitKeeper.class);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

  private final LimitStore store;
  private final Duration length;
  private final ElapsedClock clock;
  private final Set<KeptPermit> permits = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService renewals = newScheduler("sluice-permit-keeper");
  private final ScheduledExecutorService releases = newScheduler("sluice-permit-releaser");

  PermitKeeper(LimitStore store, Duration length, ElapsedClock clock) {
    this.store = store;
    this.length = length;
    this.clock = clock;
  }

  /** Starts its thread with the first task. */
  private static ScheduledExecutorService newScheduler(String name) {
    return Executors.newSingleThreadScheduledExecutor(DaemonThreads.named(name));
  }

  /** How long the lease of each permit is. */
  Duration length() {
    return length;
  }

  /** The moment at which a request for a slot is sent. */
  long now() {
    return clock.nanos();
  }

  Permit keep(SlotLease slot, long sentAt) {
    KeptPermit permit = new KeptPermit(slot, sentAt);
    permits.add(permit);
    schedule(renewals, permit::renew, length.dividedBy(3));
    return permit;
  }

  private void schedule(ScheduledExecutorService scheduler, Runnable task, Duration delay) {
    try {
      scheduler.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("Permits are no longer looked after: the store is closed.");
    }
  }

  /** How long to wait after a request that failed. */
  private Duration retry() {
    Duration twentieth = length.dividedBy(20);
    return twentieth.compareTo(LONGEST_RETRY) < 0 ? twentieth : LONGEST_RETRY;
  }

  @Override
  public void close() {
    permits.forEach(KeptPermit::close);
    renewals.shutdownNow();
    releases.shutdownNow();
  }

  private final class KeptPermit implements Permit {
    private final SlotLease slot;
    private final Lease lease;
    private boolean closed;
    private boolean lost;

    KeptPermit(SlotLease slot, long sentAt) {
      this.slot = slot;
      this.lease = new Lease(length, sentAt, clock::nanos);
    }

    private void renew() {
      if (!held()) {
        return;
      }
      long sentAt = clock.nanos();
      Duration next = length.dividedBy(3);
      try {
        if (store.extend(slot, length).isEmpty()) {
          lose("its lease was taken away");
        } else {
          renewed(sentAt);
        }
      } catch (RuntimeException e) {
        next = retry();
        log.warn("The permit for {} could not be renewed; trying again.", this, e);
      }
      if (held()) {
        schedule(renewals, this::renew, next);
      }
    }

    /** Notes a renewal, unless it came too late: a permit that was lost is not found again. */
    private synchronized void renewed(long sentAt) {
      if (held()) {
        lease.renewed(sentAt, length);
      }
    }

    @Override
    public synchronized boolean held() {
      clock.look();
      if (!closed && !lost && !lease.valid()) {
        lose("it could not be renewed in time");
      }
      return !closed && !lost;
    }

    private synchronized void lose(String why) {
      if (!closed && !lost) {
        lost = true;
        log.warn("The permit for {} is lost: {}.", this, why);
      }
    }

    @Override
    public void close() {
      synchronized (this) {
        if (closed) {
          return;
        }
        closed = true;
      }
      permits.remove(this);
      release();
    }

    /** Gives the slot back; later, if it cannot be now. */
    private void release() {
      try {
        store.release(slot);
      } catch (SluiceException e) {
        if (lease.valid()) {
          log.warn("{} could not be given back; trying again until its lease ends.", this, e);
          schedule(releases, this::releaseAgain, retry());
        } else {
          log.warn("{} could not be given back; it comes free when its lease ends.", this, e);
        }
      }
    }

    private void releaseAgain() {
      if (!lease.valid()) {
        log.warn("{} could not be given back before its lease ended.", this);
        return;
      }
      try {
        store.release(slot);
        log.info("{} was given back.", this);
      } catch (SluiceException e) {
        log.debug("{} could not be given back.", this, e);
        schedule(releases, this::releaseAgain, retry());
      }
    }

    @Override
    public Group group() {
      return slot.group();
    }

    @Override
    public int slot() {
      return slot.slot();
    }

    @Override
    public long fencingToken() {
      return slot.token();
    }

    @Override
    public String toString() {
      return "slot %d of group '%s'".formatted(slot.slot(), slot.group());
    }
  }
}
