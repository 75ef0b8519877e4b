package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.PutResult.Stored;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoresTest {
  private final RequestMeter meter = new RequestMeter();

  @Test
  void memory_isSharedByNameAndCounted() {
    String url = "memory:" + UUID.randomUUID();
    try (ObjectStore one = open(url);
        ObjectStore other = open(url)) {
      one.putIfAbsent("a", Bodies.plain(""));

      assertThat(other.get("a")).isPresent();
      assertThat(meter.report().requests()).isEqualTo(2);
    }
  }

  @Test
  void directory_isProbedOnce(@TempDir Path directory) {
    String url = "file:" + directory.resolve("data");
    open(url).close();
    RequestReport probed = meter.report();

    try (ObjectStore again = open(url)) {
      assertThat(meter.report().since(probed).requests()).isEqualTo(1);
      assertThat(again.putIfAbsent("a", Bodies.plain(""))).isInstanceOf(Stored.class);
    }
    assertThat(directory.resolve("data/objects/probe.json.object")).exists();
  }

  private ObjectStore open(String url) {
    return ObjectStores.open(ObjectStoreUrl.parse(url), meter);
  }
}
