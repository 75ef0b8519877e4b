package dev.sluice.spi;

import dev.sluice.Diagnosis;
import dev.sluice.InvalidRequestException;
import dev.sluice.StoreUrls;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Finds the store for a URL or data source among the providers on the class path. */
public final class StoreProviders {
  private StoreProviders() {}

  /** Opens the store at this URL. */
  public static JobStore open(String url, StoreSettings settings) {
    return accepting(url).open(url, settings);
  }

  /** Examines the store at this URL. */
  public static Diagnosis diagnose(String url, StoreSettings settings) {
    return accepting(url).diagnose(url, settings);
  }

  private static StoreProvider accepting(String url) {
    return providers().stream()
        .filter(provider -> provider.accepts(url))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidRequestException(
                    "No store is known for '%s'. Known forms: %s. Is the store's module on the class path?"
                        .formatted(StoreUrls.masked(url), knownForms())));
  }

  /** The provider that works on JDBC data sources. */
  public static StoreProvider onDataSource() {
    return providers().stream()
        .filter(StoreProvider::acceptsDataSources)
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidRequestException(
                    "No store on the class path works on a data source; add sluice-store-postgres."));
  }

  private static List<StoreProvider> providers() {
    return ServiceLoader.load(StoreProvider.class, StoreProviders.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  private static String knownForms() {
    String forms =
        providers().stream().map(StoreProvider::urlForm).collect(Collectors.joining(", "));
    return forms.isEmpty() ? "none" : forms;
  }
}
