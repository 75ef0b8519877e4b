package dev.sluice.object;

import java.util.random.RandomGenerator;

/**
 * Random numbers of a simulated process; on wish always the same where nonces are drawn, while
 * names of workers and producers still differ.
 */
final class RandomDraws implements RandomGenerator {
  private final RandomGenerator random;
  private final boolean sameNonces;
  private long distinct;

  RandomDraws(RandomGenerator random, boolean sameNonces) {
    this.random = random;
    this.sameNonces = sameNonces;
  }

  /** So many numbers from now on differ in any case. */
  void distinct(long numbers) {
    distinct = numbers;
  }

  @Override
  public long nextLong() {
    if (sameNonces && distinct-- <= 0) {
      return 7;
    }
    return random.nextLong();
  }
}
