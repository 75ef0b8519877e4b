package dev.sluice.object;

import dev.sluice.object.ObjectJobStore.Ownership;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Opens stores at {@code s3://}, {@code file:} and {@code memory:} URLs. */
public final class ObjectStoreProvider implements StoreProvider {
  @Override
  public String urlForm() {
    return ObjectStoreUrl.FORMS;
  }

  @Override
  public boolean accepts(String url) {
    return ObjectStoreUrl.isObjectStore(url);
  }

  @Override
  public JobStore open(String url, StoreSettings settings) {
    return open(url, settings, new RequestMeter());
  }

  /** The same, with its requests counted, those of opening it included. */
  public static JobStore open(String url, StoreSettings settings, RequestMeter meter) {
    ShardedUrl sharded = ShardedUrl.parse(url);
    ObjectStore objects = ObjectStores.open(ObjectStoreUrl.parse(sharded.place()), meter);
    return open(objects, settings.namespace(), sharded.shards());
  }

  /**
   * The store in a folder of these objects.
   *
   * @param shards how many it has, if the caller says so
   */
  static JobStore open(ObjectStore objects, String namespace, OptionalInt shards) {
    ObjectStore root = new PrefixedObjectStore(objects, namespace);
    List<StoreThreads> threads = new ArrayList<>();
    try {
      threads.add(new StoreThreads(namespace));
      StoreEnvironment environment = threads.get(0).environment();
      int count = StoreFormat.agree(root, environment, shards).shards();
      if (count == 1) {
        return ObjectJobStore.open(
            root, 0, environment, new Ownership(threads.get(0)::close, objects::close));
      }
      List<ObjectJobStore> all = new ArrayList<>();
      for (int number = 0; number < count; number++) {
        StoreThreads own = new StoreThreads(namespace + "-" + number);
        threads.add(own);
        all.add(
            ObjectJobStore.open(
                root, number, own.environment(), new Ownership(own::close, () -> {})));
      }
      return new ShardedJobStore(
          all,
          new Homes(root, environment, count),
          environment,
          () -> {
            threads.get(0).close();
            objects.close();
          });
    } catch (RuntimeException e) {
      threads.forEach(StoreThreads::close);
      objects.close();
      throw e;
    }
  }
}
