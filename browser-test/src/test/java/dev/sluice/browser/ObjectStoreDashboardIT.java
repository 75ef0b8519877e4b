package dev.sluice.browser;

import java.nio.file.Path;

class ObjectStoreDashboardIT extends DashboardWalk {
  @Override
  String store(Path directory) {
    return "file:" + directory.resolve("objects");
  }

  @Override
  String storeName() {
    return "objects";
  }
}
