package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.object.ObjectStoreUrl.Bucket;
import dev.sluice.object.ObjectStoreUrl.Directory;
import dev.sluice.object.ObjectStoreUrl.Memory;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectStoreUrlTest {
  @Test
  void memory_hasAName() {
    assertThat(ObjectStoreUrl.parse("memory:tests")).isEqualTo(new Memory("tests"));
    assertThat(ObjectStoreUrl.parse("memory:")).isEqualTo(new Memory(""));
  }

  @Test
  void directory_isAPathAsWritten() {
    assertThat(ObjectStoreUrl.parse("file:./my data%20"))
        .isEqualTo(new Directory(Path.of("./my data%20")));
    assertThat(ObjectStoreUrl.parse("file:/var/lib/sluice"))
        .isEqualTo(new Directory(Path.of("/var/lib/sluice")));
    assertThat(ObjectStoreUrl.parse("file:///var/lib/sluice"))
        .isEqualTo(new Directory(Path.of("/var/lib/sluice")));
  }

  @Test
  void bucketAlone_leavesTheRestToTheSdk() {
    assertThat(ObjectStoreUrl.parse("s3://jobs"))
        .isEqualTo(new Bucket("jobs", "", null, null, false));
    assertThat(ObjectStoreUrl.parse("s3://jobs/"))
        .isEqualTo(new Bucket("jobs", "", null, null, false));
  }

  @Test
  void bucketWithEverything_isTakenApart() {
    assertThat(
            ObjectStoreUrl.parse(
                "s3://jobs/team%20a/b/?endpoint=http://localhost:9000&region=eu-central-1&path-style=false"))
        .isEqualTo(
            new Bucket(
                "jobs", "team a/b", URI.create("http://localhost:9000"), "eu-central-1", false));
  }

  @Test
  void endpoint_meansPathStyleUnlessSaidOtherwise() {
    Bucket bucket = (Bucket) ObjectStoreUrl.parse("s3://jobs?endpoint=https%3A%2F%2Fs3.example");

    assertThat(bucket.pathStyle()).isTrue();
    assertThat(bucket.endpoint()).isEqualTo(URI.create("https://s3.example"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "postgresql://h/d | of no known form",
        "s3:jobs | of no known form",
        "file: | names no directory",
        "file://host/data | names the host 'host'",
        "s3:// | The bucket ''",
        "s3://a | The bucket 'a'",
        "s3://my bucket/x | The bucket 'my bucket'",
        "s3://jobs/a//b | The key 'a//b'",
        "s3://jobs/%zz | The prefix '%zz'",
        "s3://jobs?region= | The region ''",
        "s3://jobs?region=a&region=b | 'region' twice",
        "s3://jobs?secret=x | known are endpoint=, region=, path-style= and shards=",
        "file:data?shard=4 | the only option of a directory is ?shards=",
        "s3://jobs?endpoint=localhost:9000 | Write endpoint=https://host:port",
        "s3://jobs?endpoint=http:// | Write endpoint=https://host:port",
        "s3://jobs?path-style=yes | path-style=true or path-style=false",
      })
  void malformed_namesThePartAndTheRemedy(String url, String message) {
    assertThatThrownBy(() -> ObjectStoreUrl.parse(url))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3://AKIA:s3cret@jobs/x", "s3://jobs?endpoint=http://me:s3cret@host"})
  void credentials_areRefusedAndNotShown(String url) {
    assertThatThrownBy(() -> ObjectStoreUrl.parse(url))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void prefixThatLeavesNoRoomForKeys_isRefused() {
    assertThatThrownBy(() -> ObjectStoreUrl.parse("s3://jobs/" + "x".repeat(124)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("longer than 123 bytes");
  }
}
