package dev.sluice.tck;

import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.spi.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * One empty namespace of a store under test, and how it is opened. Closing it removes the
 * namespace.
 */
public interface StoreFixture extends AutoCloseable {

  /** How an application opens this namespace; every call to open stands for another process. */
  SluiceOptions options();

  /** Opens the seam itself on this namespace. */
  JobStore openStore();

  /**
   * A URL under which another process on this machine opens the store. It may hold a password, so
   * it travels by environment variable, never on a command line.
   */
  String url();

  /** What another process needs in its environment to open the store, beside the URL. */
  default Map<String, String> environment() {
    return Map.of();
  }

  /**
   * A lease that is short, and yet long enough for a handful of requests on a busy machine: tests
   * wait for it to end, and must not lose it before.
   */
  default Duration shortLease() {
    return Duration.ofMillis(1_500);
  }

  /**
   * How long it takes at most until the slots of a dead worker with this lease are free, from when
   * a live worker has looked at its lease; live workers look every 5 s, give or take a fifth.
   */
  default Duration freeWithin(Duration lease) {
    return lease.plusSeconds(6);
  }

  /**
   * How long a worker with this lease must be silent until others have surely been given its jobs.
   */
  default Duration takenOverAfter(Duration lease) {
    return lease.plusMillis(1_500);
  }

  /** The schema or prefix that {@link #url()} is combined with. */
  String namespace();

  /**
   * A connection to the database the store lives in, for transactional submits; the caller closes
   * it.
   *
   * @throws UnsupportedOperationException if the store is not in a database
   */
  default Connection openConnection() throws SQLException {
    throw new UnsupportedOperationException("this store is not in a database");
  }

  /**
   * Every place where the store keeps a count of held slots, checked from outside: what the counter
   * says, and how many holders are on record. Must be one consistent view, so that it can be taken
   * while workers are at it. Stores that keep no counter return an empty map.
   */
  Map<String, SlotCount> recount();

  /** An application on this namespace. */
  default Sluice open() {
    return Sluice.open(options());
  }

  /** Removes the namespace. */
  @Override
  void close();

  /**
   * A counter and the truth.
   *
   * @param counted what the counter says
   * @param held how many holders are on record
   */
  record SlotCount(long counted, long held) {
    /** Whether the two agree. */
    public boolean agrees() {
      return counted == held;
    }
  }
}
