package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BoundedLabelsTest {
  private final AtomicLong clock = new AtomicLong();
  private final List<String> dropped = new ArrayList<>();
  private final BoundedLabels labels = new BoundedLabels(2, dropped::add, clock::get);

  private void use(String name, int times) {
    for (int i = 0; i < times; i++) {
      labels.of(name);
    }
  }

  private void aPeriodLater() {
    clock.addAndGet(BoundedLabels.PERIOD.toNanos());
  }

  @Test
  void of_firstNames_keepTheirsAndTheRestAreOther() {
    assertThat(labels.of("a")).isEqualTo("a");
    assertThat(labels.of("b")).isEqualTo("b");
    assertThat(labels.of("c")).isEqualTo("other");
    assertThat(labels.of("a")).isEqualTo("a");
  }

  @Test
  void of_aBusierOneComesUp_takesThePlaceOfTheLeastUsed() {
    use("a", 10);
    use("b", 2);
    use("c", 5);
    aPeriodLater();

    assertThat(labels.of("c")).isEqualTo("c");
    assertThat(labels.of("a")).isEqualTo("a");
    assertThat(labels.of("b")).isEqualTo("other");
    assertThat(dropped).containsExactly("b");
  }

  /** A meter made for a name that was dropped a moment before was never removed. */
  @Test
  void whileNamed_nameLostItsPlaceMeanwhile_isOther() {
    use("a", 10);
    use("b", 2);
    use("c", 9);
    String label = labels.of("b");
    assertThat(labels.<String>whileNamed(label, still -> still)).isEqualTo("b");
    aPeriodLater();
    labels.of("c");

    assertThat(labels.<String>whileNamed(label, still -> still)).isEqualTo("other");
    assertThat(labels.<String>whileNamed("other", still -> still)).isEqualTo("other");
  }

  @Test
  void of_aLittleBusier_doesNotChangePlaces() {
    use("a", 10);
    use("b", 5);
    use("c", 9);
    aPeriodLater();

    assertThat(labels.of("c")).isEqualTo("other");
    assertThat(dropped).isEmpty();
  }

  @Test
  void of_endlesslyManyNames_neverMoreThanAllowedAtATime() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 100_000; i++) {
      seen.add(labels.of("key-" + i));
    }

    assertThat(seen).containsExactlyInAnyOrder("key-0", "key-1", "other");
  }
}
