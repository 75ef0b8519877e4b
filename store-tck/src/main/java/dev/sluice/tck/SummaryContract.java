package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.InvalidRequestException;
import dev.sluice.Page;
import dev.sluice.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups in a line each: all by name, or the busiest. */
abstract class SummaryContract extends ContractTopic {
  SummaryContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private List<GroupSummary> summaries(GroupQuery query) {
    return store.limits().summaries(query).items();
  }

  private static List<String> names(List<GroupSummary> summaries) {
    return summaries.stream().map(summary -> summary.group().toString()).toList();
  }

  private void permit(Group group, int limit) {
    assertThat(
            sluice
                .concurrency()
                .tryAcquire(group, OptionalInt.of(limit), "holder", "process", LONG_LEASE))
        .isPresent();
  }

  /** A group's line says what its page does. */
  private void assertAgrees(GroupSummary summary) {
    ConcurrencyStatus status = store.limits().status(summary.group());
    assertThat(summary)
        .isEqualTo(
            new GroupSummary(
                status.group(),
                status.limit(),
                status.origin().level(),
                status.active(),
                status.waiting()));
  }

  @Test
  void groupThatNothingHasUsed_isToldWithTheNearestNameOnRecord() {
    Task<Integer> mail = task("send_email", 2);
    submit(mail);
    submit(task("resize"), o -> o.concurrencyKey("image-7"));
    sluice.concurrency().setLimit(Group.of("stripe").anyValueOf("tenant"), 3);
    assertThat(nearest(Group.of("sned_email"))).isEmpty();
    manualWorker(mail);

    assertThat(nearest(Group.of("sned_email"))).contains("send_email");
    assertThat(nearest(Group.of("stripe").anyValueOf("tennant"))).contains("stripe/tenant=*");
    assertThat(nearest(Group.of("unheard_of"))).isEmpty();
    for (Group used :
        List.of(
            Group.of("send_email"),
            Group.of("resize"),
            Group.of("resize").key("image-7"),
            Group.of("stripe").anyValueOf("tenant"))) {
      assertThat(sluice.unused(used)).as(used.toString()).isEmpty();
    }
  }

  private Optional<String> nearest(Group unused) {
    return sluice.unused(unused).orElseThrow().nearest();
  }

  @Test
  void nothingThere_isEmpty() {
    assertThat(store.limits().summaries(GroupQuery.BUSIEST).items()).isEmpty();
    assertThat(store.limits().summaries(GroupQuery.BY_NAME))
        .isEqualTo(new Page<>(List.of(), Optional.empty()));
  }

  @Test
  void byName_everyGroupWithALimitOrASlot_asStatusSays() {
    Task<Integer> task =
        Task.named("mail", Integer.class)
            .maxConcurrent(4)
            .maxConcurrentPer("tenant", n -> "t" + n % 2, 2)
            .build();
    ManualWorker worker = manualWorker(task, task("free"));
    sluice.submitAll(task, IntStream.range(0, 9).boxed().toList());
    submit(task("free"), 3);
    assertThat(worker.claimAll("mail", 20)).hasSize(4);
    permit(Group.of("zebra").key("k/1"), 3);
    sluice.concurrency().setLimit(Group.of("held"), 0);

    List<GroupSummary> all = summaries(GroupQuery.BY_NAME);
    assertThat(names(all))
        .containsExactly(
            "held", "mail", "mail/tenant=*", "mail/tenant=t0", "mail/tenant=t1", "zebra/k%2F1");
    assertThat(all)
        .filteredOn(summary -> !summary.group().isFamily())
        .allSatisfy(this::assertAgrees);
    GroupSummary family = all.get(2);
    assertThat(family.limit()).hasValue(2);
    assertThat(family.active()).isZero();
    assertThat(family.waiting()).isZero();
  }

  @Test
  void byName_pages_coverEverythingOnce() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 23; i++) {
      Group group = Group.of("g" + i * 7 % 23);
      sluice.concurrency().setLimit(group, i);
      expected.add(group.toString());
    }
    sluice.concurrency().setLimit(Group.of("G upper"), 1);
    sluice.concurrency().setLimit(Group.of("é"), 1);
    expected.addAll(List.of("G upper", "é"));
    Collections.sort(expected);

    List<String> seen = new ArrayList<>();
    GroupQuery query = GroupQuery.BY_NAME.limit(4);
    Page<GroupSummary> page = store.limits().summaries(query);
    while (true) {
      assertThat(page.items()).hasSizeLessThanOrEqualTo(4);
      seen.addAll(names(page.items()));
      if (page.next().isEmpty()) {
        break;
      }
      page = store.limits().summaries(query.cursor(page.next().get()));
    }
    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void search_containsWhateverTheCase() {
    for (String name : List.of("SendEmail", "send_sms", "fetch", "100%", "a\\b", "Äpfel")) {
      sluice.concurrency().setLimit(Group.of(name), 1);
    }
    permit(Group.of("other").key("Resend"), 1);

    assertThat(names(summaries(GroupQuery.BY_NAME.search("send"))))
        .containsExactly("SendEmail", "other/Resend", "send_sms");
    assertThat(names(summaries(GroupQuery.BY_NAME.search("END_")))).containsExactly("send_sms");
    assertThat(names(summaries(GroupQuery.BY_NAME.search("%25")))).containsExactly("100%25");
    assertThat(names(summaries(GroupQuery.BY_NAME.search("\\")))).containsExactly("a\\b");
    assertThat(names(summaries(GroupQuery.BY_NAME.search("äP")))).containsExactly("Äpfel");
    assertThat(summaries(GroupQuery.BY_NAME.search("s_nd"))).isEmpty();
    assertThat(names(summaries(GroupQuery.BUSIEST.search("RESEND"))))
        .containsExactly("other/Resend");
  }

  @Test
  void search_pagesToo() {
    for (int i = 10; i < 40; i++) {
      sluice.concurrency().setLimit(Group.of((i % 3 == 0 ? "hit" : "miss") + i), 1);
    }
    GroupQuery query = GroupQuery.BY_NAME.search("HIT").limit(3);
    List<String> seen = new ArrayList<>();
    Page<GroupSummary> page = store.limits().summaries(query);
    seen.addAll(names(page.items()));
    while (page.next().isPresent()) {
      page = store.limits().summaries(query.cursor(page.next().get()));
      seen.addAll(names(page.items()));
    }
    assertThat(seen)
        .hasSize(10)
        .isSorted()
        .doesNotHaveDuplicates()
        .allMatch(n -> n.contains("hit"));
  }

  @Test
  void busiest_fullWithManyWaitingIsInFront() {
    Task<Integer> roomy = task("roomy", 10);
    Task<Integer> crowded = task("crowded", 2);
    Task<Integer> full = task("full", 1);
    ManualWorker worker = manualWorker(roomy, crowded, full);
    submit(roomy, 5);
    submit(crowded, 12);
    submit(full, 1);
    assertThat(worker.claimAll("roomy", 5)).hasSize(5);
    assertThat(worker.claimAll("crowded", 9)).hasSize(2);
    assertThat(worker.claimAll("full", 9)).hasSize(1);
    sluice.concurrency().setLimit(Group.of("idle"), 5);

    List<GroupSummary> busiest = summaries(GroupQuery.BUSIEST);
    assertThat(names(busiest)).startsWith("crowded").contains("full", "roomy");
    assertThat(busiest.get(0).waiting()).isEqualTo(10);
    assertThat(busiest.get(0).pressure()).isEqualTo(1);
    assertThat(busiest).allSatisfy(this::assertAgrees);
    assertThat(names(summaries(GroupQuery.BUSIEST.limit(1)))).containsExactly("crowded");
  }

  @Test
  void busiest_heldGroupWithWaitingJobs_isAmongThem() {
    sluice.concurrency().setLimit(Group.of("held"), 0);
    submit(task("held"), 3);

    List<GroupSummary> busiest = summaries(GroupQuery.BUSIEST);
    assertThat(names(busiest)).contains("held");
    assertThat(busiest).allSatisfy(this::assertAgrees);
  }

  @Test
  void waiting_countsNeitherScheduledNorRunning() {
    Task<Integer> task = task("t", 1);
    ManualWorker worker = manualWorker(task);
    submit(task, 3);
    submit(task, o -> o.delay(Duration.ofHours(1)));
    worker.claim("t", 1);

    GroupSummary summary = summaries(GroupQuery.BY_NAME).get(0);
    assertThat(summary.active()).isEqualTo(1);
    assertThat(summary.waiting()).isEqualTo(2);
  }

  @Test
  void held_isEveryGroupThatARuleOfItsOwnHoldsAtZero() {
    Group strong = Group.of("strong");
    sluice.concurrency().configureLimit(strong, OptionalInt.of(0));
    sluice.concurrency().setLimit(strong, 3);
    sluice.concurrency().setLimit(Group.of("open"), 2);
    sluice.concurrency().setLimit(Group.of("idle"), 0);
    sluice.concurrency().setLimit(Group.of("busy"), 0);
    sluice.concurrency().setLimit(Group.of("mail").anyValueOf("tenant"), 0);
    sluice.concurrency().configureLimit(Group.of("filed"), OptionalInt.of(0));
    submit(task("busy"), 3);
    Task<Integer> mail =
        Task.named("mail", Integer.class).maxConcurrentPer("tenant", n -> "t" + n, 2).build();
    submit(mail, 2);

    List<GroupSummary> held = summaries(GroupQuery.HELD);
    assertThat(names(held)).containsExactly("busy", "filed", "idle", "mail/tenant=*");
    assertThat(held.get(0).waiting()).isEqualTo(3);
    assertThat(held)
        .filteredOn(summary -> !summary.group().isFamily())
        .allSatisfy(this::assertAgrees);
    assertThat(names(summaries(GroupQuery.HELD.search("IL"))))
        .containsExactly("filed", "mail/tenant=*");
    Page<GroupSummary> first = store.limits().summaries(GroupQuery.HELD.limit(2));
    assertThat(names(first.items())).containsExactly("busy", "filed");
    assertThat(names(summaries(GroupQuery.HELD.cursor(first.next().orElseThrow()))))
        .containsExactly("idle", "mail/tenant=*");
  }

  @Test
  void pageOfNone_isRefused() {
    assertThatThrownBy(() -> summaries(GroupQuery.BY_NAME.limit(0)))
        .isInstanceOf(InvalidRequestException.class);
  }
}
