package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class NoticesTest {
  record Figures(String name, int inFlight) {}

  private static Map<String, JsonNode> read(Map<String, Supplier<?>> suppliers) {
    return new Notices(suppliers, Json.newMapper()).read();
  }

  @Test
  void read_anObject_isWrittenWithTheMapper() {
    Map<String, JsonNode> notices = read(Map.of("throttle", () -> new Figures("s3", 4)));

    assertThat(notices.get("throttle").toString()).isEqualTo("{\"name\":\"s3\",\"inFlight\":4}");
  }

  @Test
  void read_oneFailsAndOneIsTooLarge_othersAreThere() {
    Map<String, JsonNode> notices =
        read(
            Map.of(
                "good", () -> 1,
                "nothing", () -> null,
                "large", () -> "x".repeat(Notices.LONGEST),
                "unwritable",
                    () ->
                        new Object() {
                          @SuppressWarnings("unused")
                          public Duration getBroken() {
                            throw new IllegalStateException("not to be had");
                          }
                        },
                "broken",
                    () -> {
                      throw new IllegalStateException("not to be had");
                    }));

    assertThat(notices).containsOnlyKeys("good", "nothing");
  }
}
