package dev.sluice.bench.scenario;

import dev.sluice.object.ObjectStoreProvider;
import dev.sluice.object.RequestMeter;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Opens {@code metered:URL}: the store on objects at that URL, with every request counted. */
public final class MeteredStoreProvider implements StoreProvider {
  private static final String PREFIX = "metered:";
  private static final Map<String, RequestMeter> METERS = new ConcurrentHashMap<>();

  /** The URL that counts the requests to the store at this one. */
  static String metered(String url) {
    return PREFIX + url;
  }

  /** Counts for all stores opened at a URL of this kind. */
  static RequestMeter meter(String meteredUrl) {
    return METERS.computeIfAbsent(meteredUrl, any -> new RequestMeter());
  }

  @Override
  public String urlForm() {
    return PREFIX + "URL";
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith(PREFIX);
  }

  @Override
  public JobStore open(String url, StoreSettings settings) {
    return ObjectStoreProvider.open(url.substring(PREFIX.length()), settings, meter(url));
  }
}
