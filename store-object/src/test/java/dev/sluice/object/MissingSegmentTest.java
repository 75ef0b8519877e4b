package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Segments that somebody else removed or overwrote, while others still need them. */
@Timeout(30)
class MissingSegmentTest {
  private static final String NAMESPACE = "sluice";
  private static final String INBOX = "shards/0/inbox/";

  private final String name = UUID.randomUUID().toString();
  private final MemoryObjectStore memory = MemoryObjectStore.open(name);
  private final ObjectStore objects = PrefixedObjectStore.borrowing(memory, NAMESPACE);

  @AfterEach
  void close() {
    memory.close();
  }

  /** Another process, which has read nothing yet. */
  private JobStore open() {
    return StoreProviders.open("memory:" + name, new StoreSettings(NAMESPACE, 1));
  }

  /** Submits jobs, a segment each, and has them admitted. */
  private void submit(String task, int jobs) {
    try (JobStore store = open()) {
      for (int i = 0; i < jobs; i++) {
        store.submit(List.of(StoreCalls.job(task)));
      }
      WorkerSession session = store.openSession(StoreCalls.worker(Set.of("none"), Map.of()));
      session.exchange(StoreCalls.ask("none", 1));
      session.close();
    }
  }

  /** Many missing segments kept a commit busy forever: each was forgotten before the last. */
  @Test
  void manySegmentsGone_othersAreClaimed() {
    submit("hurt", 60);
    objects.listAll(INBOX).forEach(object -> objects.delete(object.key()));
    try (JobStore store = open()) {
      store.submit(List.of(StoreCalls.job("good")));
      WorkerSession session = store.openSession(StoreCalls.worker(Set.of("good"), Map.of()));
      assertThat(session.exchange(StoreCalls.ask("good", 1)).jobs()).hasSize(1);
    }
  }

  /** To find the limit of a key, every segment was read, and a damaged one failed the exchange. */
  @Test
  void segmentDamaged_jobsWithKeysElsewhere_areClaimedAndOutcomesRecorded() {
    submit("hurt", 1);
    String key = objects.listAll(INBOX).get(0).key();
    objects.putIfMatch(key, Bodies.plain("x"), objects.get(key).orElseThrow().tag());
    try (JobStore store = open()) {
      WorkerSession session =
          store.openSession(StoreCalls.worker(Set.of("plain", "keyed"), Map.of()));
      Group group = Group.parse("keyed/acme");
      store.submit(
          List.of(
              StoreCalls.job("plain"), StoreCalls.job("keyed", List.of(group), OptionalInt.of(2))));
      List<ClaimedJob> plain = session.exchange(StoreCalls.ask("plain", 1)).jobs();

      Answer answer =
          session.exchange(StoreCalls.report(plain, StoreCalls.demand("keyed", 1, Map.of())));

      assertThat(answer.accepted()).hasSize(1);
      assertThat(answer.jobs()).hasSize(1);
      assertThat(answer.slots()).hasSize(1);
    }
  }

  /** Outcomes whose archive could not be written were let go of as if another had written it. */
  @Test
  void segmentOfFinishedJobGone_outcomesStayUntilItIsRestored() {
    ObjectStore withoutArchive =
        new ForwardingObjectStore(memory) {
          @Override
          public PutResult putIfAbsent(String key, ObjectBody body) {
            if (key.contains("/done/")) {
              throw new StoreUnavailableException("Its process dies before it archives anything.");
            }
            return super.putIfAbsent(key, body);
          }
        };
    JobStore dying =
        ObjectStoreProvider.open(
            PrefixedObjectStore.borrowing(withoutArchive, NAMESPACE), "dying", OptionalInt.empty());
    for (int i = 0; i < 3; i++) {
      dying.submit(List.of(StoreCalls.job("t")));
    }
    WorkerSession session = dying.openSession(StoreCalls.worker(Set.of("t"), Map.of()));
    List<ClaimedJob> jobs = session.exchange(StoreCalls.ask("t", 3)).jobs();
    assertThat(session.exchange(StoreCalls.report(jobs, Demand.NONE)).accepted()).hasSize(3);
    String key = objects.listAll(INBOX).get(0).key();
    byte[] bytes = objects.get(key).orElseThrow().body();
    objects.delete(key);

    try (JobStore store = open()) {
      assertThatThrownBy(() -> store.jobs().purge(Duration.ofDays(1)))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("'%s/%s'".formatted(NAMESPACE, key));
    }
    objects.putIfAbsent(key, ObjectBody.withoutToken(bytes));
    try (JobStore store = open()) {
      assertThat(store.jobs().purge(Duration.ofDays(1))).isZero();
      assertThat(store.jobs().counts()).containsEntry(JobState.SUCCEEDED, 3L);
      assertThat(jobs).allMatch(job -> store.jobs().get(job.id()).isPresent());
    }
    dying.close();
  }

  /**
   * A job that is tried again brought the limit of its key along; to see who runs under it, its
   * commit read a segment that another process had dropped meanwhile, and failed for good.
   */
  @Test
  void segmentDroppedByAnother_outcomeThatNeedsItIsRecorded() {
    List<Group> key = List.of(Group.parse("keyed/acme"));
    try (JobStore store = open();
        JobStore other = open()) {
      WorkerSession session = store.openSession(StoreCalls.worker(Set.of("keyed"), Map.of()));
      store.submit(List.of(StoreCalls.job("keyed", key, OptionalInt.of(2))));
      ClaimedJob job = session.exchange(StoreCalls.ask("keyed", 1)).jobs().get(0);
      WorkerSession elsewhere = other.openSession(StoreCalls.worker(Set.of("plain"), Map.of()));
      other.submit(List.of(StoreCalls.job("plain")));
      List<ClaimedJob> plain = elsewhere.exchange(StoreCalls.ask("plain", 1)).jobs();
      session.renew(Duration.ofMinutes(1)); // Now this process knows that the other job runs.
      assertThat(elsewhere.exchange(StoreCalls.report(plain, Demand.NONE)).accepted()).hasSize(1);
      other.jobs().purge(Duration.ofDays(1));
      await().until(() -> objects.listAll(INBOX).size() == 1);

      JobOutcome again =
          new JobOutcome(
              job.id(),
              job.token(),
              new JobOutcome.Retry(new JobOutcome.Failure("Boom", "", ""), Duration.ZERO),
              Duration.ofMillis(1));
      Exchange report = new Exchange(List.of(again), Set.of(), Map.of(), List.of(), Demand.NONE);
      assertThat(session.exchange(report).accepted()).containsExactly(job.id());
    }
  }
}
