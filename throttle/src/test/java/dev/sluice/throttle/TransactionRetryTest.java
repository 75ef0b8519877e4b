package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionRetryTest {
  private final Throttle db = Throttle.of("db", 1);
  private final Retry retry =
      TransactionRetry.from(new Environment(Map.of("RETRY_ATTEMPTS", "4")))
          .baseDelay(Duration.ofMillis(1))
          .build();
  private final AtomicInteger transactions = new AtomicInteger();

  private int transaction(int succeedsAt, Exception failure) throws Exception {
    if (transactions.incrementAndGet() < succeedsAt) {
      throw failure;
    }
    return transactions.get();
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01"})
  void toBeRepeated_isRepeatedWhole(String state) throws Exception {
    SQLException failure = new SQLException("could not serialize", state);
    assertThat(retry.<Integer, Exception>run("db_write", db, () -> transaction(4, failure)))
        .isEqualTo(4);
    assertThat(retry.stats("db_write")).isEqualTo(new RetryStats(3, 1, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"23505", "08006", "40002", "57014"})
  void anythingElse_isNotTriedAgain(String state) {
    SQLException failure = new SQLException("no", state);
    assertThatThrownBy(() -> retry.run("db_write", db, () -> transaction(4, failure)))
        .isSameAs(failure);
    assertThat(transactions).hasValue(1);
  }

  @Test
  void isRetryable_looksIntoCausesAndBatches() {
    SQLException deadlock = new SQLException("deadlock detected", "40P01");
    BatchUpdateException batch = new BatchUpdateException("batch", "22000", new int[0]);
    assertThat(TransactionRetry.isRetryable(batch)).isFalse();
    batch.setNextException(deadlock);
    assertThat(TransactionRetry.isRetryable(batch)).isTrue();
    assertThat(TransactionRetry.isRetryable(new IllegalStateException(new Exception(deadlock))))
        .isTrue();
    assertThat(TransactionRetry.isRetryable(new IOException("40001"))).isFalse();
    assertThat(TransactionRetry.isRetryable(new SQLException("without a state"))).isFalse();
  }
}
