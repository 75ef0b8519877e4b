package dev.sluice.object;

import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreSettings;

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
    return open(ObjectStores.open(ObjectStoreUrl.parse(url), meter), settings.namespace());
  }

  /** The store in a folder of these objects. */
  static ObjectJobStore open(ObjectStore objects, String namespace) {
    StoreThreads threads = new StoreThreads(namespace);
    try {
      return ObjectJobStore.open(
          new PrefixedObjectStore(objects, namespace), threads.environment(), threads::close);
    } catch (RuntimeException e) {
      threads.close();
      objects.close();
      throw e;
    }
  }
}
