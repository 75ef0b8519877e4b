package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.HeldSlot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final Refusals refusals = new Refusals();

  private static Answer answer(Set<String> full, String... slotsOf) {
    List<HeldSlot> slots = Stream.of(slotsOf).map(group -> new HeldSlot(group, 0, 1)).toList();
    return new Answer(Set.of(), List.of(), slots, false, Optional.empty(), full);
  }

  @Test
  void news_groupFoundFullAgainAndAgain_isNewsOnce() {
    assertThat(refusals.news(answer(Set.of("g")))).containsExactly("g");
    assertThat(refusals.news(answer(Set.of("g")))).isEmpty();
    assertThat(refusals.news(answer(Set.of()))).isEmpty();
    assertThat(refusals.news(answer(Set.of("g")))).isEmpty();
  }

  @Test
  void news_slotGotInBetween_isNewsAgain() {
    refusals.news(answer(Set.of("g", "h")));
    assertThat(refusals.news(answer(Set.of(), "g"))).isEmpty();

    assertThat(refusals.news(answer(Set.of("g", "h")))).containsExactly("g");
  }

  @Test
  void news_jobNamesASlotInBetween_isNewsAgain() {
    refusals.news(answer(Set.of("g")));
    ClaimedJob.Run run =
        new ClaimedJob.Run(1, true, Optional.empty(), Duration.ZERO, Optional.empty());
    List<NamedSlot> named = List.of(new NamedSlot("g", 0));
    ClaimedJob.Bond bond = new ClaimedJob.Bond(List.of(), named, List.of(), false, List.of());
    ClaimedJob job = new ClaimedJob(UUID.randomUUID(), 1, "t", run, bond, "{}");
    assertThat(
            refusals.news(
                new Answer(
                    Set.of(), List.of(job), List.of(), false, Optional.empty(), Set.of("g"))))
        .as("some of the slots it asked for")
        .isEmpty();

    assertThat(refusals.news(answer(Set.of("g")))).containsExactly("g");
  }

  @Test
  void news_someSlotsGotInTheSameAnswer_isNone() {
    assertThat(refusals.news(answer(Set.of("g"), "g"))).isEmpty();
    assertThat(refusals.news(answer(Set.of("g")))).containsExactly("g");
  }

  @Test
  void news_endlesslyManyGroups_areNotAllRemembered() {
    for (int i = 0; i <= Refusals.MOST; i++) {
      refusals.news(answer(Set.of("g" + i)));
    }
    assertThat(refusals.news(answer(Set.of("g0")))).containsExactly("g0");
  }
}
