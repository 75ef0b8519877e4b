package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Stored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryObjectStoreTest extends ObjectStoreContract {
  @TempDir Path directory;

  @Override
  ObjectStore open() {
    return DirectoryObjectStore.open(directory);
  }

  @Test
  void objects_lieWhereTheirKeysSay() throws IOException {
    try (ObjectStore store = open()) {
      store.putIfAbsent("q/my queue/shards/0.json", Bodies.plain("{}"));
    }

    Path file = directory.resolve("objects/q/my%20queue/shards/0.json.object");
    assertThat(Files.readAllLines(file)).hasSize(2).endsWith("{}");
  }

  @Test
  void draftsOfAProcessThatDied_areClearedWhenTheStoreIsOpened() throws IOException {
    Path dead = Files.createDirectories(directory.resolve("drafts/dead"));
    Files.createFile(dead.resolve("owner"));
    Files.writeString(dead.resolve("0001"), "half an obj");
    Path hardlyBegun = Files.createDirectories(directory.resolve("drafts/hardly-begun"));

    try (ObjectStore store = open()) {
      assertThat(dead).doesNotExist();
      assertThat(hardlyBegun).doesNotExist();
      assertThat(store.listAll("")).isEmpty();
    }
  }

  @Test
  void draftsOfAStoreThatIsOpen_areLeftAlone() {
    Path own = directory.resolve("own");
    try (ObjectStore first = DirectoryObjectStore.open(own)) {
      try (ObjectStore second = DirectoryObjectStore.open(own)) {
        assertThat(second.putIfAbsent("b", Bodies.plain(""))).isInstanceOf(Stored.class);
      }
      assertThat(first.putIfAbsent("a", Bodies.plain(""))).isInstanceOf(Stored.class);
    }
    assertThat(own.resolve("drafts")).isEmptyDirectory();
  }

  /** One overwritten file made every list fail, and with it every job. */
  @Test
  void damagedFile_isListedWithTheOthers_andNamedByWhoeverReadsIt() throws IOException {
    try (ObjectStore store = open()) {
      store.putIfAbsent("jobs/a", Bodies.plain("1"));
      store.putIfAbsent("jobs/b", Bodies.plain("2"));
      try (Stream<Path> files = Files.walk(directory)) {
        Path file = files.filter(path -> path.endsWith("a.object")).findFirst().orElseThrow();
        Files.writeString(file, "something else");
      }

      assertThat(store.listAll("jobs/"))
          .extracting(ListedObject::key)
          .containsExactly("jobs/a", "jobs/b");
      assertThatThrownBy(() -> store.get("jobs/a"))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("a.object")
          .hasMessageContaining("Restore it from a backup");
    }
  }

  @Test
  void emptyFolders_goAfterAWhile_andComeBackWhenNeeded() throws IOException {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    try (ObjectStore store = DirectoryObjectStore.open(directory, now::get)) {
      store.putIfAbsent("day/1/a", Bodies.plain(""));
      store.putIfAbsent("kept", Bodies.plain(""));
      store.delete("day/1/a");
      assertThat(directory.resolve("objects/day/1")).exists();
      Path foreign = Files.createFile(directory.resolve("objects/README"));
      store.listAll("");

      for (int i = 0; i < 3; i++) {
        now.set(now.get().plus(Duration.ofMinutes(2)));
        store.putIfAbsent("x", Bodies.plain(""));
        store.delete("x");
      }

      assertThat(directory.resolve("objects/day")).doesNotExist();
      assertThat(foreign).exists();
      assertThat(store.putIfAbsent("day/1/a", Bodies.plain(""))).isInstanceOf(Stored.class);
      assertThat(store.get("day/1/a")).isPresent();
    }
  }

  @Test
  void folderRemovedByAnotherProcess_isMadeAgain() throws IOException {
    try (ObjectStore store = open()) {
      store.putIfAbsent("day/1/a", Bodies.plain(""));
      store.delete("day/1/a");
      Files.delete(directory.resolve("objects/day/1"));
      Files.delete(directory.resolve("objects/day"));

      assertThat(store.putIfAbsent("day/1/b", Bodies.plain(""))).isInstanceOf(Stored.class);
      assertThat(store.get("day/1/b")).isPresent();
    }
  }

  @Test
  void foreignFiles_areNotListed_andDamagedOnesAreNamed() throws IOException {
    try (ObjectStore store = open()) {
      store.putIfAbsent("a", Bodies.plain(""));
      Path objects = directory.resolve("objects");
      Files.writeString(objects.resolve("README"), "hello");
      Files.writeString(objects.resolve("%zz.object"), "hello");
      assertThat(store.listAll("").stream().map(ListedObject::key)).isEqualTo(List.of("a"));

      Files.writeString(objects.resolve("b.object"), "hello");
      assertThatThrownBy(() -> store.get("b"))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("b.object")
          .hasMessageContaining("move it away");
    }
  }

  @Test
  void directoryThatIsMissing_isMadeWithAllAboveIt() {
    try (ObjectStore store = DirectoryObjectStore.open(directory.resolve("a/b/../c"))) {
      assertThat(store.putIfAbsent("x", Bodies.plain(""))).isInstanceOf(Stored.class);
    }
    assertThat(directory.resolve("a/c/objects/x.object")).exists();
  }

  @Test
  void directoryThatIsAFile_isRefusedByName() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertThatThrownBy(() -> DirectoryObjectStore.open(file))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContainingAll(file.toString(), "is a file, not a directory");
  }

  @Test
  void interruptedThread_failsAloneAndStaysInterrupted() {
    try (ObjectStore store = open()) {
      String tag = ((Stored) store.putIfAbsent("a", Bodies.plain("1"))).tag();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> store.putIfMatch("a", Bodies.plain("2"), tag))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(Thread.interrupted()).isTrue();

      assertThat(store.putIfMatch("a", Bodies.plain("3"), tag)).isInstanceOf(Stored.class);
    }
  }

  @Test
  void close_byAnInterruptedThread_leavesNothingBehind() {
    Path own = directory.resolve("own");
    ObjectStore store = DirectoryObjectStore.open(own);

    Thread.currentThread().interrupt();
    store.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(own.resolve("drafts")).isEmptyDirectory();
  }

  @Test
  void puts_leaveNoDraftBehind() throws IOException {
    Path own = directory.resolve("own");
    try (ObjectStore store = DirectoryObjectStore.open(own)) {
      String tag = ((Stored) store.putIfAbsent("a", Bodies.plain("1"))).tag();
      store.putIfAbsent("a", Bodies.plain("2"));
      store.putIfMatch("a", Bodies.plain("3"), tag);
      store.putIfMatch("a", Bodies.plain("4"), tag);

      try (Stream<Path> files = Files.walk(own.resolve("drafts"))) {
        assertThat(files.filter(Files::isRegularFile).map(Path::getFileName))
            .containsExactly(Path.of("owner"));
      }
    }
  }
}
