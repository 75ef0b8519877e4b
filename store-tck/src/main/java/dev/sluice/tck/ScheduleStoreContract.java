package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ScheduleStore;
import dev.sluice.spi.ScheduleStore.Entry;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Schedules, as documents that one of any number of writers replaces. */
abstract class ScheduleStoreContract extends ContractTopic {
  private static final Instant LONG_AGO = Instant.parse("2001-02-03T04:05:06.789Z");
  private static final Instant FAR = Instant.parse("9999-12-31T23:59:59Z");

  ScheduleStoreContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private ScheduleStore schedules() {
    return store.schedules();
  }

  private static Entry entry(String name, Instant next) {
    return new Entry(name, "text of " + name, Optional.ofNullable(next));
  }

  private StoredSchedule created(Entry entry) {
    assertThat(schedules().create(entry)).isTrue();
    return schedules().get(entry.name()).orElseThrow();
  }

  private static List<String> names(List<StoredSchedule> schedules) {
    return schedules.stream().map(schedule -> schedule.entry().name()).toList();
  }

  @Test
  void nothingThere_isEmpty() {
    assertThat(schedules().list()).isEmpty();
    assertThat(schedules().due(10)).isEmpty();
    assertThat(schedules().get("nobody")).isEmpty();
    assertThat(schedules().replace(entry("nobody", FAR), 1)).isFalse();
    assertThat(schedules().delete("nobody", 1)).isFalse();
  }

  @Test
  void created_isRead() {
    Entry entry = new Entry("nightly", "{\"cron\": \"0 3 * * *\", \"é\": 'x'}", Optional.of(FAR));
    StoredSchedule stored = created(entry);

    assertThat(stored.entry()).isEqualTo(entry);
    assertThat(stored.readAt()).isAfterOrEqualTo(stored.updatedAt());
    assertThat(schedules().list()).extracting(StoredSchedule::entry).containsExactly(entry);
  }

  @Test
  void nameTaken_changesNothing() {
    StoredSchedule first = created(entry("taken", FAR));

    assertThat(schedules().create(new Entry("taken", "other", Optional.empty()))).isFalse();
    StoredSchedule after = schedules().get("taken").orElseThrow();
    assertThat(after.entry()).isEqualTo(first.entry());
    assertThat(after.version()).isEqualTo(first.version());
  }

  @Test
  void manyCreateAtOnce_oneSucceeds() throws Exception {
    List<Boolean> created = onThreads(8, () -> schedules().create(entry("contested", FAR)));

    assertThat(created).filteredOn(won -> won).hasSize(1);
    assertThat(names(schedules().list())).containsExactly("contested");
  }

  @Test
  void replaced_byWhoHasReadIt() {
    StoredSchedule first = created(entry("s", FAR));
    Entry changed = new Entry("s", "changed", Optional.empty());

    assertThat(schedules().replace(changed, first.version())).isTrue();
    StoredSchedule second = schedules().get("s").orElseThrow();
    assertThat(second.entry()).isEqualTo(changed);
    assertThat(second.version()).isNotEqualTo(first.version());
    assertThat(second.updatedAt()).isAfterOrEqualTo(first.updatedAt());

    assertThat(schedules().replace(entry("s", FAR), first.version())).isFalse();
    assertThat(schedules().delete("s", first.version())).isFalse();
    assertThat(schedules().get("s").orElseThrow().entry()).isEqualTo(changed);
    assertThat(schedules().delete("s", second.version())).isTrue();
    assertThat(schedules().get("s")).isEmpty();
    assertThat(schedules().list()).isEmpty();
  }

  @Test
  void manyReplaceAtOnce_oneSucceedsPerVersion() throws Exception {
    StoredSchedule first = created(entry("s", FAR));
    AtomicInteger number = new AtomicInteger();
    List<Optional<String>> written =
        onThreads(
            8,
            () -> {
              Entry mine = new Entry("s", "by " + number.incrementAndGet(), Optional.empty());
              return schedules().replace(mine, first.version())
                  ? Optional.of(mine.text())
                  : Optional.empty();
            });

    List<Optional<String>> winners = written.stream().filter(Optional::isPresent).toList();
    assertThat(winners).hasSize(1);
    assertThat(schedules().get("s").orElseThrow().entry().text())
        .isEqualTo(winners.get(0).orElseThrow());
  }

  @Test
  void deletersAndReplacersAtOnce_oneSucceeds() throws Exception {
    StoredSchedule first = created(entry("s", FAR));
    AtomicInteger number = new AtomicInteger();
    List<Boolean> won =
        onThreads(
            8,
            () ->
                number.incrementAndGet() % 2 == 0
                    ? schedules().delete("s", first.version())
                    : schedules().replace(entry("s", LONG_AGO), first.version()));

    assertThat(won).filteredOn(each -> each).hasSize(1);
  }

  @Test
  void createdAgain_hasAnotherVersion() {
    List<Long> versions = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      StoredSchedule created = created(entry("s", FAR));
      versions.add(created.version());
      assertThat(schedules().replace(entry("s", LONG_AGO), created.version())).isTrue();
      StoredSchedule replaced = schedules().get("s").orElseThrow();
      versions.add(replaced.version());
      assertThat(schedules().delete("s", replaced.version())).isTrue();
    }
    assertThat(versions).doesNotHaveDuplicates();
  }

  @Test
  void list_byName() {
    List<String> names = new ArrayList<>(List.of("b", "a", "C", "a b", "é", "1", "a/b"));
    names.forEach(name -> created(entry(name, null)));
    Collections.sort(names);

    assertThat(names(schedules().list())).isEqualTo(names);
  }

  @Test
  void due_byTheStoresClock_longestWaitingFirst() {
    created(entry("never", null));
    created(entry("far", FAR));
    created(entry("second", LONG_AGO.plusSeconds(1)));
    created(entry("first", LONG_AGO));
    created(entry("third", LONG_AGO.plusSeconds(2)));

    assertThat(names(schedules().due(10))).containsExactly("first", "second", "third");
    assertThat(names(schedules().due(2))).containsExactly("first", "second");
    assertThat(schedules().due(10).get(0).entry().next()).contains(LONG_AGO);
  }

  @Test
  void due_soon_onlyWhenItIs() {
    Instant now = created(entry("clock", null)).readAt();
    Instant soon = now.plus(Duration.ofSeconds(4));
    created(entry("soon", soon));
    assertThat(schedules().due(10)).isEmpty();

    List<StoredSchedule> due = await().until(() -> schedules().due(10), some -> !some.isEmpty());
    assertThat(names(due)).containsExactly("soon");
    assertThat(due.get(0).readAt()).isAfterOrEqualTo(soon.minusMillis(1));
  }

  @Test
  void replaced_isDueAsTheNewOneSays() {
    StoredSchedule stored = created(entry("s", LONG_AGO));
    assertThat(schedules().replace(entry("s", FAR), stored.version())).isTrue();
    assertThat(schedules().due(10)).isEmpty();
  }

  @Test
  void oddNames_areKeptApart() {
    List<String> odd =
        List.of(
            "a/b",
            "a%2Fb",
            "..",
            "../x",
            "*",
            "a ",
            " a",
            "it's",
            "\"q\"",
            "back\\slash",
            "%_",
            "日本語",
            "😀",
            "x".repeat(200),
            "new\nline",
            "A",
            "a");
    odd.forEach(name -> created(entry(name, LONG_AGO)));

    for (String name : odd) {
      StoredSchedule stored = schedules().get(name).orElseThrow();
      assertThat(stored.entry()).isEqualTo(entry(name, LONG_AGO));
    }
    assertThat(names(schedules().list())).containsExactlyInAnyOrderElementsOf(odd);
    for (String name : odd) {
      assertThat(schedules().delete(name, schedules().get(name).orElseThrow().version())).isTrue();
    }
    assertThat(schedules().list()).isEmpty();
  }
}
