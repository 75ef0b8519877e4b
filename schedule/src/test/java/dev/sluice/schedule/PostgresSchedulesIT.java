package dev.sluice.schedule;

import dev.sluice.embedded.EmbeddedPostgres;
import java.nio.file.Path;

class PostgresSchedulesIT extends SchedulesContract {
  /** Stays up for all tests of this process, because this has joined it. */
  static final EmbeddedPostgres SERVER =
      EmbeddedPostgres.join(Path.of("target", "test-postgres").toAbsolutePath());

  @Override
  String url() {
    return "embedded:" + SERVER.dataDirectory();
  }
}
