package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.object.PutResult.Stored;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
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

  @Test
  void fullDisk_underAWorker_losesNoAcknowledgedJob_andGoesOnWhenThereIsRoom() throws Exception {
    Task<String> task = Task.named("t", String.class).maxConcurrent(3).build();
    Path filler = directory.resolve("filler");
    try (Tmpfs disk = Tmpfs.mount(directory, 2_048);
        Sluice sluice = Sluice.open("file:" + directory.resolve("data"))) {
      Set<UUID> acknowledged = new HashSet<>();
      CountDownLatch go = new CountDownLatch(1);
      try (Worker worker =
          sluice
              .worker()
              .poll(Duration.ofMillis(50))
              .handle(task, (payload, context) -> go.await())
              .start()) {
        acknowledged.add(sluice.submit(task, "first").id());
        Files.write(filler, new byte[1 << 20]);
        assertThatThrownBy(
                () -> {
                  while (true) {
                    acknowledged.add(sluice.submit(task, KILOBYTE.repeat(20)).id());
                  }
                })
            .isExactlyInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("the disk is full")
            .hasMessageContaining("free some space");
        go.countDown();
        Files.delete(filler);
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptions()
            .untilAsserted(
                () ->
                    assertThat(acknowledged)
                        .allSatisfy(
                            id ->
                                assertThat(sluice.jobs().get(id).orElseThrow().state())
                                    .isEqualTo(JobState.SUCCEEDED)));
      }
      assertThat(acknowledged).hasSizeGreaterThan(5);
      assertThat(sluice.concurrency().status("t").active()).isZero();
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
