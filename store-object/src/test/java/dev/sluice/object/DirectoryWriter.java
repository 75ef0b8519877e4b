package dev.sluice.object;

import dev.sluice.object.PutResult.Stored;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A process of {@link DirectoryProcessesIT}: several threads count up shared counters and create
 * objects, and log what was acknowledged, one {@code write} per line, so that what was logged
 * survives a kill. It ends when its standard input does.
 *
 * <p>Arguments: the store's directory, the log.
 */
final class DirectoryWriter {
  static final int THREADS = 3;
  static final int COUNTERS = 2;

  private final ObjectStore store;
  private final OutputStream log;
  private volatile boolean stopped;

  private DirectoryWriter(ObjectStore store, OutputStream log) {
    this.store = store;
    this.log = log;
  }

  public static void main(String[] arguments) throws Exception {
    try (OutputStream log = new FileOutputStream(arguments[1], true);
        ObjectStore store = DirectoryObjectStore.open(Path.of(arguments[0]))) {
      DirectoryWriter writer = new DirectoryWriter(store, log);
      Thread[] threads = new Thread[THREADS];
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        threads[i] = new Thread(() -> writer.run(number));
        threads[i].setUncaughtExceptionHandler((thread, e) -> writer.fail(e));
        threads[i].start();
      }
      while (System.in.read() >= 0) {
        // Nothing is expected; the end of the input is the signal.
      }
      writer.stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private void run(int thread) {
    for (int i = 0; !stopped; i++) {
      increment("counter/" + i % COUNTERS);
      String key = "made/%d/%d/%d".formatted(ProcessHandle.current().pid(), thread, i);
      if (store.putIfAbsent(key, Bodies.unique(key)) instanceof Stored) {
        write("made " + key);
      }
    }
  }

  private void increment(String key) {
    StoredObject before = store.get(key).orElseThrow();
    int next = Integer.parseInt(Bodies.text(before)) + 1;
    if (store.putIfMatch(key, Bodies.unique("" + next), before.tag()) instanceof Stored) {
      write(key + " " + next);
    }
  }

  private void write(String line) {
    try {
      log.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(Throwable e) {
    e.printStackTrace();
    write("failed " + e);
    Runtime.getRuntime().halt(1);
  }
}
