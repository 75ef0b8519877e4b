package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.Standing;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import dev.sluice.tck.OverlapMeter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that its worker has given up, and that the server carries out later all the same. */
class LateCallIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  /** How the group keeps its slots, and which lock stops the exchange that frees one. */
  enum Keeping {
    NAMED_BY_JOBS("LOCK TABLE ${schema}.finished_job IN SHARE MODE"),
    LENT_TO_WORKERS("SELECT FROM ${schema}.slot_group FOR UPDATE");

    private final String lock;

    Keeping(String lock) {
      this.lock = lock;
    }

    void arrange(PostgresFixture fixture) {
      if (this == LENT_TO_WORKERS) {
        fixture.heat("solo");
      }
    }
  }

  private static final Task<Integer> SOLO = Task.named("solo", Integer.class).build();
  private static final ClaimedJob.NamedSlot SLOT = new ClaimedJob.NamedSlot("solo", 0);
  private static final Duration LEASE = Duration.ofMinutes(1);

  private PostgresFixture fixture;
  private HoldingProxy proxy;
  private Sluice sluice;
  private JobStore store;
  private JobStore proxied;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture(SERVER);
    proxy = new HoldingProxy(fixture.url());
    sluice = fixture.open();
    sluice.concurrency().setLimit(Group.of("solo"), 1);
    store = fixture.openStore();
    proxied = StoreProviders.open(proxy.url(), new StoreSettings(fixture.namespace(), 4));
  }

  @AfterEach
  void close() {
    proxied.close();
    store.close();
    sluice.close();
    proxy.close();
    fixture.close();
  }

  private static WorkerSession signOn(JobStore store) {
    return store.openSession(
        new WorkerRegistration("w", Set.of("default"), Set.of("solo"), Map.of(), LEASE));
  }

  private static Exchange wanted(Map<String, Integer> spare) {
    return new Exchange(
        List.of(),
        Set.of(),
        Map.of(),
        List.of(),
        new Demand(1, List.of(new TaskDemand("solo", 1, 0)), spare));
  }

  private static Exchange ended(ClaimedJob job, List<HeldSlot> released) {
    return ended(job, new JobOutcome.Succeeded(Optional.empty()), released);
  }

  private static Exchange ended(
      ClaimedJob job, JobOutcome.Verdict verdict, List<HeldSlot> released) {
    return new Exchange(
        List.of(new JobOutcome(job.id(), job.token(), verdict, Duration.ofMillis(1))),
        Set.of(),
        Map.of(),
        released,
        Demand.NONE);
  }

  /** A job under the one slot; asks again where the store says that there is more at once. */
  private static Answer claim(WorkerSession session) {
    Answer answer = session.exchange(wanted(Map.of()));
    for (int i = 0; i < 10 && answer.jobs().isEmpty(); i++) {
      answer = session.exchange(wanted(Map.of()));
    }
    return answer;
  }

  private static Standing reconcile(WorkerSession session, ClaimedJob... known) {
    Map<UUID, Long> tokens = new HashMap<>();
    for (ClaimedJob job : known) {
      tokens.put(job.id(), job.token());
    }
    return session.reconcile(tokens);
  }

  /** Reconciles as a worker does: again and again until it gets through. */
  private static Standing reconcileAtLast(WorkerSession session, ClaimedJob... known) {
    for (int tries = 0; ; tries++) {
      try {
        return reconcile(session, known);
      } catch (StoreUnavailableException e) {
        assertThat(tries).isLessThan(100);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void claimCarriedOutAfterTheReconcile_holdsNothing(Keeping keeping) throws Exception {
    keeping.arrange(fixture);
    sluice.submit(SOLO, 1);
    WorkerSession cutOff = signOn(proxied);
    HoldingProxy.Hold late = proxy.hold("exchange(");
    assertThatThrownBy(() -> cutOff.exchange(wanted(Map.of())))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(reconcile(cutOff).slots()).isEmpty();

    late.deliver();

    assertThat(sluice.concurrency().status(Group.of("solo")).active())
        .as("slots held by a worker that knows of none")
        .isZero();
    WorkerSession other = signOn(store);
    assertThat(claim(other).jobs()).hasSize(1);
    other.close();
    cutOff.close();
  }

  @Test
  void releaseCarriedOutAfterTheReconcile_freesNoSlotInUse() throws Exception {
    Keeping.LENT_TO_WORKERS.arrange(fixture);
    sluice.submitAll(SOLO, Collections.nCopies(3, 1));
    WorkerSession cutOff = signOn(proxied);
    Answer first = claim(cutOff);
    ClaimedJob done = first.jobs().get(0);
    HoldingProxy.Hold late = proxy.hold("exchange(");
    assertThatThrownBy(() -> cutOff.exchange(ended(done, first.slots())))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(reconcile(cutOff, done).slots()).hasSize(1);
    cutOff.exchange(ended(done, List.of()));
    assertThat(cutOff.exchange(wanted(Map.of("solo", 1))).jobs()).hasSize(1);

    late.deliver();

    WorkerSession other = signOn(store);
    assertThat(claim(other).jobs()).as("jobs beside the one that runs, at a limit of 1").isEmpty();
    other.close();
    cutOff.close();
  }

  /** The job still is the worker's, under the token that the late call names. */
  @Test
  void handBackCarriedOutAfterTheReconcile_freesNoSlotInUse() throws Exception {
    sluice.submitAll(SOLO, Collections.nCopies(3, 1));
    WorkerSession cutOff = signOn(proxied);
    ClaimedJob running = claim(cutOff).jobs().get(0);
    assertThat(running.bond().named()).containsExactly(SLOT);
    HoldingProxy.Hold late = proxy.hold("exchange(");
    assertThatThrownBy(
            () -> cutOff.exchange(ended(running, new JobOutcome.HandedBack(), List.of())))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(reconcile(cutOff, running).jobs().get(running.id()).named()).containsExactly(SLOT);

    late.deliver();

    WorkerSession other = signOn(store);
    assertThat(claim(other).jobs()).as("jobs beside the one that runs, at a limit of 1").isEmpty();
    assertThat(reconcile(cutOff, running).jobs().get(running.id()).named()).containsExactly(SLOT);
    other.close();
    cutOff.close();
  }

  @Test
  void reconcileCarriedOutAfterAnother_takesNothingBack() throws Exception {
    sluice.submit(SOLO, 1);
    WorkerSession cutOff = signOn(proxied);
    HoldingProxy.Hold late = proxy.hold("reconcile(");
    assertThatThrownBy(() -> reconcile(cutOff)).isInstanceOf(StoreUnavailableException.class);
    reconcile(cutOff);
    ClaimedJob job = claim(cutOff).jobs().get(0);

    late.deliver();

    assertThat(reconcile(cutOff, job).jobs()).containsOnlyKeys(job.id());
    cutOff.close();
  }

  @Test
  void declarationCarriedOutAfterAnother_changesNoLimit() throws Exception {
    Group family = Group.of("solo").anyKey();
    WorkerSession cutOff = signOn(proxied);
    HoldingProxy.Hold late = proxy.hold("declare_limits(");
    assertThatThrownBy(() -> cutOff.declare(Map.of(family, 5)))
        .isInstanceOf(StoreUnavailableException.class);
    reconcile(cutOff);
    cutOff.declare(Map.of(family, 1));

    late.deliver();

    assertThat(sluice.concurrency().status(family).limit())
        .as("what the worker declared last")
        .hasValue(1);
    cutOff.close();
  }

  /** The exchange is past every check when its worker gives it up: the reconcile waits for it. */
  @ParameterizedTest
  @EnumSource
  void exchangeUnderWay_isSeenByTheReconcile(Keeping keeping) throws Exception {
    keeping.arrange(fixture);
    sluice.submitAll(SOLO, Collections.nCopies(3, 1));
    String impatient = fixture.url() + "?socketTimeout=1";
    try (JobStore slow = StoreProviders.open(impatient, new StoreSettings(fixture.namespace(), 4));
        Connection lock = fixture.openConnection();
        Statement statement = lock.createStatement()) {
      WorkerSession givingUp = signOn(slow);
      Answer first = claim(givingUp);
      ClaimedJob done = first.jobs().get(0);
      lock.setAutoCommit(false);
      statement.execute(keeping.lock.replace("${schema}", fixture.namespace()));
      assertThatThrownBy(() -> givingUp.exchange(ended(done, first.slots())))
          .isInstanceOf(StoreUnavailableException.class);
      CompletableFuture<Standing> standing =
          CompletableFuture.supplyAsync(() -> reconcileAtLast(givingUp, done));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> standing.isDone() || someCallWaitsForAnAdvisoryLock());
      givingUp.renew(LEASE);
      lock.rollback();

      assertThat(standing.get(30, TimeUnit.SECONDS).slots())
          .as("slots the worker may use, of those it gave back")
          .isEmpty();
      assertThat(standing.get().jobs()).isEmpty();
      WorkerSession other = signOn(store);
      await().atMost(Duration.ofSeconds(30)).until(() -> claim(other).jobs().size() == 1);
      other.close();
      givingUp.close();
    }
  }

  private boolean someCallWaitsForAnAdvisoryLock() throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) {
      row.next();
      return row.getInt(1) > 0;
    }
  }

  /** Nothing but a short socketTimeout and a server that row locks make slow now and then. */
  @ParameterizedTest
  @EnumSource
  void impatientWorkersOnASlowServer_neverExceedTheLimit(Keeping keeping) throws Exception {
    keeping.arrange(fixture);
    OverlapMeter meter = new OverlapMeter();
    SluiceOptions impatient =
        SluiceOptions.url(fixture.url() + "?socketTimeout=1").schema(fixture.namespace());
    int jobs = 0;
    try (Sluice a = Sluice.open(impatient);
        Sluice b = Sluice.open(impatient);
        Worker one = worker(a, meter);
        Worker two = worker(b, meter);
        Connection lock = fixture.openConnection();
        Statement statement = lock.createStatement()) {
      lock.setAutoCommit(false);
      for (int round = 0; round < 3; round++) {
        int begun = meter.count("solo");
        sluice.submit(SOLO, 1);
        await().atMost(Duration.ofSeconds(30)).until(() -> meter.count("solo") > begun);
        // The exchange that frees the slot meets this lock.
        statement.execute(keeping.lock.replace("${schema}", fixture.namespace()));
        Thread.sleep(1_500);
        sluice.submitAll(SOLO, Collections.nCopies(10, 1));
        Thread.sleep(1_000);
        lock.rollback();
        jobs += 11;
        int all = jobs;
        await().atMost(Duration.ofSeconds(60)).until(() -> meter.count("solo") >= all);
      }
      assertThat(meter.peak("solo")).isEqualTo(1);
    }
  }

  private static Worker worker(Sluice sluice, OverlapMeter meter) {
    return sluice
        .worker()
        .concurrency(1)
        .poll(Duration.ofMillis(100))
        .handle(
            SOLO,
            (n, context) -> {
              try (OverlapMeter.Run run = meter.begin("solo")) {
                Thread.sleep(200);
              }
            })
        .start();
  }
}
