package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.WorkerBulletin;
import dev.sluice.internal.Attempt.Stop;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome.Succeeded;
import dev.sluice.spi.Standing;
import dev.sluice.spi.Standing.Held;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A worker whose jobs name slots: what runs at the same time, before and after a reconcile. */
class NamedSlotsTest {
  private static final Task<Integer> TASK = Task.named("named", Integer.class).build();
  private static final NamedSlot SLOT = new NamedSlot("cold", 0);
  private static final NamedSlot OTHER_SLOT = new NamedSlot("cold", 1);
  private static final HeldSlot LENT = new HeldSlot("hot", 0, 1);

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Sluice sluice = Sluice.open("memory:" + UUID.randomUUID());
  private final WorkerEnvironment environment =
      LongLease.environment(
          sluice,
          UnaryOperator.identity(),
          ElapsedClock.SYSTEM,
          Map.of(TASK.name(), new RegisteredTask<>(TASK, (number, context) -> null)));
  private final Workshop workshop = Workshop.of(environment);
  private Tenure tenure;

  @BeforeEach
  void open() {
    WorkerSession session =
        environment
            .store()
            .openSession(
                new WorkerRegistration(
                    "named", Set.of("default"), Set.of(), Map.of(), LongLease.LENGTH));
    Lease lease = new Lease(LongLease.LENGTH, environment.now(), environment.clock()::nanos);
    tenure = new Tenure(workshop, session, lease, 0);
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void close() {
    logger().detachAppender(log);
    sluice.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(Tenure.class);
  }

  private static ClaimedJob job(List<String> gates, NamedSlot... named) {
    return new ClaimedJob(
        UUID.randomUUID(),
        1,
        TASK.name(),
        new ClaimedJob.Run(1, true, Optional.empty(), Duration.ZERO, Optional.empty()),
        new ClaimedJob.Bond(gates, List.of(named), List.of(), false, List.of()),
        "1");
  }

  private static ClaimedJob naming(NamedSlot... named) {
    return job(List.of(), named);
  }

  private List<Attempt> receive(List<HeldSlot> slots, ClaimedJob... jobs) {
    return tenure.receive(
        new Exchange.Answer(Set.of(), List.of(jobs), slots, false, Optional.empty(), Set.of()));
  }

  private List<Attempt> receive(ClaimedJob... jobs) {
    return receive(List.of(), jobs);
  }

  private void end(Attempt attempt) {
    tenure.ended(attempt, new Ending(new Succeeded(null), null), Duration.ofMillis(1));
  }

  private void adopt(Map<UUID, Held> jobs, HeldSlot... slots) {
    tenure.known();
    tenure.adopt(new Standing(jobs, List.of(slots), Set.of()));
  }

  private static Stream<ClaimedJob> jobs(List<Attempt> attempts) {
    return attempts.stream().map(Attempt::job);
  }

  @Test
  void twoJobsNameOneSlot_runOneAfterTheOther() {
    ClaimedJob first = naming(SLOT);
    ClaimedJob second = naming(SLOT);

    List<Attempt> started = receive(first, second);

    assertThat(jobs(started)).containsExactly(first);
    assertThat(tenure.takeStartable()).isEmpty();
    end(started.get(0));
    assertThat(jobs(tenure.takeStartable())).containsExactly(second);
  }

  @Test
  void twoJobsNameDifferentSlots_runSideBySide() {
    ClaimedJob first = naming(SLOT);
    ClaimedJob second = naming(OTHER_SLOT);

    assertThat(jobs(receive(first, second))).containsExactly(first, second);
  }

  @Test
  void gateAndNamedSlot_bothOrNone() {
    ClaimedJob inSlot = naming(SLOT);
    ClaimedJob both = job(List.of("hot"), SLOT);
    ClaimedJob behindGate = job(List.of("hot"));

    List<Attempt> started = receive(List.of(LENT), inSlot, both, behindGate);

    assertThat(jobs(started)).as("gate left alone").containsExactly(inSlot, behindGate);
    end(started.get(0));
    ClaimedJob next = naming(SLOT);
    List<Attempt> more = receive(next);
    assertThat(jobs(more)).as("slot left alone").containsExactly(next);
    end(more.get(0));
    end(started.get(1));
    assertThat(jobs(tenure.takeStartable())).containsExactly(both);
  }

  @Test
  void groupsOfNamedSlots_countAsAcquired() {
    receive(List.of(LENT), job(List.of("hot"), SLOT));

    WorkerBulletin.Load load = new WorkerBulletin.Load(4, 1, 0, false);
    assertThat(workshop.chronicle().bulletin(load, Map.of()).tally().groups())
        .containsOnlyKeys("hot", "cold");
  }

  @Test
  void namedSlots_areNotGivenBack() {
    end(receive(naming(SLOT)).get(0));

    Exchange exchange = tenure.prepare().exchange();

    assertThat(exchange.outcomes()).hasSize(1);
    assertThat(exchange.released()).isEmpty();
    assertThat(exchange.demand().jobs()).isPositive();
    assertThat(exchange.demand().spare()).isEmpty();
  }

  @Test
  void groupTurnsHotWhileAJobRuns_jobCountsUnderALentSlot() {
    Attempt running = receive(naming(SLOT)).get(0);

    adopt(Map.of(running.jobId(), new Held(List.of("cold"))), new HeldSlot("cold", 0, 2));

    ClaimedJob next = job(List.of("cold"));
    assertThat(receive(next)).isEmpty();
    end(running);
    assertThat(jobs(tenure.takeStartable())).containsExactly(next);
    assertThat(log.list).isEmpty();
  }

  @Test
  void firstLimitWhileAJobRuns_jobOccupiesTheSlotItNamesNow() {
    Attempt running = receive(naming()).get(0);

    adopt(Map.of(running.jobId(), new Held(List.of(), List.of(SLOT))));

    ClaimedJob same = naming(SLOT);
    ClaimedJob other = naming(OTHER_SLOT);
    assertThat(jobs(receive(same, other))).containsExactly(other);
    end(running);
    assertThat(jobs(tenure.takeStartable())).containsExactly(same);
  }

  @Test
  void lostAttempt_occupiesItsNamedSlotUntilItReturns() {
    Attempt lost = receive(naming(SLOT)).get(0);

    adopt(Map.of());

    assertThat(lost.stopped()).isEqualTo(Stop.LEASE_LOST);
    ClaimedJob next = naming(SLOT);
    assertThat(receive(next)).isEmpty();
    end(lost);
    assertThat(jobs(tenure.takeStartable())).containsExactly(next);
  }

  /** Whether an operator did it or the limit was lifted cannot be told. */
  @Test
  void jobCeasesToNameItsSlot_goesOnWithoutItAndNothingIsLogged() {
    Attempt running = receive(naming(SLOT)).get(0);

    adopt(Map.of(running.jobId(), new Held(List.of())));

    ClaimedJob next = naming(SLOT);
    List<Attempt> started = receive(next);
    assertThat(jobs(started)).containsExactly(next);
    assertThat(running.stopped()).isNull();
    assertThat(log.list).isEmpty();
    end(running);
    assertThat(receive(naming(SLOT))).as("the other still runs in it").isEmpty();
  }

  @Test
  void limitStaysAndNoSlotIsLeft_goesOnWithoutItAndThatIsLogged() {
    Attempt running = receive(naming(SLOT, new NamedSlot("kept", 3))).get(0);

    adopt(Map.of(running.jobId(), new Held(List.of("cold"), List.of(new NamedSlot("kept", 3)))));

    assertThat(running.stopped()).isNull();
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .contains(running.jobId().toString(), "taken away by force");
    ClaimedJob inSlot = naming(SLOT);
    assertThat(jobs(receive(inSlot, naming(new NamedSlot("kept", 3))))).containsExactly(inSlot);
  }
}
