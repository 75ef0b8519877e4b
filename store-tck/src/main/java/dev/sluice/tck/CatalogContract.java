package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The jobs on record: found, listed, counted and, when old, removed. */
abstract class CatalogContract extends ContractTopic {
  private static final Task<Integer> A = task("a");
  private static final Task<Integer> B = task("b");

  CatalogContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private List<UUID> list(JobQuery query) {
    return sluice.jobs().list(query).items().stream().map(JobInfo::id).toList();
  }

  @Test
  void get_unknown_isEmpty() {
    assertThat(sluice.jobs().get(UUID.randomUUID())).isEmpty();
  }

  @Test
  void get_wholeLife_isOnRecord() {
    UUID id = submit(A);
    ManualWorker worker = manualWorker(A);
    ClaimedJob claimed = worker.claim("a", 1).get(0);
    JobInfo running = job(id);
    assertThat(running.state()).isEqualTo(JobState.RUNNING);
    assertThat(running.progress().workerId()).contains(worker.id());
    assertThat(running.progress().startedAt().orElseThrow())
        .isAfterOrEqualTo(running.spec().schedule().submittedAt());

    worker.report(claimed, new JobOutcome.Succeeded(Optional.of("{\"sum\": 3}")));
    JobInfo done = job(id);
    assertThat(done.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(done.outcome().result().orElseThrow().replace(" ", "")).isEqualTo("{\"sum\":3}");
    assertThat(done.outcome().finishedAt().orElseThrow())
        .isAfterOrEqualTo(done.progress().startedAt().orElseThrow());
    assertThat(done.progress().workerId()).contains(worker.id());
    assertThat(done.progress().attempt()).isEqualTo(1);
    assertThat(done.spec()).isEqualTo(running.spec());
  }

  @Test
  void list_newestFirst() {
    List<UUID> ids = new ArrayList<>(submit(A, 10));
    Collections.reverse(ids);

    assertThat(list(JobQuery.ALL)).isEqualTo(ids);
  }

  @Test
  void list_pages_coverEverythingOnce() {
    List<UUID> ids = new ArrayList<>(submit(A, 25));
    ManualWorker worker = manualWorker(A);
    worker.succeedAll(worker.claim("a", 7));
    Collections.reverse(ids);

    List<UUID> seen = new ArrayList<>();
    JobQuery query = JobQuery.ALL.limit(10);
    Page<JobInfo> page = sluice.jobs().list(query);
    while (true) {
      assertThat(page.items()).hasSizeLessThanOrEqualTo(10).isNotEmpty();
      page.items().forEach(job -> seen.add(job.id()));
      if (page.next().isEmpty()) {
        break;
      }
      submit(A);
      page = sluice.jobs().list(query.cursor(page.next().get()));
    }
    assertThat(seen).as("new jobs do not shift the pages").isEqualTo(ids);
  }

  @Test
  void list_badCursor_isRefused() {
    assertThatThrownBy(() -> sluice.jobs().list(JobQuery.ALL.cursor("no' such; cursor")))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void list_filters_allMustHold() {
    UUID plain = submit(A);
    UUID queued = submit(A, o -> o.queue("slow"));
    UUID keyed = submit(B, o -> o.concurrencyKey("k/1"));
    UUID both = submit(B, o -> o.queue("slow").concurrencyKey("k/1"));
    UUID later = submit(A, o -> o.delay(Duration.ofHours(1)));
    ManualWorker worker = manualWorker(A);
    worker.succeed(worker.claim("a", 1).get(0));
    Group key = Group.of("b").key("k/1");

    assertThat(list(JobQuery.ALL.task("a"))).containsExactly(later, queued, plain);
    assertThat(list(JobQuery.ALL.queue("slow"))).containsExactly(both, queued);
    assertThat(list(JobQuery.ALL.group(key))).containsExactly(both, keyed);
    assertThat(list(JobQuery.ALL.group(Group.of("b")))).containsExactly(both, keyed);
    assertThat(list(JobQuery.ALL.group(key).queue("slow"))).containsExactly(both);
    assertThat(list(JobQuery.ALL.states(JobState.SUCCEEDED))).containsExactly(plain);
    assertThat(list(JobQuery.ALL.states(JobState.SCHEDULED))).containsExactly(later);
    assertThat(list(JobQuery.ALL.states(JobState.SUCCEEDED, JobState.SCHEDULED)))
        .containsExactly(later, plain);
    assertThat(list(JobQuery.ALL.states(JobState.READY))).containsExactly(both, keyed, queued);
    assertThat(list(JobQuery.ALL.task("a").states(JobState.READY).queue("default"))).isEmpty();
    assertThat(list(JobQuery.ALL.task("nobody"))).isEmpty();
  }

  @Test
  void list_text_isContainedToTheLetter() {
    Task<String> texts = Task.named("texts", String.class).build();
    List<String> payloads =
        List.of("100% sure", "100 sure", "a_b", "aXb", "back\\slash", "it's", "日本語 é", "É");
    Map<String, UUID> ids = new HashMap<>();
    payloads.forEach(text -> ids.put(text, sluice.submit(texts, text).id()));
    UUID done = ids.get("it's");
    ManualWorker worker = manualWorker(texts);
    ClaimedJob running = worker.claim("texts", 1).get(0);
    assertThat(running.id()).isEqualTo(ids.get("100% sure"));
    sluice.jobs().cancel(done);

    assertThat(list(JobQuery.ALL.text("0% s"))).containsExactly(ids.get("100% sure"));
    assertThat(list(JobQuery.ALL.text("sure")))
        .containsExactly(ids.get("100 sure"), ids.get("100% sure"));
    assertThat(list(JobQuery.ALL.text("_"))).containsExactly(ids.get("a_b"));
    assertThat(list(JobQuery.ALL.text("\\\\"))).containsExactly(ids.get("back\\slash"));
    assertThat(list(JobQuery.ALL.text("'"))).containsExactly(done);
    assertThat(list(JobQuery.ALL.text("本語 é"))).containsExactly(ids.get("日本語 é"));
    assertThat(list(JobQuery.ALL.text("SURE"))).as("to the letter").isEmpty();
    assertThat(list(JobQuery.ALL.text("sure").states(JobState.RUNNING)))
        .containsExactly(running.id());
    assertThat(list(JobQuery.ALL.text("'").task("a"))).isEmpty();
  }

  @Test
  void list_rareMatches_areAllFoundByFollowingThePages() {
    List<UUID> wanted = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      submit(A, 150);
      wanted.add(submit(B, o -> o.queue("slow")));
    }
    ManualWorker worker = manualWorker(A, B);
    worker.succeedAll(worker.claim("a", 200));
    Collections.reverse(wanted);

    for (JobQuery query :
        List.of(
            JobQuery.ALL.task("b"),
            JobQuery.ALL.queue("slow"),
            JobQuery.ALL.group(B.group()).states(JobState.READY))) {
      List<UUID> seen = new ArrayList<>();
      Page<JobInfo> page = sluice.jobs().list(query.limit(4));
      while (true) {
        assertThat(page.items()).hasSizeLessThanOrEqualTo(4);
        page.items().forEach(job -> seen.add(job.id()));
        if (page.next().isEmpty()) {
          break;
        }
        page = sluice.jobs().list(query.limit(4).cursor(page.next().get()));
      }
      assertThat(seen).as(query.toString()).isEqualTo(wanted);
    }
  }

  @Test
  void list_waiting_isToldFromReady() {
    Task<Integer> limited = task("limited", 1);
    List<UUID> ids = submit(limited, 3);
    UUID free = submit(A);
    ManualWorker worker = manualWorker(limited);
    worker.claim("limited", 1);

    assertThat(list(JobQuery.ALL.states(JobState.WAITING))).containsExactly(ids.get(2), ids.get(1));
    assertThat(list(JobQuery.ALL.states(JobState.READY))).containsExactly(free);
    assertThat(list(JobQuery.ALL.states(JobState.RUNNING))).containsExactly(ids.get(0));
  }

  @Test
  void counts_everyStateIsAKey() {
    assertThat(sluice.jobs().counts()).containsOnlyKeys(JobState.values());
    assertThat(sluice.jobs().counts().values()).containsOnly(0L);

    submit(A, 6);
    submit(A, o -> o.delay(Duration.ofHours(1)));
    ManualWorker worker = manualWorker(A);
    List<ClaimedJob> claimed = worker.claim("a", 4);
    worker.succeed(claimed.get(0));
    worker.report(
        claimed.get(1), new JobOutcome.Failed(new JobOutcome.Failure("Boom", "boom", "")));
    worker.report(claimed.get(2), new JobOutcome.Cancelled());

    assertThat(sluice.jobs().counts())
        .containsEntry(JobState.SCHEDULED, 1L)
        .containsEntry(JobState.READY, 2L)
        .containsEntry(JobState.WAITING, 0L)
        .containsEntry(JobState.RUNNING, 1L)
        .containsEntry(JobState.SUCCEEDED, 1L)
        .containsEntry(JobState.FAILED, 1L)
        .containsEntry(JobState.CANCELLED, 1L);
  }

  @Test
  void purge_removesOnlyWhatFinishedLongEnoughAgo() {
    List<UUID> ids = submit(A, 10);
    ManualWorker worker = manualWorker(A);
    List<ClaimedJob> claimed = worker.claim("a", 6);
    worker.succeedAll(claimed.subList(0, 3));
    worker.report(claimed.get(3), new JobOutcome.Cancelled());

    assertThat(sluice.jobs().purge(Duration.ofHours(1))).isZero();
    assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 3L);
    assertThat(sluice.jobs().purge(Duration.ZERO)).isEqualTo(4);
    assertThat(sluice.jobs().get(ids.get(0))).isEmpty();
    assertThat(sluice.jobs().counts())
        .containsEntry(JobState.SUCCEEDED, 0L)
        .containsEntry(JobState.CANCELLED, 0L)
        .containsEntry(JobState.RUNNING, 2L)
        .containsEntry(JobState.READY, 4L);
    assertThat(worker.succeedAll(claimed.subList(4, 6))).hasSize(2);
  }

  @Test
  void purge_batch_takesTheOldestFirst() {
    List<UUID> ids = submit(A, 5);
    ManualWorker worker = manualWorker(A);
    for (int i = 0; i < 5; i++) {
      worker.succeed(worker.claim("a", 1).get(0));
    }

    assertThat(store.jobs().purge(Duration.ZERO, 2)).isEqualTo(2);
    assertThat(sluice.jobs().get(ids.get(0))).isEmpty();
    assertThat(sluice.jobs().get(ids.get(1))).isEmpty();
    assertThat(sluice.jobs().get(ids.get(2))).isPresent();
    assertThat(store.jobs().purge(Duration.ZERO, 9)).isEqualTo(3);
    assertThat(store.jobs().purge(Duration.ZERO, 9)).isZero();
  }

  @Test
  void purged_idMayBeUsedAgain() {
    UUID id = UUID.fromString("5a0e4b0e-8a63-4b38-8d0c-26f2f8f2ad77");
    submit(A, o -> o.id(id));
    sluice.jobs().cancel(id);
    assertThat(sluice.submit(A, 0, o -> o.id(id)).accepted()).isFalse();
    sluice.jobs().purge(Duration.ZERO);

    assertThat(sluice.submit(A, 0, o -> o.id(id))).isEqualTo(new Submission.Submitted(id));
  }

  @Test
  void otherNamespaces_seeNothing() {
    submit(A, 3);
    sluice.concurrency().setLimit("a", 3);

    try (StoreFixture elsewhere = openAnotherNamespace();
        dev.sluice.Sluice other = elsewhere.open()) {
      assertThat(other.jobs().counts()).containsEntry(JobState.READY, 0L);
      assertThat(other.concurrency().groups()).isEmpty();
    }
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 3L);
  }
}
