package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LookPaceTest {
  private static final long LATER = LookPace.SHORTEST.toNanos();

  private final LookPace pace = new LookPace();

  @Test
  void outcomes_lookOnlyEveryFiftyMilliseconds() {
    assertThat(pace.mayLook(false, -5)).as("the first, whatever the clock says").isTrue();
    pace.looked(-5);
    assertThat(pace.mayLook(false, LATER - 6)).isFalse();
    assertThat(pace.comeBack(true)).contains(LookPace.SHORTEST);
    assertThat(pace.mayLook(false, LATER - 5)).isTrue();
  }

  @Test
  void loneJob_waitsForTheNextPoll() {
    pace.exchanged(false, 1, 0);
    assertThat(pace.comeBack(false)).isEmpty();
  }

  @Test
  void manyOutcomes_earnLooksAtGrowingIntervals() {
    pace.exchanged(false, 1_000, 0);
    List<Duration> waits = new ArrayList<>();
    for (Optional<Duration> wait = pace.comeBack(false);
        wait.isPresent();
        wait = pace.comeBack(false)) {
      waits.add(wait.get());
      pace.exchanged(true, 0, 0);
    }
    assertThat(waits).extracting(Duration::toMillis).containsExactly(50L, 100L, 200L, 400L, 800L);
  }

  @Test
  void idleWorker_looksWithEveryThirdPoll() {
    for (int poll = 0; poll < LookPace.IDLE_AFTER; poll++) {
      assertThat(pace.mayLook(true, poll)).isTrue();
      pace.exchanged(true, 0, 0);
    }
    long looks = IntStream.range(0, 30).filter(poll -> pace.mayLook(true, poll)).count();
    assertThat(looks).isEqualTo(10);
    pace.exchanged(true, 0, 1);
    assertThat(pace.mayLook(true, 0)).as("work was found").isTrue();
    assertThat(pace.mayLook(true, 0)).isTrue();
  }
}
