package dev.sluice.object;

import dev.sluice.Diagnosis;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreSettings;
import java.nio.file.Files;
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
    if (!settings.create()
        && ObjectStoreUrl.parse(ShardedUrl.parse(url).place())
            instanceof ObjectStoreUrl.Directory directory
        && !Files.exists(directory.path())) {
      throw new StoreUnavailableException(
          "There is no directory %s, and what only reads creates none. Submit or run jobs there ('sluice submit', 'sluice worker'), or name another store (--store)."
              .formatted(directory.path().toAbsolutePath().normalize()));
    }
    return open(url, settings, new RequestMeter());
  }

  /** The same, with its requests counted, those of opening it included. */
  public static JobStore open(String url, StoreSettings settings, RequestMeter meter) {
    ShardedUrl sharded = ShardedUrl.parse(url);
    String namespace = ObjectKeys.requireValid(settings.namespace());
    ObjectStore objects = ObjectStores.open(ObjectStoreUrl.parse(sharded.place()), meter);
    return open(new PrefixedObjectStore(objects, namespace), namespace, sharded.shards());
  }

  @Override
  public Diagnosis diagnose(String url, StoreSettings settings) {
    ObjectStoreUrl place = ObjectStoreUrl.parse(ShardedUrl.parse(url).place());
    return ObjectStoreCheckup.of(place, settings.namespace());
  }

  /**
   * The store on these objects, which are closed with it.
   *
   * @param name for its threads
   * @param shards how many it has, if the caller says so
   */
  static JobStore open(PrefixedObjectStore objects, String name, OptionalInt shards) {
    List<StoreThreads> threads = new ArrayList<>();
    try {
      StoreThreads first = new StoreThreads(name);
      threads.add(first);
      int count = StoreFormat.agree(objects, first.environment(), shards).shards();
      if (count == 1) {
        return ObjectJobStore.open(objects, 0, first.environment(), first::close);
      }
      List<ObjectJobStore> all = new ArrayList<>();
      for (int number = 0; number < count; number++) {
        StoreThreads own = new StoreThreads(name + "-" + number);
        threads.add(own);
        all.add(ObjectJobStore.open(objects.borrowed(), number, own.environment(), own::close));
      }
      Homes homes = new Homes(objects, first.environment(), count);
      return new ShardedJobStore(
          all,
          homes,
          first.environment(),
          () -> {
            first.close();
            objects.close();
          });
    } catch (RuntimeException e) {
      threads.forEach(StoreThreads::close);
      objects.close();
      throw e;
    }
  }
}
