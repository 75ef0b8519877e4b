package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.WorkerBulletin.Event;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventRingTest {
  private final EventRing ring = new EventRing();

  @Test
  void read_fewEvents_areAllThereInOrder() {
    UUID job = UUID.randomUUID();
    ring.routine("started", job, "t");
    ring.trouble("failed", job, "t", "boom");
    ring.trouble("lease_lost", null, "", "");

    List<Event> events = ring.read();

    assertThat(events).extracting(Event::what).containsExactly("started", "failed", "lease_lost");
    assertThat(events).extracting(Event::number).containsExactly(1L, 2L, 3L);
    assertThat(events.get(1).job()).contains(job);
    assertThat(events.get(1).detail()).isEqualTo("boom");
    assertThat(events.get(2).job()).isEmpty();
  }

  @Test
  void read_aFailureAmongThousandsOfSuccesses_isStillThere() {
    ring.trouble("failed", UUID.randomUUID(), "t", "x".repeat(10_000));
    for (int i = 0; i < 5_000; i++) {
      ring.routine("succeeded", UUID.randomUUID(), "t");
    }

    List<Event> events = ring.read();

    assertThat(events).hasSizeLessThanOrEqualTo(EventRing.MOST);
    assertThat(events.get(0).what()).isEqualTo("failed");
    assertThat(events.get(0).detail()).hasSize(200);
    assertThat(events.get(events.size() - 1).number()).isEqualTo(5_001);
    assertThat(events).extracting(Event::number).isSorted();
  }
}
