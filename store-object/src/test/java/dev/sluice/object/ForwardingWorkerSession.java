package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Passes everything on, for subclasses that change some of it. */
public abstract class ForwardingWorkerSession implements WorkerSession {
  private final WorkerSession session;

  /** Passes on to this one. */
  protected ForwardingWorkerSession(WorkerSession session) {
    this.session = session;
  }

  @Override
  public String workerId() {
    return session.workerId();
  }

  @Override
  public Exchange.Answer exchange(Exchange exchange) {
    return session.exchange(exchange);
  }

  @Override
  public Set<UUID> renew(Duration atLeast) {
    return session.renew(atLeast);
  }

  @Override
  public Standing reconcile(Map<UUID, Long> known) {
    return session.reconcile(known);
  }

  @Override
  public void declare(Map<Group, Integer> limits) {
    session.declare(limits);
  }

  @Override
  public void attest(Map<UUID, Long> claims, List<HeldSlot> slots) {
    session.attest(claims, slots);
  }

  @Override
  public void onWake(Runnable wake) {
    session.onWake(wake);
  }

  @Override
  public void publish(String bulletin) {
    session.publish(bulletin);
  }

  @Override
  public void close() {
    session.close();
  }
}
