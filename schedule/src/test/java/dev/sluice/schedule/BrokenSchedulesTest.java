package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BrokenSchedulesTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
  private final BrokenSchedules broken = new BrokenSchedules(nanos::get);

  @Test
  void failed_restsForAMinute_andIsStillCounted() {
    broken.add("a");
    nanos.addAndGet(BrokenSchedules.REST_NANOS - 1);
    assertThat(broken.rests("a")).isTrue();
    assertThat(broken.rests("b")).isFalse();
    nanos.incrementAndGet();
    assertThat(broken.rests("a")).isFalse();
    assertThat(broken.size()).isEqualTo(1);
  }

  @Test
  void goneOrMended_isForgotten() {
    broken.add("a");
    broken.add("b");
    broken.add("c");
    broken.retain(List.of("b", "c", "d"));
    broken.remove("c");
    assertThat(broken.size()).isEqualTo(1);
    assertThat(broken.rests("b")).isTrue();
  }
}
