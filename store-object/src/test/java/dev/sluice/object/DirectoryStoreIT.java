package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract, kept by objects in a directory. */
class DirectoryStoreIT extends StoreContract {
  @TempDir static Path directory;

  @Override
  protected StoreFixture openFixture() {
    return new ObjectStoreFixture("file:" + directory, () -> {});
  }
}
