package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class MemoryObjectStoreTest extends ObjectStoreContract {
  private final String name = UUID.randomUUID().toString();

  @Override
  ObjectStore open() {
    return MemoryObjectStore.open(name);
  }

  @Test
  void close_lastOfAName_endsItsObjects() {
    String other = name + "-other";
    try (ObjectStore first = MemoryObjectStore.open(other)) {
      first.putIfAbsent("a", Bodies.plain(""));
      MemoryObjectStore.open(other).close();
      assertThat(first.get("a")).isPresent();
    }
    try (ObjectStore again = MemoryObjectStore.open(other)) {
      assertThat(again.get("a")).isEmpty();
    }
  }
}
