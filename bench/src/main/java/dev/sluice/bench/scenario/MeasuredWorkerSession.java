package dev.sluice.bench.scenario;

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

/** A session whose exchanges are timed. */
final class MeasuredWorkerSession implements WorkerSession {
  private final WorkerSession session;
  private final Exchanges exchanges;

  MeasuredWorkerSession(WorkerSession session, Exchanges exchanges) {
    this.session = session;
    this.exchanges = exchanges;
  }

  @Override
  public Exchange.Answer exchange(Exchange exchange) {
    long began = System.nanoTime();
    Exchange.Answer answer = session.exchange(exchange);
    long took = System.nanoTime() - began;
    if (!answer.jobs().isEmpty()) {
      exchanges.claiming().add(took);
    } else if (!exchange.outcomes().isEmpty()) {
      exchanges.completing().add(took);
    }
    return answer;
  }

  @Override
  public String workerId() {
    return session.workerId();
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
  public void close() {
    session.close();
  }

  @Override
  public void publish(String bulletin) {
    session.publish(bulletin);
  }
}
