package dev.sluice.bench.scenario;

import java.lang.management.ManagementFactory;

/** The memory of this process. */
final class Heap {
  private static final double MEGABYTE = 1 << 20;

  private Heap() {}

  /** What is in use once garbage is collected, in megabytes. */
  static double usedMegabytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE;
  }
}
