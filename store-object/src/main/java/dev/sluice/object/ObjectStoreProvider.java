package dev.sluice.object;

import dev.sluice.Diagnosis;
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
    return open(
        ObjectStores.open(ObjectStoreUrl.parse(url), new RequestMeter()), settings.namespace());
  }

  @Override
  public Diagnosis diagnose(String url, StoreSettings settings) {
    return ObjectStoreCheckup.of(ObjectStoreUrl.parse(url), settings.namespace());
  }

  /** The store in a folder of these objects, which are closed with it. */
  static ObjectJobStore open(ObjectStore objects, String namespace) {
    return open(new PrefixedObjectStore(objects, namespace), new StoreThreads(namespace));
  }

  /** The store on these objects, in these threads; both end with it. */
  static ObjectJobStore open(PrefixedObjectStore objects, StoreThreads threads) {
    try {
      return ObjectJobStore.open(objects, threads.environment(), threads::close);
    } catch (RuntimeException e) {
      threads.close();
      objects.close();
      throw e;
    }
  }
}
