package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that share a directory, and are killed in the middle of their writes. */
class DirectoryProcessesIT {
  private static final int PROCESSES = 3;
  private static final int KILLS = 12;
  private static final long SEED = System.nanoTime();

  @TempDir Path temporary;

  private final List<Writer> alive = new ArrayList<>();
  private Path directory;
  private int started;

  private record Writer(Process process, Path log) {
    long lines() {
      try (Stream<String> lines = Files.lines(log)) {
        return lines.count();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @BeforeEach
  void makeCounters() throws IOException {
    directory = temporary.resolve("store");
    Files.createDirectory(temporary.resolve("logs"));
    try (ObjectStore store = DirectoryObjectStore.open(directory)) {
      for (int i = 0; i < DirectoryWriter.COUNTERS; i++) {
        store.putIfAbsent("counter/" + i, Bodies.unique("0"));
      }
    }
  }

  @AfterEach
  void endProcesses() {
    alive.forEach(writer -> writer.process.destroyForcibly());
  }

  @Test
  void killedAgainAndAgain_loseNothingAcknowledged_andCountExactly() throws Exception {
    System.out.println("DirectoryProcessesIT: seed " + SEED);
    Random random = new Random(SEED);
    while (alive.size() < PROCESSES) {
      alive.add(start());
    }
    for (int kill = 0; kill < KILLS; kill++) {
      Writer victim = alive.remove(random.nextInt(PROCESSES));
      long enough = victim.lines() + 20 + random.nextInt(30);
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(5))
          .until(() -> victim.lines() >= enough || !victim.process.isAlive());
      assertThat(victim.process.isAlive()).isTrue();
      victim.process.destroyForcibly().waitFor();
      alive.add(start());
    }
    for (Writer writer : alive) {
      writer.process.getOutputStream().close();
      assertThat(writer.process.waitFor()).isZero();
    }

    try (ObjectStore store = DirectoryObjectStore.open(directory)) {
      List<String> acknowledged = acknowledged();
      assertThat(acknowledged).noneMatch(line -> line.startsWith("failed"));
      for (int i = 0; i < DirectoryWriter.COUNTERS; i++) {
        assertCountedExactly(store, "counter/" + i, acknowledged);
      }
      assertAllMade(store, acknowledged);
    }
    assertThat(directory.resolve("drafts")).isEmptyDirectory();
  }

  /** No number was given out twice, and only what a kill cut off is missing among them. */
  private static void assertCountedExactly(
      ObjectStore store, String key, List<String> acknowledged) {
    List<Integer> numbers =
        acknowledged.stream()
            .filter(line -> line.startsWith(key + " "))
            .map(line -> Integer.parseInt(line.substring(key.length() + 1)))
            .toList();
    int last = Integer.parseInt(Bodies.text(store.get(key).orElseThrow()));
    System.out.printf("%s: %d acknowledged, stands at %d%n", key, numbers.size(), last);
    assertThat(numbers).doesNotHaveDuplicates().allMatch(number -> number <= last);
    assertThat(last - numbers.size()).isBetween(0, KILLS * DirectoryWriter.THREADS);
  }

  private static void assertAllMade(ObjectStore store, List<String> acknowledged) {
    List<String> listed = store.listAll("made/").stream().map(ListedObject::key).toList();
    List<String> made =
        acknowledged.stream()
            .filter(line -> line.startsWith("made "))
            .map(line -> line.substring("made ".length()))
            .toList();
    System.out.printf("%d objects acknowledged, %d there%n", made.size(), listed.size());
    assertThat(listed).containsAll(made);
    for (String key : listed) {
      assertThat(Bodies.text(store.get(key).orElseThrow())).isEqualTo(key);
    }
  }

  private List<String> acknowledged() throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> logs = Files.list(temporary.resolve("logs"))) {
      for (Path log : logs.toList()) {
        all.addAll(Files.readAllLines(log));
      }
    }
    return all;
  }

  private Writer start() throws IOException {
    Path log = Files.createFile(temporary.resolve("logs/" + started++));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                DirectoryWriter.class.getName(),
                directory.toString(),
                log.toString())
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.INHERIT)
            .start();
    return new Writer(process, log);
  }
}
