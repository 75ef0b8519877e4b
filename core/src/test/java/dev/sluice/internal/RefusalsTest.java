package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.HeldSlot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
