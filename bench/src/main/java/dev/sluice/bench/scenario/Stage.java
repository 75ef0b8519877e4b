package dev.sluice.bench.scenario;

import java.util.Map;

/** A setting that can be measured again and again. */
interface Stage extends AutoCloseable {
  /** Measures a round. */
  Round measure() throws InterruptedException;

  /**
   * Has a last, shorter round timed on the server too, which costs some throughput. Where no server
   * can do that, it says what the process keeps in memory.
   */
  Profile profile() throws InterruptedException;

  @Override
  void close();

  /**
   * What was seen with the server's clocks at work.
   *
   * @param functions milliseconds per call of the store's SQL functions, by the server's own count
   * @param heapMegabytes what the process kept in memory at the end
   */
  record Profile(Map<String, Double> functions, double heapMegabytes) {}
}
