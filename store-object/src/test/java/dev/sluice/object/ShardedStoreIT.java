package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import java.util.UUID;

/** The contract, kept by three shards in memory. */
class ShardedStoreIT extends StoreContract {
  @Override
  protected StoreFixture openFixture() {
    String name = UUID.randomUUID().toString();
    return new ObjectStoreFixture("memory:" + name + "?shards=3", MemoryObjectStore.open(name));
  }
}
