package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.JobOutcome.Failure;
import org.junit.jupiter.api.Test;

class BoundedTextTest {
  @Test
  void of_longText_isCutWithoutHalvingACharacter() {
    assertThat(BoundedText.of("ab🚀", 4)).isEqualTo("ab🚀");
    assertThat(BoundedText.of("ab🚀", 3)).isEqualTo("ab");
    assertThat(BoundedText.of(null, 3)).isEmpty();
  }

  @Test
  void of_textThatCannotBeStored_isReplaced() {
    assertThat(BoundedText.of("a\u0000b\uD83Dc", 10)).isEqualTo("a\uFFFDb\uFFFDc");
  }

  @Test
  void failure_deepStack_isBounded() {
    Throwable deep = new IllegalStateException("m".repeat(5_000));
    for (int i = 0; i < 500; i++) {
      deep = new RuntimeException("level " + i, deep);
    }

    Failure failure = BoundedText.failure(deep);

    assertThat(failure.type()).isEqualTo("java.lang.RuntimeException");
    assertThat(failure.message()).isEqualTo("level 499");
    assertThat(failure.stackTrace()).hasSize(BoundedText.LONGEST_STACK_TRACE);
  }

  @Test
  void failure_exceptionThatCannotBePrinted_stillHasAType() {
    Throwable hostile =
        new RuntimeException() {
          @Override
          public String getMessage() {
            throw new IllegalStateException("no");
          }
        };

    Failure failure = BoundedText.failure(hostile);

    assertThat(failure.type()).isEqualTo(hostile.getClass().getName());
    assertThat(failure.message()).contains("cannot be read");
  }
}
