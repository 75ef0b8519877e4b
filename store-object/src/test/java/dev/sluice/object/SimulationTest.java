package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.Simulation.Flaw;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The whole store, played through from seeds. A failing seed is printed; {@code
 * -Dsluice.simulation.seed=N} plays it again, {@code -Dsluice.simulation.seeds=N} plays more.
 */
@Timeout(120)
class SimulationTest {
  private static final int SEEDS = Integer.getInteger("sluice.simulation.seeds", 300);

  @Test
  void everySeed_keepsTheRules() {
    Long one = Long.getLong("sluice.simulation.seed");
    long first = one == null ? System.nanoTime() : one;
    for (long seed = first; seed < first + (one == null ? SEEDS : 1); seed++) {
      List<String> violations = new Simulation(seed, Flaw.NONE).play();
      assertThat(violations).as("sluice.simulation.seed=%d", seed).isEmpty();
    }
  }

  @Test
  void sameSeed_playsTheSame() {
    assertThat(new Simulation(5, Flaw.TAGS_IGNORED).play())
        .isEqualTo(new Simulation(5, Flaw.TAGS_IGNORED).play());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void brokenProtocol_isNoticed(Flaw flaw) {
    assertThat(LongStream.range(0, 200))
        .as("seeds in which %s is noticed", flaw)
        .anyMatch(seed -> !new Simulation(seed, flaw).play().isEmpty());
  }
}
