package dev.sluice.object;

import dev.sluice.tck.StoreFixture;
import dev.sluice.tck.chaos.ChaosContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, killed and frozen, on one directory. */
class DirectoryChaosIT extends ChaosContract {
  @TempDir static Path directory;

  @Override
  protected StoreFixture openFixture() {
    return new ObjectStoreFixture("file:" + directory, () -> {});
  }
}
