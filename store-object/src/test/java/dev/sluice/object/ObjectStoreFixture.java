package dev.sluice.object;

import dev.sluice.SluiceOptions;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.tck.StoreFixture;
import java.time.Duration;
import java.util.Map;
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

  /** Others have to see its lease unchanged for that long, from when they first look at it. */
  @Override
  public Duration takenOverAfter(Duration lease) {
    return lease.multipliedBy(2).plusMillis(1_500);
  }

  @Override
  public Map<String, String> environment() {
    return TestCredentials.environment();
  }

  /** Slots are not counted anywhere: their holders are listed. */
  @Override
  public Map<String, SlotCount> recount() {
    return Map.of();
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
