package dev.sluice.metrics;

import dev.sluice.SluiceOptions;
import java.util.UUID;

class MemoryMetricsIT extends MetricsContract {
  @Override
  SluiceOptions options() {
    return SluiceOptions.url("memory:" + UUID.randomUUID());
  }
}
