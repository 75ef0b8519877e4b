package dev.sluice.metrics;

import dev.sluice.SluiceOptions;
import dev.sluice.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.UUID;

class PostgresMetricsIT extends MetricsContract {
  /** Stays up for all tests of this process, because this has joined it. */
  private static final EmbeddedPostgres SERVER =
      EmbeddedPostgres.join(Path.of("target", "test-postgres").toAbsolutePath());

  @Override
  SluiceOptions options() {
    return SluiceOptions.url("embedded:" + SERVER.dataDirectory())
        .schema("metrics_" + UUID.randomUUID().toString().replace('-', '_'));
  }
}
