package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobIdsTest {
  @Test
  void next_calledInARow_sortsInThatOrder() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      ids.add(JobIds.next().toString());
    }

    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void next_isAUuidOfVersionSevenOfThisMoment() {
    long before = System.currentTimeMillis();
    UUID id = JobIds.next();

    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    // A burst of ids may borrow a few milliseconds from the future.
    assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, before + 5_000);
  }

  @Test
  void next_byManyThreads_isUnique() {
    List<UUID> ids = IntStream.range(0, 100_000).parallel().mapToObj(i -> JobIds.next()).toList();

    assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
  }
}
