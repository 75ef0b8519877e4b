package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.Task;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The log of limits: who changed which when. */
abstract class LimitLogContract extends ContractTopic {
  private static final Group GROUP = Group.of("g");

  LimitLogContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private void set(Group group, LimitLevel level, OptionalInt limit, String by) {
    store.limits().setLimit(group, level, limit, by);
  }

  private void operator(Group group, int limit, String by) {
    set(group, LimitLevel.OPERATOR, OptionalInt.of(limit), by);
  }

  private List<LimitChange> log() {
    return store.limits().changes(Optional.empty(), 100);
  }

  private ConcurrencyStatus.Origin origin(Group group) {
    return store.limits().status(group).origin();
  }

  @Test
  void nothingChanged_isEmpty() {
    assertThat(log()).isEmpty();
    assertThat(store.limits().changes(Optional.of(GROUP), 10)).isEmpty();
  }

  @Test
  void changes_newestFirstWithBeforeAndAfter() {
    operator(GROUP, 5, "anna");
    operator(GROUP, 7, "ben 'b' é");
    set(GROUP, LimitLevel.CONFIG, OptionalInt.of(3), "file");
    set(GROUP, LimitLevel.OPERATOR, OptionalInt.empty(), "anna");

    List<LimitChange> log = log();
    assertThat(log)
        .extracting(LimitChange::by)
        .containsExactly("anna", "file", "ben 'b' é", "anna");
    assertThat(log)
        .extracting(LimitChange::level)
        .containsExactly(
            LimitLevel.OPERATOR, LimitLevel.CONFIG, LimitLevel.OPERATOR, LimitLevel.OPERATOR);
    assertThat(log)
        .extracting(LimitChange::before)
        .containsExactly(
            OptionalInt.of(7), OptionalInt.empty(), OptionalInt.of(5), OptionalInt.empty());
    assertThat(log)
        .extracting(LimitChange::after)
        .containsExactly(
            OptionalInt.empty(), OptionalInt.of(3), OptionalInt.of(7), OptionalInt.of(5));
    assertThat(log).extracting(LimitChange::group).containsOnly(GROUP);
    for (int i = 1; i < log.size(); i++) {
      assertThat(log.get(i).at()).isBeforeOrEqualTo(log.get(i - 1).at());
    }
  }

  @Test
  void changes_ofOneGroup_andAtMostSoMany() {
    Group key = GROUP.dimension("tenant", "a/c%me");
    operator(GROUP, 1, "a");
    operator(key, 2, "b");
    operator(GROUP.anyValueOf("tenant"), 3, "c");
    operator(key, 4, "d");

    assertThat(store.limits().changes(Optional.of(key), 10))
        .extracting(LimitChange::by)
        .containsExactly("d", "b");
    assertThat(store.limits().changes(Optional.of(key), 1))
        .extracting(LimitChange::by)
        .containsExactly("d");
    assertThat(store.limits().changes(Optional.empty(), 3))
        .extracting(LimitChange::by)
        .containsExactly("d", "c", "b");
  }

  @Test
  void sameNumberAgain_isNoChange() {
    operator(GROUP, 5, "anna");
    operator(GROUP, 5, "ben");
    set(GROUP, LimitLevel.CONFIG, OptionalInt.empty(), "file");
    set(Group.of("unknown"), LimitLevel.OPERATOR, OptionalInt.empty(), "ben");

    assertThat(log()).extracting(LimitChange::by).containsExactly("anna");
  }

  @Test
  void codeAndSubmit_areNotOnTheLog() {
    Task<Integer> declared = task("declared", 3);
    manualWorker(declared);
    submit(task("t"), o -> o.concurrencyGroup("named").concurrencyLimit(2));

    assertThat(log()).isEmpty();
    assertThat(origin(declared.group()).level()).contains(LimitLevel.CODE);
    assertThat(origin(declared.group()).change()).isEmpty();
    assertThat(origin(Group.of("named")).level()).contains(LimitLevel.SUBMIT);
    assertThat(origin(Group.of("named")).change()).isEmpty();
  }

  @Test
  void status_saysWhoSetTheLimitInForceAndWhen() {
    operator(GROUP, 5, "anna");
    set(GROUP, LimitLevel.CONFIG, OptionalInt.of(3), "file");
    List<LimitChange> log = log();

    assertThat(origin(GROUP).change()).contains(log.get(1));
    set(GROUP, LimitLevel.OPERATOR, OptionalInt.empty(), "ben");
    assertThat(origin(GROUP).change()).contains(log.get(0));
    set(GROUP, LimitLevel.CONFIG, OptionalInt.empty(), "file");
    assertThat(origin(GROUP).change()).isEmpty();
  }

  @Test
  void status_inheritedLimit_namesTheChangeOfTheFamily() {
    Group family = GROUP.anyKey();
    operator(family, 0, "anna");

    LimitChange change = origin(GROUP.key("k")).change().orElseThrow();
    assertThat(change.group()).isEqualTo(family);
    assertThat(change.by()).isEqualTo("anna");
    assertThat(change.after()).hasValue(0);
  }

  @Test
  void otherProcesses_seeIt() {
    operator(GROUP, 5, "anna");

    assertThat(anotherProcess().concurrency().changes(Optional.of(GROUP), 10)).isEqualTo(log());
  }
}
