package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import java.util.UUID;

/** The contract, kept by objects in memory. */
class MemoryStoreIT extends StoreContract {
  @Override
  protected StoreFixture openFixture() {
    String name = UUID.randomUUID().toString();
    return new ObjectStoreFixture("memory:" + name, MemoryObjectStore.open(name));
  }
}
