package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.SluiceException;
import dev.sluice.spi.StoreProvider;
import dev.sluice.spi.StoreSettings;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedStoreProviderTest {

  private final EmbeddedStoreProvider provider = new EmbeddedStoreProvider();

  @Test
  void serviceLoader_findsIt() {
    assertThat(ServiceLoader.load(StoreProvider.class))
        .hasAtLeastOneElementOfType(EmbeddedStoreProvider.class);
  }

  @Test
  void accepts_itsOwnSchemeOnly() {
    assertThat(provider.accepts("embedded:")).isTrue();
    assertThat(provider.accepts("embedded:/var/lib/jobs")).isTrue();
    assertThat(provider.accepts("postgresql://localhost/app")).isFalse();
    assertThat(provider.acceptsDataSources()).isFalse();
  }

  @Test
  void directory_leftOut_isTheDefault() {
    assertThat(EmbeddedStoreProvider.directory("embedded:"))
        .isEqualTo(EmbeddedPostgres.DEFAULT_DIRECTORY);
    assertThat(EmbeddedStoreProvider.directory("embedded:./here")).isEqualTo(Path.of("./here"));
  }

  @Test
  void open_noStoreForDataSources_failsBeforeAnythingIsStarted(@TempDir Path temporary) {
    Path directory = temporary.resolve("server");
    assertThatThrownBy(() -> provider.open("embedded:" + directory, new StoreSettings("sluice", 2)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("sluice-store-postgres");
    assertThat(directory).doesNotExist();
  }
}
