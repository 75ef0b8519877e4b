package dev.sluice.spi;

import dev.sluice.Diagnosis;
import dev.sluice.SluiceException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.StoreUrls;
import javax.sql.DataSource;

/** Opens stores of one kind; found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {
  /** How a URL of this kind looks, for messages: {@code postgresql://host/database}. */
  String urlForm();

  /** Whether this provider opens such URLs. */
  boolean accepts(String url);

  /** Whether this provider works on a JDBC data source. */
  default boolean acceptsDataSources() {
    return false;
  }

  /**
   * Opens the store at a URL this provider accepts.
   *
   * @throws StoreUnavailableException if it cannot be reached
   * @throws SluiceException if it cannot be used; the message never shows a password
   */
  JobStore open(String url, StoreSettings settings);

  /** Opens the store on a data source; the caller goes on owning the data source. */
  default JobStore open(DataSource dataSource, StoreSettings settings) {
    throw new UnsupportedOperationException(urlForm() + " does not work on a data source");
  }

  /**
   * Examines the store at a URL this provider accepts, and leaves behind nothing that it made for
   * that. What is wrong is a finding, not an exception; only a malformed URL is one.
   */
  default Diagnosis diagnose(String url, StoreSettings settings) {
    Checkup checkup = new Checkup(StoreUrls.masked(url));
    checkup
        .attempt("reach", () -> open(url, settings))
        .ifPresent(
            opened -> {
              try (JobStore store = opened) {
                checkup.good("reach", "it can be opened");
                checkup.attempt("jobs", () -> store.jobs().counts()).ifPresent(checkup::jobs);
              }
            });
    return checkup.diagnosis();
  }

  /** Examines the store on a data source; the caller goes on owning the data source. */
  default Diagnosis diagnose(DataSource dataSource, StoreSettings settings) {
    throw new UnsupportedOperationException(urlForm() + " does not work on a data source");
  }
}
