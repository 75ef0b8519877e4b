package dev.sluice.postgres;

import dev.sluice.Diagnosis;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreSettings;
import javax.sql.DataSource;

/** Opens stores at {@code postgresql://} URLs and on data sources. */
public final class PostgresStoreProvider implements StoreProvider {
  @Override
  public String urlForm() {
    return "postgresql://user@host:5432/database";
  }

  @Override
  public boolean accepts(String url) {
    return PostgresUrl.isPostgres(url);
  }

  @Override
  public boolean acceptsDataSources() {
    return true;
  }

  @Override
  public JobStore open(String url, StoreSettings settings) {
    return PostgresJobStore.open(Database.connect(PostgresUrl.parse(url), settings));
  }

  @Override
  public JobStore open(DataSource dataSource, StoreSettings settings) {
    return PostgresJobStore.open(Database.connect(dataSource, settings));
  }

  @Override
  public Diagnosis diagnose(String url, StoreSettings settings) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return PostgresCheckup.of(Database.nameOf(parsed), () -> Database.connect(parsed, settings));
  }

  @Override
  public Diagnosis diagnose(DataSource dataSource, StoreSettings settings) {
    return PostgresCheckup.of(Database.GIVEN, () -> Database.connect(dataSource, settings));
  }
}
