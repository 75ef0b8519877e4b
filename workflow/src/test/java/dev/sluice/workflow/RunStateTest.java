package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RunStateTest {
  @Test
  void transitions_onlyThoseWrittenDown() {
    for (RunState from : RunState.values()) {
      for (RunState to : RunState.values()) {
        if (from == to || from.followers().contains(to)) {
          assertThat(from.to(to)).isEqualTo(to);
        } else {
          assertThatThrownBy(() -> from.to(to)).isInstanceOf(IllegalStateException.class);
        }
      }
    }
    assertThat(RunState.SUCCEEDED.followers()).isEmpty();
    assertThat(RunState.FAILED.followers()).containsExactly(RunState.RUNNING);
  }
}
