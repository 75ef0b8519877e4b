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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the permits of this process at a third of their lease.
 *
 * <p>A permit is held only until a deadline on this process's monotonic clock: the moment the last
 * successful acquisition or renewal was <em>sent</em>, plus the lease, less a margin. The store
 * counts from a later moment (when the request arrived), so the permit says "not held" before
 * anyone else can be given its slot, whatever the network or the clocks do.
 */
final class PermitKeeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PermitKeeper.class);
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final LimitStore store;
  private final Set<KeptPermit> permits = ConcurrentHashMap.newKeySet();
  private ScheduledExecutorService scheduler;

  PermitKeeper(LimitStore store) {
    this.store = store;
  }

  Permit keep(SlotLease lease, Duration duration, long sentAt) {
    KeptPermit permit = new KeptPermit(lease, duration, sentAt);
    permits.add(permit);
    schedule(permit);
    return permit;
  }

  private synchronized void schedule(KeptPermit permit) {
    if (scheduler == null) {
      scheduler =
          Executors.newSingleThreadScheduledExecutor(
              task -> {
                Thread thread = new Thread(task, "sluice-permit-keeper");
                thread.setDaemon(true);
                return thread;
              });
    }
    scheduler.schedule(permit::renew, permit.duration.toMillis() / 3, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    permits.forEach(KeptPermit::close);
    synchronized (this) {
      if (scheduler != null) {
        scheduler.shutdownNow();
      }
    }
  }

  private final class KeptPermit implements Permit {
    private final SlotLease lease;
    private final Duration duration;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long deadline;

    KeptPermit(SlotLease lease, Duration duration, long sentAt) {
      this.lease = lease;
      this.duration = duration;
      this.deadline = deadlineFrom(sentAt);
    }

    private long deadlineFrom(long sentAt) {
      return sentAt + duration.minus(MARGIN).toNanos();
    }

    void renew() {
      if (closed.get() || !held()) {
        return;
      }
      long sentAt = System.nanoTime();
      try {
        if (store.extend(lease, duration).isPresent()) {
          deadline = deadlineFrom(sentAt);
          schedule(this);
        } else {
          deadline = System.nanoTime();
          log.warn(
              "The permit for slot {} of group '{}' is lost: its lease was taken away.",
              lease.slot(),
              lease.group());
        }
      } catch (SluiceException e) {
        log.warn(
            "The permit for slot {} of group '{}' could not be renewed; trying again.",
            lease.slot(),
            lease.group(),
            e);
        synchronized (PermitKeeper.this) {
          scheduler.schedule(this::renew, 1, TimeUnit.SECONDS);
        }
      }
    }

    @Override
    public Group group() {
      return lease.group();
    }

    @Override
    public int slot() {
      return lease.slot();
    }

    @Override
    public long fencingToken() {
      return lease.token();
    }

    @Override
    public boolean held() {
      return !closed.get() && System.nanoTime() - deadline < 0;
    }

    @Override
    public void close() {
      if (!closed.compareAndSet(false, true)) {
        return;
      }
      permits.remove(this);
      try {
        store.release(lease);
      } catch (SluiceException e) {
        log.warn(
            "Slot {} of group '{}' could not be given back; it comes free when its lease ends.",
            lease.slot(),
            lease.group(),
            e);
      }
    }
  }
}
