package dev.sluice.throttle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.throttle.CpuBudget;
import dev.sluice.throttle.CpuBudget.Sources;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.InvalidSettingException;
import dev.sluice.throttle.Setting;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransferSettingsTest {
  private static final long MEGABYTE = 1L << 20;

  @TempDir private Path empty;

  @ParameterizedTest
  @CsvSource({"1, 4", "3, 6", "8, 16", "64, 16"})
  void windows_byDefault_scaleWithIoUpTo16(int cores, int window) {
    TransferSettings settings = settings(cores, Map.of());
    assertThat(settings.uploadQueueSize().value()).isEqualTo(window);
    assertThat(settings.downloadConcurrency().value()).isEqualTo(window);
    assertThat(settings.uploadPartMegabytes()).isEqualTo(new Setting(32, "default"));
    assertThat(settings.downloadPartMegabytes()).isEqualTo(new Setting(32, "default"));
  }

  @Test
  void variables_set_areTakenWithTheirNames() {
    TransferSettings settings =
        settings(
            2,
            Map.of(
                "S3_UPLOAD_PART_SIZE_MB", "8",
                "S3_UPLOAD_QUEUE_SIZE", "12",
                "S3_DOWNLOAD_PART_SIZE_MB", "1",
                "S3_DOWNLOAD_CONCURRENCY", "3"));
    assertThat(settings)
        .isEqualTo(
            new TransferSettings(
                new Setting(8, "S3_UPLOAD_PART_SIZE_MB"),
                new Setting(12, "S3_UPLOAD_QUEUE_SIZE"),
                new Setting(1, "S3_DOWNLOAD_PART_SIZE_MB"),
                new Setting(3, "S3_DOWNLOAD_CONCURRENCY")));
  }

  @ParameterizedTest
  @CsvSource({
    "S3_UPLOAD_PART_SIZE_MB, 4",
    "S3_UPLOAD_PART_SIZE_MB, 5121",
    "S3_UPLOAD_PART_SIZE_MB, big",
    "S3_UPLOAD_QUEUE_SIZE, 0",
    "S3_UPLOAD_QUEUE_SIZE, 17",
    "S3_DOWNLOAD_PART_SIZE_MB, 0.5",
    "S3_DOWNLOAD_CONCURRENCY, -1"
  })
  void variables_invalid_areRefusedByName(String variable, String value) {
    assertThatThrownBy(() -> settings(2, Map.of(variable, value)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(variable + " is '" + value + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "4, 1, 1, 1, uploadPartMegabytes",
    "5121, 1, 1, 1, uploadPartMegabytes",
    "5, 0, 1, 1, uploadQueueSize",
    "5, 1, 0, 1, downloadPartMegabytes",
    "5, 1, 1, -1, downloadConcurrency"
  })
  void settings_thatCannotBeUsed_areRefusedByName(
      int up, int queue, int down, int concurrency, String name) {
    assertThatThrownBy(
            () ->
                new TransferSettings(
                    new Setting(up, "test"),
                    new Setting(queue, "test"),
                    new Setting(down, "test"),
                    new Setting(concurrency, "test")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(name + " cannot be");
    assertThatThrownBy(() -> Slice.cut(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void uploadParts_ofAHugeFile_areAtMostTenThousand() {
    TransferSettings settings = settings(2, Map.of());
    assertThat(settings.uploadPartBytes(MEGABYTE)).isEqualTo(32 * MEGABYTE);
    long huge = 5L << 40;
    long part = settings.uploadPartBytes(huge);
    assertThat(Slice.cut(huge, part)).hasSizeLessThanOrEqualTo(10_000);
  }

  @Test
  void cut_ofAWhole_coversItOnce() {
    assertThat(Slice.cut(10, 4))
        .containsExactly(new Slice(1, 0, 4), new Slice(2, 4, 4), new Slice(3, 8, 2));
    assertThat(Slice.cut(8, 4)).hasSize(2);
    assertThat(Slice.cut(0, 4)).isEmpty();
  }

  private TransferSettings settings(int cores, Map<String, String> variables) {
    Environment environment = new Environment(variables);
    return TransferSettings.from(
        environment, CpuBudget.detect(new Sources(empty, environment, cores)));
  }
}
