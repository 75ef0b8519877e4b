package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerBuilderTest {
  private final WorkerBuilder builder = new WorkerBuilder(null, null, List.of(), null, null);

  @Test
  void retention_tooShortToRecogniseRepeats_isRefusedWithTheRemedy() {
    assertThatThrownBy(() -> builder.retention(Duration.ofSeconds(599)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("9 min 59 s")
        .hasMessageContaining("use 10 min or more");
    assertThat(builder.retention(WorkerBuilder.SHORTEST_RETENTION)).isSameAs(builder);
  }
}
