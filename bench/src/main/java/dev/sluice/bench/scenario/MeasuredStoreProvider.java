package dev.sluice.bench.scenario;

import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Opens {@code measured:URL}: the store at that URL, with a clock at every exchange. */
public final class MeasuredStoreProvider implements StoreProvider {
  private static final String PREFIX = "measured:";
  private static final Map<String, Exchanges> MEASURED = new ConcurrentHashMap<>();

  /** The URL that measures the exchanges with the store at this one. */
  static String measured(String url) {
    return PREFIX + url;
  }

  /** What was measured at a URL of this kind, by all stores opened there. */
  static Exchanges exchanges(String measuredUrl) {
    return MEASURED.computeIfAbsent(measuredUrl, any -> new Exchanges());
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
    return new MeasuredJobStore(
        StoreProviders.open(url.substring(PREFIX.length()), settings), exchanges(url));
  }
}
