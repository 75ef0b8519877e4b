package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private static final double NO_JITTER = 0.5;

  @Test
  void delayAfter_defaults_doublesFromOneSecond() {
    RetryPolicy policy = RetryPolicy.DEFAULT;

    assertThat(policy.delayAfter(1, () -> NO_JITTER)).isEqualTo(Duration.ofSeconds(1));
    assertThat(policy.delayAfter(2, () -> NO_JITTER)).isEqualTo(Duration.ofSeconds(2));
    assertThat(policy.delayAfter(4, () -> NO_JITTER)).isEqualTo(Duration.ofSeconds(8));
  }

  @Test
  void delayAfter_manyAttempts_staysAtTheLongest() {
    assertThat(RetryPolicy.DEFAULT.delayAfter(5_000, () -> NO_JITTER))
        .isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void delayAfter_jitter_variesByItsShareToBothSides() {
    RetryPolicy policy = RetryPolicy.exponential().jitter(0.5).build();

    assertThat(policy.delayAfter(1, () -> 0)).isEqualTo(Duration.ofMillis(500));
    assertThat(policy.delayAfter(1, () -> 0.999_999)).isEqualTo(Duration.ofMillis(1_500));
  }

  @Test
  void allowsAnotherAfter_lastAttempt_no() {
    assertThat(RetryPolicy.DEFAULT.allowsAnotherAfter(4)).isTrue();
    assertThat(RetryPolicy.DEFAULT.allowsAnotherAfter(5)).isFalse();
    assertThat(RetryPolicy.NONE.allowsAnotherAfter(1)).isFalse();
  }

  @Test
  void build_badSetting_namesIt() {
    assertThatThrownBy(() -> RetryPolicy.exponential().maxAttempts(0).build())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("maxAttempts")
        .hasMessageContaining("1 or more");
    assertThatThrownBy(() -> RetryPolicy.exponential().multiplier(0.5).build())
        .hasMessageContaining("multiplier");
    assertThatThrownBy(() -> RetryPolicy.exponential().jitter(2).build())
        .hasMessageContaining("jitter");
  }

  @Test
  void build_firstDelayAboveTheDefaultLongest_isAllowed() {
    RetryPolicy policy = RetryPolicy.exponential().firstDelay(Duration.ofHours(1)).build();

    assertThat(policy.delayAfter(3, () -> NO_JITTER)).isEqualTo(Duration.ofHours(1));
  }
}
