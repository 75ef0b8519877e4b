package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.GroupTally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class GroupTalliesTest {
  private final GroupTallies tallies = new GroupTallies();

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  private void acquire(String group, int times) {
    for (int i = 0; i < times; i++) {
      tallies.acquired(List.of(group), 0);
    }
  }

  @Test
  void acquired_jobInTwoGroups_countsInBothByClassOfWait() {
    tallies.acquired(List.of("a", "b"), millis(3));
    tallies.acquired(List.of("a"), millis(700));
    tallies.rejected("a");

    Map<String, GroupTally> read = tallies.read();

    assertThat(read.get("a").acquired()).isEqualTo(2);
    assertThat(read.get("a").rejected()).isEqualTo(1);
    assertThat(read.get("a").waits()).hasSize(WorkerBulletin.WAIT_BOUNDS.size() + 1);
    assertThat(read.get("a").waits().get(0)).isEqualTo(1);
    assertThat(read.get("a").waits().get(WorkerBulletin.WAIT_BOUNDS.indexOf(1.0))).isEqualTo(1);
    assertThat(read.get("b").acquired()).isEqualTo(1);
    assertThat(read.get("b").rejected()).isZero();
  }

  @Test
  void read_tooManyGroups_makesRoomForNewOnes() {
    for (int i = 0; i < GroupTallies.MOST_COUNTED; i++) {
      tallies.acquired(List.of("key-" + i), 0);
    }
    tallies.acquired(List.of("late"), 0);
    assertThat(tallies.read()).doesNotContainKey("late");
    for (int i = 0; i < 3; i++) {
      tallies.acquired(List.of("late"), 0);
    }

    Map<String, GroupTally> read = tallies.read();

    assertThat(read.get("late").acquired()).isEqualTo(3);
    assertThat(read.values().stream().mapToLong(GroupTally::acquired).sum())
        .isEqualTo(GroupTallies.MOST_COUNTED + 4);
  }

  @Test
  void read_tooManyGroups_keepsTheBusierHalf() {
    int half = GroupTallies.MOST_COUNTED / 2;
    Random random = new Random(4711);
    Map<String, Integer> times = new HashMap<>();
    for (int i = 0; i < GroupTallies.MOST_COUNTED; i++) {
      times.put("key-" + i, 1 + random.nextInt(4));
    }
    times.forEach(this::acquire);
    List<String> busiestFirst = new ArrayList<>(new TreeSet<>(times.keySet()));
    busiestFirst.sort(Comparator.comparing(times::get).reversed());

    List<String> lines = new ArrayList<>(tallies.read().keySet());

    assertThat(lines.remove(lines.size() - 1)).isEqualTo(WorkerBulletin.OTHER);
    assertThat(lines).isEqualTo(busiestFirst.subList(0, GroupTallies.MOST_LINES));
    String lastKept = busiestFirst.get(half - 1);
    String firstForgotten = busiestFirst.get(half);
    acquire(lastKept, 10);
    acquire(firstForgotten, 10);
    Map<String, GroupTally> read = tallies.read();
    assertThat(read.get(lastKept).acquired()).isEqualTo(times.get(lastKept) + 10);
    assertThat(read.get(firstForgotten).acquired()).isEqualTo(10);
  }

  @Test
  void classOf_boundsAndBeyond_areUpperBoundsInclusive() {
    assertThat(GroupTallies.classOf(0)).isZero();
    assertThat(GroupTallies.classOf(millis(5))).isZero();
    assertThat(GroupTallies.classOf(millis(5) + 1)).isEqualTo(1);
    assertThat(GroupTallies.classOf(Duration.ofHours(5).toNanos()))
        .isEqualTo(WorkerBulletin.WAIT_BOUNDS.size());
  }

  @Test
  void read_manyGroups_namesTheBusiestAndSumsUpTheRest() {
    int groups = 3 * GroupTallies.MOST_COUNTED;
    tallies.acquired(List.of("busy"), 0);
    tallies.acquired(List.of("busy"), 0);
    tallies.acquired(List.of("busy"), 0);
    for (int i = 0; i < groups; i++) {
      tallies.acquired(List.of("key-" + i), 0);
    }

    Map<String, GroupTally> read = tallies.read();

    assertThat(read).hasSize(GroupTallies.MOST_LINES + 1).containsKey("busy");
    assertThat(read.get("busy").acquired()).isEqualTo(3);
    assertThat(read.values().stream().mapToLong(GroupTally::acquired).sum())
        .as("nobody is forgotten in the sum")
        .isEqualTo(groups + 3);
  }
}
