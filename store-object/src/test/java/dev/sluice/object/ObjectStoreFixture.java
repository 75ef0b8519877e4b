package dev.sluice.object;

import dev.sluice.SluiceOptions;
import dev.sluice.object.state.ShardDocuments;
import dev.sluice.object.state.ShardState;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.tck.StoreFixture;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A namespace of its own below a URL; closing it lets go of whatever keeps the objects. */
final class ObjectStoreFixture implements StoreFixture {
  private final String url;
  private final AutoCloseable keeper;
  private final String namespace = "t_" + UUID.randomUUID().toString().replace("-", "");

  ObjectStoreFixture(String url, AutoCloseable keeper) {
    this.url = url;
    this.keeper = keeper;
  }

  /** A namespace whose objects are removed one by one when it is closed. */
  static ObjectStoreFixture removing(String url) {
    ObjectStore objects = ObjectStores.open(ObjectStoreUrl.parse(url), new RequestMeter());
    ObjectStoreFixture[] fixture = new ObjectStoreFixture[1];
    fixture[0] =
        new ObjectStoreFixture(
            url,
            () -> {
              String prefix = fixture[0].namespace + "/";
              objects.deleteAll(objects.listAll(prefix).stream().map(ListedObject::key).toList());
              objects.close();
            });
    return fixture[0];
  }

  @Override
  public SluiceOptions options() {
    return SluiceOptions.url(url).schema(namespace);
  }

  @Override
  public JobStore openStore() {
    return StoreProviders.open(url, new StoreSettings(namespace, 8));
  }

  @Override
  public String url() {
    return url;
  }

  @Override
  public String namespace() {
    return namespace;
  }

  /** A request to a real bucket may take a while, and several tests run at once. */
  @Override
  public Duration shortLease() {
    return Duration.ofSeconds(4);
  }

  /** A live worker looks again when the lease that it has seen would run out. */
  @Override
  public Duration freeWithin(Duration lease) {
    return lease.plusSeconds(1);
  }

  /** One that starts when the lease would have run out has to see it unchanged for that long. */
  @Override
  public Duration takenOverAfter(Duration lease) {
    return lease.multipliedBy(2).plusMillis(1_500);
  }

  @Override
  public Map<String, String> environment() {
    return TestCredentials.environment();
  }

  /** Of the slots on record: how many have a holder who is there, a worker or a permit. */
  @Override
  public Map<String, SlotCount> recount() {
    Map<String, SlotCount> counts = new TreeMap<>();
    ObjectStoreUrl place = ObjectStoreUrl.parse(ShardedUrl.parse(url).place());
    try (ObjectStore objects = ObjectStores.open(place, new RequestMeter())) {
      for (ListedObject object : objects.listAll(namespace + "/shards/")) {
        if (object.key().endsWith("/" + ControlObject.KEY)) {
          byte[] body = objects.get(object.key()).orElseThrow().body();
          count(ShardDocuments.read(object.key(), body).limits(), counts);
        }
      }
    }
    return counts;
  }

  private static void count(ShardState.Limits limits, Map<String, SlotCount> counts) {
    limits
        .slots()
        .forEach(
            (group, slots) -> {
              long held =
                  slots.values().stream()
                      .filter(
                          holder ->
                              holder.permit() != null
                                  || limits.workers().containsKey(holder.worker()))
                      .count();
              counts.put(group, new SlotCount(slots.size(), held));
            });
  }

  @Override
  public void close() {
    try {
      keeper.close();
    } catch (Exception e) {
      throw new IllegalStateException("The objects of a test could not be removed", e);
    }
  }
}
