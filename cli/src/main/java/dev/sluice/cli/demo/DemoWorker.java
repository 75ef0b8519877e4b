package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.cli.demo.Tally.Numbers;
import java.io.IOException;
import java.util.Map;

/** A worker of the demo, in a process of its own or in this one. */
public interface DemoWorker extends AutoCloseable {
  /** Waits until it has signed on; false if it ended instead. */
  boolean awaitReady();

  /** Whether it runs. */
  boolean isAlive();

  /** What it does and has done, by group. */
  Map<Group, Numbers> numbers();

  /** Lets running handlers end and waits until it is gone. */
  @Override
  void close();

  /** What it did; call when it is gone. */
  Peaks.Record record() throws IOException;
}
