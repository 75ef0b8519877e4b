package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LinePositionsTest {
  private static final int LARGE = LinePositions.SMALLEST_CLAIM;
  private static final List<String> PLACE = List.of("a place");

  private long now = 1;
  private final LinePositions positions = new LinePositions(() -> now);

  @Test
  void start_first_isTheFront() {
    assertThat(positions.startOf(LARGE)).isEmpty();
  }

  @Test
  void start_afterAClaim_isItsEnd() {
    positions.startOf(LARGE);
    positions.endedAt(LARGE, PLACE);

    assertThat(positions.startOf(LARGE)).isEqualTo(PLACE);
  }

  @Test
  void start_ofASmallClaim_isTheFront() {
    positions.startOf(LARGE);
    positions.endedAt(LARGE, PLACE);

    assertThat(positions.startOf(LARGE - 1)).isEmpty();
  }

  @Test
  void start_afterAnExchangeThatClaimedNothing_isAsBefore() {
    positions.startOf(LARGE);
    positions.endedAt(LARGE, PLACE);
    assertThat(positions.startOf(0)).isEmpty();
    positions.endedAt(0, List.of());

    assertThat(positions.startOf(LARGE)).isEqualTo(PLACE);
  }

  @Test
  void start_afterAClaimThatRanOut_isTheFront() {
    positions.startOf(LARGE);
    positions.endedAt(LARGE, PLACE);
    positions.startOf(LARGE);
    positions.endedAt(LARGE, List.of());

    assertThat(positions.startOf(LARGE)).isEmpty();
  }

  @Test
  void start_tooLongAfterTheLastLookAtTheFront_isTheFront() {
    long blind = LinePositions.LONGEST_BLINDNESS.toNanos();
    positions.startOf(LARGE);
    positions.endedAt(LARGE, PLACE);
    now += blind;
    assertThat(positions.startOf(LARGE)).isEqualTo(PLACE);
    positions.endedAt(LARGE, PLACE);

    now += 1;
    assertThat(positions.startOf(LARGE)).isEmpty();
  }
}
