package dev.sluice.throttle.micrometer;

import dev.sluice.throttle.Retry;
import dev.sluice.throttle.RetryStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a retry as counters, by {@code label}: {@code retry.attempts}, {@code
 * retry.success_after_attempt} and {@code retry.exhausted}. The meters hold the retry only weakly;
 * keep it as long as they should count.
 */
public final class RetryMetrics implements MeterBinder {
  private final String name;
  private final Retry retry;

  /**
   * Those of this retry.
   *
   * @param name tells it from others, as the tag {@code retry}
   */
  public RetryMetrics(String name, Retry retry) {
    this.name = name;
    this.retry = retry;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    retry.onLabel(
        label -> {
          counter(registry, label, "attempts", RetryStats::retryAttempts);
          counter(registry, label, "success_after_attempt", RetryStats::retrySuccessAfterAttempt);
          counter(registry, label, "exhausted", RetryStats::retryExhausted);
        });
  }

  private void counter(
      MeterRegistry registry, String label, String meter, ToDoubleFunction<RetryStats> value) {
    FunctionCounter.builder("retry." + meter, retry, each -> value.applyAsDouble(each.stats(label)))
        .tags(Tags.of("retry", name, "label", label))
        .register(registry);
  }
}
