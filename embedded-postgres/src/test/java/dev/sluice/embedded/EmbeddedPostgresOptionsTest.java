package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class EmbeddedPostgresOptionsTest {

  private final EmbeddedPostgresOptions defaults = EmbeddedPostgresOptions.defaults();

  @Test
  void withSetting_leavesTheOriginalAlone() {
    assertThat(defaults.withSetting("work_mem", "8MB").settings()).containsEntry("work_mem", "8MB");
    assertThat(defaults.settings()).isEmpty();
  }

  @Test
  void withSetting_ofOurs_isRefused() {
    assertThatThrownBy(() -> defaults.withSetting("listen_addresses", "*"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("listen_addresses");
  }

  @Test
  void withSetting_notAName_isRefused() {
    assertThatThrownBy(() -> defaults.withSetting("work_mem=1 -c port", "1"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void withBinaries_path_becomesAUrl() {
    assertThat(defaults.withBinaries(Path.of("/opt/postgres.txz")).binaries().orElseThrow())
        .hasToString("file:/opt/postgres.txz");
  }
}
