package dev.sluice.spi;

import dev.sluice.Jobs;
import java.time.Duration;

/** The jobs on record; what {@link Jobs} offers users, and the cleaner's batch. */
public interface JobCatalog extends Jobs {
  /**
   * Removes up to {@code batch} jobs that finished longer ago than {@code age}, oldest first;
   * returns how many.
   */
  int purge(Duration age, int batch);

  @Override
  default int purge(Duration age) {
    int removed = 0;
    for (int last = -1; last != 0; removed += last) {
      last = purge(age, 5_000);
    }
    return removed;
  }
}
