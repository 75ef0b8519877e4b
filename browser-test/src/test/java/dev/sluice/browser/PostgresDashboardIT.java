package dev.sluice.browser;

import java.nio.file.Path;

class PostgresDashboardIT extends DashboardWalk {
  @Override
  String store(Path directory) {
    return "embedded:" + directory.resolve("postgres");
  }

  @Override
  String storeName() {
    return "postgres";
  }
}
