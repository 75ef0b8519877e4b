package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers that claim jobs of the same keys at once, in shards and in whole lines, and end them or
 * hand them back. Meanwhile another connection looks, in one statement, whether any slot has jobs
 * of two workers, and whether any key has more slots in use than its limit.
 *
 * <p>The look from outside is tested with flaws that are planted into the functions of the schema:
 * a claim that does not look, one that takes slots of other workers for its own, and latches that
 * keep nothing apart.
 */
class KeySlotsIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final int WORKERS = 4;
  private static final int KEYS = 120;
  private static final int JOBS = 6_000;
  private static final int EXCHANGES = 120;
  private static final Duration LONGEST_HUNT = Duration.ofMinutes(2);

  private static final String WRONG =
      """
      SELECT
        (SELECT count(*) FROM (
           SELECT FROM ${schema}.held_slot GROUP BY group_name, slot HAVING count(DISTINCT worker_id) > 1) shared)
        + (SELECT count(*) FROM (
           SELECT FROM ${schema}.held_slot GROUP BY group_name HAVING count(DISTINCT slot) > %d) beyond)
      """;

  private static final String NO_LOOK =
      """
      CREATE OR REPLACE FUNCTION ${schema}.look(p_worker uuid, p_names text[])
      RETURNS SETOF ${schema}.slots_in_use LANGUAGE sql
      AS $$ SELECT NULL::text, 0, '{}'::integer[], '{}'::integer[], 0 WHERE false $$
      """;

  private static final String ANY_SLOT_IS_OWN =
      """
      CREATE OR REPLACE FUNCTION ${schema}.look(p_worker uuid, p_names text[])
      RETURNS SETOF ${schema}.slots_in_use LANGUAGE sql STABLE
      AS $$
        SELECT j.groups[1], count(*)::integer, array_agg(DISTINCT j.slots[2]), array_agg(DISTINCT j.slots[2]),
               (count(*) FILTER (WHERE j.worker_id = p_worker))::integer
        FROM ${schema}.job j WHERE j.groups[1] = ANY (p_names) AND j.state = 2 GROUP BY 1
      $$
      """;

  private static final String NO_LATCH =
      """
      CREATE OR REPLACE FUNCTION ${schema}.latches() RETURNS integer LANGUAGE sql VOLATILE
      AS $$ SELECT (random() * 2000000000)::integer $$
      """;

  private static final String MISSED_LATCH_BARS_NOTHING =
      """
      ALTER FUNCTION ${schema}.latched RENAME TO latched_as_it_was;
      CREATE FUNCTION ${schema}.latched(
        p_needs ${schema}.needs, p_rooms ${schema}.room[], OUT p_barred text[], OUT p_numbered text[]) LANGUAGE sql
      AS $$ SELECT '{}'::text[], l.p_numbered FROM ${schema}.latched_as_it_was(p_needs, p_rooms) l $$
      """;

  private PostgresFixture fixture;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean over = new AtomicBoolean();

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() throws InterruptedException {
    over.set(true);
    threads.shutdown();
    assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    fixture.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void everySlotOfAKey_isOfOneWorker(int limit) throws Exception {
    try (JobStore store = fixture.openStore()) {
      List<Future<?>> workers = start(store, limit, EXCHANGES);
      int looks = 0;
      do {
        assertThat(fixture.number(WRONG.formatted(limit))).as("slots amiss").isZero();
        looks++;
      } while (!workers.stream().allMatch(Future::isDone));
      for (Future<?> worker : workers) {
        worker.get();
      }
      assertThat(looks).as("looks meanwhile").isGreaterThan(1);
    }
  }

  @Test
  void claimThatDoesNotLook_isNoticed() throws Exception {
    assertThat(isNoticed(NO_LOOK, 1)).isTrue();
  }

  @Test
  void slotsOfOtherWorkersTakenForOnesOwn_areNoticed() throws Exception {
    assertThat(isNoticed(ANY_SLOT_IS_OWN, 3)).isTrue();
  }

  @Test
  void latchesThatKeepNothingApart_areNoticed() throws Exception {
    assertThat(isNoticed(NO_LATCH, 1)).isTrue();
  }

  @Test
  void keysWhoseLatchWasMissed_takenAllTheSame_areNoticed() throws Exception {
    assertThat(isNoticed(MISSED_LATCH_BARS_NOTHING, 1)).isTrue();
  }

  private boolean isNoticed(String flaw, int limit) throws Exception {
    try (JobStore store = fixture.openStore()) {
      fixture.execute(flaw);
      List<Future<?>> workers = start(store, limit, Integer.MAX_VALUE);
      long deadline = System.nanoTime() + LONGEST_HUNT.toNanos();
      boolean noticed = false;
      while (!noticed && System.nanoTime() < deadline) {
        noticed = fixture.number(WRONG.formatted(limit)) > 0;
      }
      over.set(true);
      Awaitility.await().until(() -> workers.stream().allMatch(Future::isDone));
      return noticed;
    }
  }

  /** Submits jobs, and has workers claim them, each in a thread of its own. */
  private List<Future<?>> start(JobStore store, int limit, int exchanges) {
    Task<Integer> task =
        Task.named("t", Integer.class).maxConcurrentPer("key", n -> n % KEYS, limit).build();
    try (Sluice sluice = Sluice.open(fixture.options())) {
      sluice.submitAll(task, IntStream.range(0, JOBS).boxed().toList());
    }
    List<Future<?>> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      SplittableRandom random = new SplittableRandom();
      workers.add(threads.submit(() -> work(store, limit, exchanges, random)));
    }
    return workers;
  }

  private void work(JobStore store, int limit, int exchanges, SplittableRandom random) {
    Group family = Group.of("t").anyValueOf("key");
    WorkerRegistration registration =
        new WorkerRegistration(
            "w", Set.of("default"), Set.of("t"), Map.of(family, limit), Duration.ofMinutes(5));
    try (WorkerSession session = store.openSession(registration)) {
      List<ClaimedJob> held = new ArrayList<>();
      for (int i = 0; i < exchanges && !over.get(); i++) {
        List<ClaimedJob> ended = held.stream().filter(job -> random.nextInt(3) > 0).toList();
        held.removeAll(ended);
        int jobs = random.nextBoolean() ? 100 : 10;
        Demand demand =
            new Demand(jobs, List.of(new TaskDemand("t", jobs, random.nextInt(4))), Map.of());
        Answer answer =
            session.exchange(
                new Exchange(
                    ended.stream().map(job -> end(job, random)).toList(),
                    Set.of(),
                    Map.of(),
                    List.of(),
                    demand));
        held.addAll(answer.jobs());
        if (answer.stale()) {
          session.reconcile(
              held.stream().collect(Collectors.toMap(ClaimedJob::id, ClaimedJob::token)));
        }
      }
    }
  }

  /** Most jobs come back, so that there are always jobs to claim. */
  private static JobOutcome end(ClaimedJob job, SplittableRandom random) {
    JobOutcome.Verdict verdict =
        random.nextInt(10) == 0
            ? new JobOutcome.Succeeded(Optional.empty())
            : new JobOutcome.HandedBack();
    return new JobOutcome(job.id(), job.token(), verdict, Duration.ZERO);
  }
}
