package dev.sluice.embedded;

import dev.sluice.Diagnosis;
import dev.sluice.InvalidRequestException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.Checkup;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Opens {@code embedded:} (in {@link EmbeddedPostgres#DEFAULT_DIRECTORY}) and {@code
 * embedded:DIRECTORY}: the PostgreSQL store on an {@link EmbeddedPostgres}. Needs that store on the
 * class path.
 */
public final class EmbeddedStoreProvider implements StoreProvider {

  private static final String SCHEME = "embedded:";

  /** For the {@link java.util.ServiceLoader}. */
  public EmbeddedStoreProvider() {}

  @Override
  public String urlForm() {
    return "embedded:directory";
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith(SCHEME);
  }

  @Override
  public JobStore open(String url, StoreSettings settings) {
    Path directory = directory(url);
    // First: without a store for it there is no point in a server.
    StoreProvider postgresStore = StoreProviders.onDataSource();
    if (!settings.create() && !Files.exists(new ServerFiles(directory).data())) {
      throw new StoreUnavailableException(
          "There is no embedded PostgreSQL in %s, and what only reads creates none. Submit or run jobs there ('sluice submit', 'sluice worker'), or name another store (--store)."
              .formatted(directory.toAbsolutePath().normalize()));
    }
    EmbeddedPostgres postgres = join(directory);
    try {
      return new EmbeddedJobStore(postgresStore.open(postgres.dataSource(), settings), postgres);
    } catch (RuntimeException | Error e) {
      try {
        postgres.close();
      } catch (RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  @Override
  public Diagnosis diagnose(String url, StoreSettings settings) {
    Path directory = directory(url);
    StoreProvider postgresStore = StoreProviders.onDataSource();
    Checkup checkup = new Checkup(url);
    return checkup
        .attempt("server", () -> join(directory))
        .map(
            joined -> {
              try (EmbeddedPostgres postgres = joined) {
                Diagnosis found = postgresStore.diagnose(postgres.dataSource(), settings);
                return new Diagnosis("embedded:" + postgres.dataDirectory(), found.findings());
              }
            })
        .orElseGet(checkup::diagnosis);
  }

  static Path directory(String url) {
    String directory = url.substring(SCHEME.length());
    try {
      return directory.isEmpty() ? EmbeddedPostgres.DEFAULT_DIRECTORY : Path.of(directory);
    } catch (InvalidPathException e) {
      throw new InvalidRequestException(
          "'" + directory + "' is not a directory's name. Write embedded:directory.", e);
    }
  }

  private static EmbeddedPostgres join(Path directory) {
    try {
      return EmbeddedPostgres.join(directory);
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new StoreUnavailableException(e.getMessage(), e);
    }
  }
}
