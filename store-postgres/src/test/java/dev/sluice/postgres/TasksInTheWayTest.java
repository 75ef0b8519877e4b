package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TasksInTheWayTest {
  private final AtomicLong now = new AtomicLong();
  private final TasksInTheWay tasks = new TasksInTheWay(now::get);

  @Test
  void namedForASecond_lasts() {
    assertThat(tasks.lasting(Set.of("a"), true)).isEmpty();
    now.addAndGet(TasksInTheWay.LASTING.toNanos() - 1);
    assertThat(tasks.lasting(Set.of("a", "b"), true)).isEmpty();
    now.addAndGet(1);
    assertThat(tasks.lasting(Set.of("a", "b"), true)).containsExactly("a");
  }

  @Test
  void outOfTheWayInBetween_beginsAnew() {
    tasks.lasting(Set.of("a"), true);
    tasks.lasting(Set.of(), true);
    now.addAndGet(TasksInTheWay.LASTING.toNanos());
    assertThat(tasks.lasting(Set.of("a"), true)).isEmpty();
  }

  @Test
  void notLookedFor_isAsBefore() {
    tasks.lasting(Set.of("a"), true);
    tasks.lasting(Set.of(), false);
    now.addAndGet(TasksInTheWay.LASTING.toNanos());
    assertThat(tasks.lasting(Set.of("a"), false)).containsExactly("a");
  }
}
