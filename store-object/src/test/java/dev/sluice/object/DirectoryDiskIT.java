package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Stored;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disks that refuse to be written. Only root can mount such disks, and permissions do not stop
 * root, so only root runs these.
 */
class DirectoryDiskIT {
  private static final String KILOBYTE = "x".repeat(1_000);

  @TempDir Path directory;

  @BeforeEach
  void needRoot() throws Exception {
    assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root");
  }

  @Test
  void fullDisk_refusesWithAMessage_losesNothing_andGoesOnWhenThereIsRoom() throws Exception {
    try (Tmpfs disk = Tmpfs.mount(directory, 256);
        ObjectStore store = DirectoryObjectStore.open(directory)) {
      String tag = ((Stored) store.putIfAbsent("state", Bodies.unique("1"))).tag();
      int stored = fill(store);
      assertThat(stored).isPositive();

      assertThatThrownBy(
              () -> store.putIfMatch("state", Bodies.unique("2" + KILOBYTE.repeat(40)), tag))
          .isExactlyInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'state'")
          .hasMessageContaining(directory.toString())
          .hasMessageContaining("the disk is full");
      assertThat(Bodies.text(store.get("state").orElseThrow())).isEqualTo("1");
      assertThat(store.listAll("filler/")).hasSize(stored);
      for (int i = 0; i < stored; i++) {
        assertThat(store.get("filler/" + i).orElseThrow().body()).asString().isEqualTo(KILOBYTE);
      }

      store.delete("filler/0");
      store.delete("filler/1");
      assertThat(store.putIfMatch("state", Bodies.unique("2"), tag)).isInstanceOf(Stored.class);
    }
  }

  @Test
  void readOnlyDisk_isRefusedWithAMessage_andServesWhenItIsWritableAgain() throws Exception {
    try (Tmpfs disk = Tmpfs.mount(directory, 256)) {
      try (ObjectStore store = DirectoryObjectStore.open(directory)) {
        store.putIfAbsent("state", Bodies.unique("1"));
      }
      disk.makeReadOnly();
      for (Path refused : List.of(directory, directory.resolve("new"))) {
        assertThatThrownBy(() -> DirectoryObjectStore.open(refused))
            .isInstanceOf(StoreIncompatibleException.class)
            .hasMessageContaining(refused.toString())
            .hasMessageContaining("Make it writable");
      }
      disk.makeWritable();
      try (ObjectStore store = DirectoryObjectStore.open(directory)) {
        assertThat(store.get("state")).isPresent();
      }
    }
  }

  /** Writes until nothing goes any more; returns how many objects were acknowledged. */
  private static int fill(ObjectStore store) {
    for (int i = 0; ; i++) {
      try {
        store.putIfAbsent("filler/" + i, Bodies.plain(KILOBYTE));
      } catch (StoreUnavailableException full) {
        assertThat(full).hasMessageContaining("the disk is full");
        return i;
      }
    }
  }
}
