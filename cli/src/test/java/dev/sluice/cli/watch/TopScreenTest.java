package dev.sluice.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupSummary;
import dev.sluice.JobState;
import dev.sluice.LimitLevel;
import dev.sluice.SlotInfo;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Times;
import dev.sluice.cli.watch.TopView.Snapshot;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The screen at all sizes. */
class TopScreenTest {
  private final TopScreen screen =
      new TopScreen(new Style(true, true), new Times(Clock.fixed(Bulletins.START, ZoneOffset.UTC)));

  private static Snapshot snapshot(int groups) {
    List<GroupSummary> summaries =
        IntStream.range(0, groups)
            .mapToObj(
                i ->
                    new GroupSummary(
                        Group.of("group-with-a-long-name-" + i),
                        OptionalInt.of(3),
                        Optional.of(LimitLevel.OPERATOR),
                        2,
                        i))
            .toList();
    Optional<ConcurrencyStatus> selected =
        summaries.stream()
            .findFirst()
            .map(
                group ->
                    new ConcurrencyStatus(
                        group.group(),
                        group.limit(),
                        1,
                        0,
                        new ConcurrencyStatus.Origin(
                            group.level(), Optional.empty(), Map.of(), Optional.empty()),
                        List.of(
                            new SlotInfo(
                                0,
                                Optional.of("the-holder"),
                                Optional.of("w"),
                                Bulletins.START.plusSeconds(10),
                                Bulletins.START.minusSeconds(65),
                                7))));
    List<dev.sluice.WorkerInfo> before =
        List.of(Bulletins.worker("a", Bulletins.after(10, 0, List.of())));
    List<dev.sluice.WorkerInfo> after =
        List.of(Bulletins.worker("a", Bulletins.after(12, 10, List.of())));
    return new Snapshot(
        "file:data",
        Map.of(JobState.WAITING, 1234L),
        after,
        summaries,
        selected,
        Figures.between(before, after));
  }

  @ParameterizedTest
  @CsvSource({"200, 60", "100, 24", "80, 24", "40, 12", "20, 6", "5, 2", "1, 1"})
  void lines_anySize_neverExceedIt(int width, int height) {
    screen.show(snapshot(100));
    List<String> lines = screen.lines(width, height);
    assertThat(lines).hasSizeLessThanOrEqualTo(height).isNotEmpty();
    assertThat(lines)
        .allSatisfy(
            line ->
                assertThat(line.replaceAll("\u001b\\[[0-9;]*m", "").length())
                    .isLessThanOrEqualTo(width));
  }

  @Test
  void lines_wideScreen_showFiguresGroupsAndSlots() {
    screen.show(snapshot(3));
    String text = String.join("\n", screen.lines(120, 40));
    assertThat(text)
        .contains("file:data", "1,234 waiting", "running 3 of 8", "5.0/s succeeded", "WAIT P95")
        .contains("REFUSED/S")
        .contains("slots of group-with-a-long-name-0", "the-holder", "1m 5s ago", "q quits");
  }

  @Test
  void select_thenAnotherOrder_keepsTheGroup() {
    screen.show(snapshot(5));
    assertThat(screen.select(2)).isTrue();
    Group chosen = screen.selected().orElseThrow();
    Snapshot next = snapshot(5);
    List<GroupSummary> turned = new java.util.ArrayList<>(next.groups());
    java.util.Collections.reverse(turned);
    screen.show(
        new Snapshot(
            next.store(), next.counts(), next.workers(), turned, next.selected(), next.figures()));
    assertThat(screen.selected()).contains(chosen);
    screen.select(100);
    assertThat(screen.selected()).contains(turned.get(4).group());
  }

  @Test
  void lines_storeAway_sayWhyAndKeepTheRest() {
    assertThat(screen.lines(80, 24)).containsExactly("Looking...");
    screen.show(snapshot(1));
    screen.complain("The store is away.\u001b[31m");
    assertThat(String.join("\n", screen.lines(80, 24)))
        .contains("The store is away.\\u001b", "group-with-a-long-name-0");
  }

  @Test
  void lines_noGroups_saySo() {
    screen.show(snapshot(0));
    assertThat(screen.lines(80, 24)).contains("No group is in use.");
    assertThat(screen.select(1)).isFalse();
  }
}
