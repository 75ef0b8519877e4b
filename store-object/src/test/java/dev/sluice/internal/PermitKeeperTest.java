package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.Permit;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.TasksByName;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Permits of a process whose clock and whose luck with the store are a test's to say. */
class PermitKeeperTest {
  private static final Group GROUP = Group.of("stripe");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Renewals are due after a third of it, by the real clock. */
  private static final Duration LEASE = Duration.ofSeconds(1);

  private static final Duration MARGIN = Lease.margin(LEASE);

  private final Sluice sluice = Sluice.open("memory:" + UUID.randomUUID());
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong bootMillis = new AtomicLong();
  private final Map<String, Runnable> before = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  private final PermitKeeper keeper =
      new PermitKeeper(
          store(sluice.store().limits()),
          LEASE,
          new ElapsedClock(nanos::get, bootMillis::get, () -> 0));
  private final RenewingLimits limits =
      new RenewingLimits(
          store(sluice.store().limits()),
          new TasksByName(sluice.store().limits()),
          keeper,
          new Audience<>(List.of()),
          new CallerRefusals(),
          "a test");

  @BeforeEach
  void setLimit() {
    sluice.concurrency().setLimit(GROUP, 1);
  }

  @AfterEach
  void close() {
    before.clear();
    limits.close();
    sluice.close();
  }

  /** What a test has to do before a call reaches the store. */
  private LimitStore store(LimitStore real) {
    return (LimitStore)
        Proxy.newProxyInstance(
            LimitStore.class.getClassLoader(),
            new Class<?>[] {LimitStore.class},
            (proxy, method, arguments) -> {
              calls
                  .computeIfAbsent(method.getName(), name -> new AtomicInteger())
                  .incrementAndGet();
              before.getOrDefault(method.getName(), () -> {}).run();
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private int calls(String method) {
    return calls.getOrDefault(method, new AtomicInteger()).get();
  }

  private void fails(String method) {
    before.put(
        method,
        () -> {
          throw new StoreUnavailableException("out of reach", null);
        });
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
    bootMillis.addAndGet(time.toMillis());
  }

  private Permit acquire() throws InterruptedException {
    return limits.acquire(GROUP, PATIENCE);
  }

  private int active() {
    return sluice.concurrency().status(GROUP).active();
  }

  @Test
  void held_notRenewed_turnsFalseAMarginBeforeTheLeaseEnds_andStaysSo() throws Exception {
    fails("extend");
    Permit permit = acquire();
    pass(LEASE.minus(MARGIN).minusMillis(1));
    assertThat(permit.held()).isTrue();
    pass(Duration.ofMillis(1));
    assertThat(permit.held()).isFalse();

    before.clear();
    nanos.addAndGet(-LEASE.toNanos());
    assertThat(permit.held()).isFalse();
  }

  @Test
  void held_renewed_countsFromTheMomentTheRenewalWasSent() throws Exception {
    before.put(
        "extend",
        () -> {
          switch (calls("extend")) {
            case 1 -> pass(Duration.ofMillis(100));
            case 2 -> pass(Duration.ofMillis(200));
          }
          if (calls("extend") != 2) {
            throw new StoreUnavailableException("out of reach", null);
          }
        });
    Permit permit = acquire();
    await().atMost(PATIENCE).until(() -> calls("extend") >= 3);

    Duration end = Duration.ofMillis(100).plus(LEASE).minus(MARGIN);
    nanos.set(end.toNanos() - 1);
    assertThat(permit.held()).isTrue();
    nanos.set(end.toNanos());
    assertThat(permit.held()).isFalse();
  }

  /** The renewal was sent in time, and its answer would make the permit last beyond this moment. */
  @Test
  void held_renewalIsAnsweredTooLate_staysFalse() throws Exception {
    before.put(
        "extend",
        () -> {
          if (calls("extend") == 1) {
            pass(LEASE.dividedBy(2));
            throw new StoreUnavailableException("out of reach", null);
          }
          pass(LEASE.dividedBy(2).minus(MARGIN.dividedBy(2)));
        });
    Permit permit = acquire();
    await().atMost(PATIENCE).until(() -> calls("extend") == 2 && !permit.held());
    await()
        .during(Duration.ofMillis(200))
        .atMost(PATIENCE)
        .until(() -> calls("extend") == 2 && !permit.held());
    permit.close();
    assertThat(active()).isZero();
  }

  @Test
  void held_theMachineWasSuspended_isFalseAtOnce() throws Exception {
    fails("extend");
    Permit permit = acquire();
    bootMillis.addAndGet(LEASE.toMillis());
    assertThat(permit.held()).isFalse();
  }

  @Test
  void close_releaseFails_isTriedAgainUntilItWorks() throws Exception {
    fails("release");
    acquire().close();
    await().atMost(PATIENCE).until(() -> calls("release") >= 3);
    assertThat(active()).isEqualTo(1);

    before.clear();
    await().atMost(PATIENCE).until(() -> active() == 0);
  }

  @Test
  void close_releaseFailsUntilTheLeaseIsOver_isLeftToTheLease() throws Exception {
    fails("release");
    acquire().close();
    await().atMost(PATIENCE).until(() -> calls("release") >= 2);
    pass(LEASE);
    await()
        .during(Duration.ofMillis(300))
        .atMost(PATIENCE)
        .until(() -> calls("release"), Integer.valueOf(calls("release"))::equals);
  }
}
