package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.Page;
import dev.sluice.Submission;
import dev.sluice.SubmitOptions;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStanding;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.RunQuery;
import dev.sluice.spi.RunStore;
import dev.sluice.spi.RunStore.Run;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.spi.RunStore.Texts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs of workflows: documents that one of many writers replaces, and jobs that outlast them. */
abstract class RunContract extends ContractTopic {
  private static final Duration LATER = Duration.ofHours(1);

  RunContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private static Run run(String type, String state) {
    return run(UUID.randomUUID(), type, state, true);
  }

  private static Run run(UUID id, String type, String state, boolean live) {
    return new Run(id, type, state, live, Optional.empty(), new Texts("first", "{}"));
  }

  private static Run with(Run run, String state, boolean live) {
    return new Run(run.id(), run.type(), state, live, run.attention(), run.texts());
  }

  private static Run wanting(Run run, Duration attention) {
    return new Run(
        run.id(), run.type(), run.state(), run.live(), Optional.of(attention), run.texts());
  }

  private StoredRun stored(UUID id) {
    return store.runs().get(id).orElseThrow();
  }

  private Run created(Run run) {
    assertThat(store.runs().create(run, "the charter")).isTrue();
    return run;
  }

  private static NewJob stepOf(UUID run, UUID id, Instant since) {
    return new NewJob(
        new NewJob.Identity(
            id,
            true,
            Optional.empty(),
            Optional.of(new NewJob.RunLink(run, since)),
            Optional.empty()),
        "t",
        new NewJob.Place(SubmitOptions.DEFAULT_QUEUE, 0),
        new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
        new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        "0");
  }

  @Test
  void create_new_isRead() {
    Run run =
        new Run(
            UUID.randomUUID(),
            "type / with 'signs'",
            "running",
            true,
            Optional.of(LATER),
            new Texts("first", "content é \"quoted\" {}"));
    assertThat(store.runs().get(run.id())).isEmpty();
    created(run);

    StoredRun read = stored(run.id());
    assertThat(read.run()).isEqualTo(run);
    assertThat(read.createdAt()).isEqualTo(read.updatedAt());
    assertThat(read.readAt()).isAfterOrEqualTo(read.createdAt());
    assertThat(store.runs().charter(run.id(), "first")).contains("the charter");
    assertThat(store.runs().charter(run.id(), "second")).isEmpty();
    assertThat(store.runs().charter(UUID.randomUUID(), "first")).isEmpty();
  }

  @Test
  void create_idTaken_changesNothing() {
    Run run = created(run("a", "running"));
    StoredRun before = stored(run.id());

    assertThat(store.runs().create(with(run, "other", true), "another charter")).isFalse();
    assertThat(stored(run.id()).version()).isEqualTo(before.version());
    assertThat(stored(run.id()).run()).isEqualTo(run);
    assertThat(store.runs().charter(run.id(), "first")).contains("the charter");
  }

  @Test
  void create_manyAtOnce_oneSucceeds() throws Exception {
    Run run = run("a", "running");
    JobStore other = closing(fixture.openStore());
    AtomicInteger turn = new AtomicInteger();
    List<Boolean> created =
        onThreads(
            6,
            () ->
                (turn.getAndIncrement() % 2 == 0 ? store : other)
                    .runs()
                    .create(run, "the charter"));
    assertThat(created).containsOnlyOnce(true);
    assertThat(stored(run.id()).run()).isEqualTo(run);
  }

  @Test
  void replace_versionRead_succeedsOnce() {
    Run run = created(run("a", "running"));
    StoredRun first = stored(run.id());

    assertThat(store.runs().replace(with(run, "paused", true), first.version(), Optional.empty()))
        .isTrue();
    assertThat(store.runs().replace(with(run, "lost", true), first.version(), Optional.empty()))
        .isFalse();

    StoredRun second = stored(run.id());
    assertThat(second.run().state()).isEqualTo("paused");
    assertThat(second.version()).isGreaterThan(first.version());
    assertThat(second.createdAt()).isEqualTo(first.createdAt());
    assertThat(second.updatedAt()).isAfterOrEqualTo(first.updatedAt());
    assertThat(store.runs().charter(run.id(), "first")).contains("the charter");
  }

  @Test
  void replace_unknown_isRefused() {
    assertThat(store.runs().replace(run("a", "running"), 1, Optional.empty())).isFalse();
  }

  @Test
  void replace_withCharter_isReadByItsName() {
    Run run = created(run("a", "running"));
    Run next =
        new Run(run.id(), "a", "running", true, Optional.empty(), new Texts("second", "more"));

    assertThat(store.runs().replace(next, stored(run.id()).version(), Optional.of("new"))).isTrue();
    assertThat(stored(run.id()).run()).isEqualTo(next);
    assertThat(store.runs().charter(run.id(), "second")).contains("new");
  }

  @Test
  void replace_manyWritersOfTwoProcesses_loseNothing() throws Exception {
    Run run =
        created(
            new Run(
                UUID.randomUUID(),
                "a",
                "running",
                true,
                Optional.empty(),
                new Texts("first", "0")));
    JobStore other = closing(fixture.openStore());
    AtomicInteger turn = new AtomicInteger();
    int each = 10;
    onThreads(
        6,
        () -> {
          JobStore mine = turn.getAndIncrement() % 2 == 0 ? store : other;
          for (int done = 0; done < each; ) {
            StoredRun read = mine.runs().get(run.id()).orElseThrow();
            int count = Integer.parseInt(read.run().texts().content());
            Run next =
                new Run(
                    run.id(),
                    "a",
                    "running",
                    true,
                    Optional.empty(),
                    new Texts("first", Integer.toString(count + 1)));
            done += mine.runs().replace(next, read.version(), Optional.empty()) ? 1 : 0;
          }
          return true;
        });
    assertThat(stored(run.id()).run().texts().content()).isEqualTo(Integer.toString(6 * each));
  }

  @Test
  void list_filtersAndPages_coverEverythingOnce() {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      UUID id = new UUID(0x0190_0000_0000_7000L + (long) i * 0x1_0000, i);
      created(run(id, i % 2 == 0 ? "even" : "odd", i < 4 ? "running" : "failed", i < 4));
      ids.add(id);
    }
    Collections.reverse(ids);

    List<UUID> seen = new ArrayList<>();
    Page<StoredRun> page = store.runs().list(RunQuery.ALL.limit(3));
    page.items().forEach(run -> seen.add(run.run().id()));
    while (page.next().isPresent()) {
      page = store.runs().list(RunQuery.ALL.limit(3).cursor(page.next().get()));
      page.items().forEach(run -> seen.add(run.run().id()));
    }
    assertThat(seen).isEqualTo(ids);
    assertThat(store.runs().list(RunQuery.ALL.type("odd")).items()).hasSize(3);
    assertThat(store.runs().list(RunQuery.ALL.type("odd").states(Set.of("failed"))).items())
        .hasSize(1);
    assertThat(store.runs().list(RunQuery.ALL.states(Set.of("running", "failed"))).items())
        .hasSize(7);
    assertThat(store.runs().counts())
        .isEqualTo(
            Map.of(
                "even", Map.of("running", 2L, "failed", 2L),
                "odd", Map.of("running", 2L, "failed", 1L)));
    assertThatThrownBy(() -> store.runs().list(RunQuery.ALL.cursor("no' such")))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void overdue_wantedAttentionBeforeNow_longestWaitFirst() {
    Run late = created(wanting(run("a", "running"), Duration.ZERO));
    awaitStoreTime(stored(late.id()).readAt());
    Run later = created(wanting(run("a", "running"), Duration.ZERO));
    Run ended = created(with(wanting(run("a", "failed"), Duration.ZERO), "failed", false));
    created(wanting(run("a", "running"), LATER));
    created(run("a", "running"));

    await()
        .untilAsserted(
            () -> assertThat(store.runs().overdue(9)).containsExactly(late.id(), later.id()));
    assertThat(store.runs().overdue(1)).containsExactly(late.id());

    store.runs().replace(wanting(late, LATER), stored(late.id()).version(), Optional.empty());
    store
        .runs()
        .replace(with(later, "failed", false), stored(later.id()).version(), Optional.empty());
    assertThat(store.runs().overdue(9)).isEmpty();

    store
        .runs()
        .replace(with(ended, "running", true), stored(ended.id()).version(), Optional.empty());
    await().untilAsserted(() -> assertThat(store.runs().overdue(9)).containsExactly(ended.id()));
    RunStore other = closing(fixture.openStore()).runs();
    await().untilAsserted(() -> assertThat(other.overdue(9)).containsExactly(ended.id()));
  }

  @Test
  void purge_oldAndEnded_areRemovedForGood() {
    Run live = created(run("a", "running"));
    Run ended = created(run(UUID.randomUUID(), "a", "failed", false));
    Run again = created(run(UUID.randomUUID(), "a", "failed", false));
    StoredRun before = stored(ended.id());
    store
        .runs()
        .replace(with(again, "running", true), stored(again.id()).version(), Optional.empty());
    awaitStoreTime(before.readAt());

    assertThat(store.runs().purge(LATER, 10)).isZero();
    assertThat(store.runs().purge(Duration.ZERO, 10)).isEqualTo(1);
    assertThat(store.runs().get(ended.id())).isEmpty();
    assertThat(store.runs().charter(ended.id(), "first")).isEmpty();
    assertThat(
            store.runs().replace(with(ended, "running", true), before.version(), Optional.empty()))
        .as("what was removed does not come back")
        .isFalse();
    assertThat(
            Stream.of(live, again)
                .map(run -> store.runs().get(run.id()))
                .allMatch(Optional::isPresent))
        .isTrue();
  }

  @Test
  void purgeOfJobs_ofLiveRun_areKept() {
    Run live = created(run("a", "running"));
    Run ended = created(run(UUID.randomUUID(), "a", "failed", false));
    Instant since = stored(live.id()).createdAt();
    UUID kept = UUID.randomUUID();
    UUID gone = UUID.randomUUID();
    store.submit(
        List.of(
            stepOf(live.id(), kept, since),
            stepOf(ended.id(), gone, since),
            stepOf(UUID.randomUUID(), UUID.randomUUID(), since)));
    UUID plain = submit(task("t"));
    ManualWorker worker = manualWorker(task("t"));
    worker.succeedAll(worker.claimAll("t", 9));
    awaitCount(JobState.SUCCEEDED, 4);
    awaitStoreTime(job(plain).outcome().finishedAt().orElseThrow());

    assertThat(store.jobs().purge(Duration.ZERO)).isEqualTo(3);
    assertThat(sluice.jobs().get(gone)).isEmpty();
    assertThat(state(kept)).isEqualTo(JobState.SUCCEEDED);

    store.runs().replace(with(live, "done", false), stored(live.id()).version(), Optional.empty());
    assertThat(store.jobs().purge(Duration.ZERO)).isEqualTo(1);
    assertThat(sluice.jobs().get(kept)).isEmpty();
  }

  @Test
  void standings_wholeLife_inOneLook() {
    Run run = created(run("a", "running"));
    Instant since = stored(run.id()).createdAt();
    List<UUID> ids = IntStream.range(0, 5).mapToObj(i -> UUID.randomUUID()).toList();
    store.submit(ids.stream().map(id -> stepOf(run.id(), id, since)).toList());
    ManualWorker worker = manualWorker(task("t"));
    Map<UUID, ClaimedJob> claimed =
        worker.claim("t", 4).stream().collect(Collectors.toMap(ClaimedJob::id, job -> job));
    UUID ready = ids.stream().filter(id -> !claimed.containsKey(id)).findFirst().orElseThrow();
    List<ClaimedJob> jobs = List.copyOf(claimed.values());
    worker.report(jobs.get(0), new JobOutcome.Succeeded(Optional.of("7")));
    worker.report(
        jobs.get(1), new JobOutcome.Failed(new JobOutcome.Failure("T", "too bad", "trace")));
    worker.report(jobs.get(2), new JobOutcome.Cancelled());

    List<UUID> asked = new ArrayList<>(ids);
    UUID unknown = UUID.randomUUID();
    asked.add(unknown);
    Map<UUID, JobStanding> seen = store.jobs().standings(asked, since);
    assertThat(seen).containsOnlyKeys(ids);
    assertThat(seen.get(jobs.get(0).id()).ended()).contains(JobState.SUCCEEDED);
    assertThat(seen.get(jobs.get(0).id()).finishedAt())
        .isEqualTo(job(jobs.get(0).id()).outcome().finishedAt());
    assertThat(seen.get(jobs.get(1).id()).ended()).contains(JobState.FAILED);
    assertThat(seen.get(jobs.get(1).id()).failure()).contains("too bad");
    assertThat(seen.get(jobs.get(2).id()).ended()).contains(JobState.CANCELLED);
    assertThat(seen.get(jobs.get(3).id())).isEqualTo(JobStanding.UNFINISHED);
    assertThat(seen.get(ready)).isEqualTo(JobStanding.UNFINISHED);
    assertThat(store.jobs().standings(List.of(), since)).isEmpty();

    List<JobInfo> all = store.jobs().getAll(asked, since);
    assertThat(all).extracting(JobInfo::id).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(all)
        .allSatisfy(job -> assertThat(job).isEqualTo(sluice.jobs().get(job.id()).orElseThrow()));

    assertThatThrownBy(() -> sluice.jobs().retry(jobs.get(1).id()))
        .as("it would be one step more than the run knows of")
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(run.id().toString());
    assertThat(sluice.jobs().retry(jobs.get(0).id())).as("it succeeded").isFalse();
  }

  /** A run may last longer than its retention; its first results are still needed when it ends. */
  @Test
  void purge_goesByTheEndOfTheRun() {
    Run run = created(run("a", "running"));
    UUID step = UUID.randomUUID();
    store.submit(List.of(stepOf(run.id(), step, stored(run.id()).createdAt())));
    ManualWorker worker = manualWorker(task("t"));
    worker.succeedAll(worker.claimAll("t", 9));
    awaitCount(JobState.SUCCEEDED, 1);
    Instant finished = job(step).outcome().finishedAt().orElseThrow();
    awaitStoreTime(finished.plusSeconds(2));
    store.runs().replace(with(run, "done", false), stored(run.id()).version(), Optional.empty());

    assertThat(store.jobs().purge(Duration.ofSeconds(2))).isZero();
    awaitStoreTime(stored(run.id()).updatedAt());
    assertThat(store.jobs().purge(Duration.ZERO)).isEqualTo(1);
  }

  @Test
  void submit_stepFinishedBefore_isDuplicateFromAnyProcess() {
    Run run = created(run("a", "running"));
    Instant since = stored(run.id()).createdAt();
    List<UUID> ids = IntStream.range(0, 300).mapToObj(i -> UUID.randomUUID()).toList();
    List<NewJob> steps = ids.stream().map(id -> stepOf(run.id(), id, since)).toList();
    assertThat(store.submit(steps)).allMatch(Submission::accepted);
    ManualWorker worker = manualWorker(task("t"));
    worker.succeedAll(worker.claimAll("t", 200));

    assertThat(store.submit(steps)).noneMatch(Submission::accepted);
    assertThat(closing(fixture.openStore()).submit(steps)).noneMatch(Submission::accepted);
    awaitCount(JobState.SUCCEEDED, 200);
    awaitCount(JobState.READY, 100);
  }

  /** A job that ended between two looks of a submit was stored, and ran, a second time. */
  @Test
  void submit_againWhileItEnds_runsOnce() throws Exception {
    Run run = created(run("a", "running"));
    Instant since = stored(run.id()).createdAt();
    List<UUID> ids = IntStream.range(0, 200).mapToObj(i -> UUID.randomUUID()).toList();
    List<NewJob> steps = ids.stream().map(id -> stepOf(run.id(), id, since)).toList();
    store.submit(steps);
    AtomicInteger ran = new AtomicInteger();
    closing(worker().handle(task("t"), (payload, context) -> ran.incrementAndGet()).start());
    onThreads(
        4,
        () -> {
          while (store.jobs().standings(ids, since).values().stream()
              .anyMatch(job -> job.ended().isEmpty())) {
            for (int from = 0; from < steps.size(); from += 10) {
              store.submit(steps.subList(from, from + 10));
            }
          }
          return true;
        });
    awaitCount(JobState.SUCCEEDED, ids.size());
    assertThat(ran).hasValue(ids.size());
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
  }
}
