package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Event;
import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.WorkerBulletin.Load;
import dev.sluice.WorkerBulletin.Tally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerBulletin.Times;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BulletinJsonTest {
  private static final WorkerBulletin BULLETIN =
      new WorkerBulletin(
          Instant.parse("2026-03-01T10:00:00.123456Z"),
          Instant.parse("2026-03-01T10:00:05Z"),
          new Load(64, 3, 2, true),
          new Tally(
              Map.of(
                  "t",
                  new TaskTally(5, 3, 1, 1, 0, new Times(1.5, 0.25), WorkerBulletin.Lately.NONE)),
              Map.of("g/k=1", new GroupTally(4, 1, List.of(4L, 0L)))),
          List.of(
              new Event(1, Instant.EPOCH, "failed", Optional.of(UUID.randomUUID()), "t", "\"x\""),
              new Event(2, Instant.EPOCH, "lease_lost", Optional.empty(), "", "")),
          Map.of("throttles", JsonNodeFactory.instance.arrayNode().add(1)));

  @Test
  void read_whatWasWritten_isTheSame() {
    assertThat(BulletinJson.read(BulletinJson.write(BULLETIN))).contains(BULLETIN);
  }

  @Test
  void read_ofANewerVersion_ignoresWhatItDoesNotKnow() {
    String json =
        BulletinJson.write(BULLETIN)
            .replace("{\"since\"", "{\"mood\":{\"good\":true},\"since\"")
            .replace("\"running\":3", "\"running\":3,\"parked\":1");

    assertThat(BulletinJson.read(json)).contains(BULLETIN);
  }

  @Test
  void read_withoutOptionalParts_fillsThemIn() {
    Optional<WorkerBulletin> read =
        BulletinJson.read(
            "{\"since\":\"2026-03-01T10:00:00Z\",\"at\":\"2026-03-01T10:00:00Z\",\"load\":{\"running\":1}}");

    assertThat(read.orElseThrow().tally().tasks()).isEmpty();
    assertThat(read.orElseThrow().events()).isEmpty();
    assertThat(read.orElseThrow().notices()).isEmpty();
  }

  @Test
  void read_notABulletin_isLeftOut() {
    for (String text :
        List.of("", "null", "[]", "{}", "{\"since\":\"yesterday\"}", "{\"since\":")) {
      assertThat(BulletinJson.read(text)).as(text).isEmpty();
    }
  }
}
