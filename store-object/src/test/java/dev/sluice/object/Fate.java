package dev.sluice.object;

import java.util.random.RandomGenerator;

/** What becomes of one request of a simulated process. */
enum Fate {
  /** It is carried out and answered. */
  ANSWERED,
  /** The same, but it takes its time, perhaps more than a lease. */
  SLOW,
  /** It never arrives, and its sender hears nothing. */
  REQUEST_LOST,
  /** It is carried out, and its sender hears nothing. */
  ANSWER_LOST,
  /** It is carried out long after its sender has given up. */
  LATE,
  /** It is carried out and answered, and a copy of it arrives again later. */
  TWICE,
  /** A put is refused because of another that is under way. */
  BUSY,
  /** The process dies before the request leaves it. */
  CRASH_BEFORE,
  /** The request is carried out, and the process is dead when the answer comes. */
  CRASH_AFTER,
  /** The process stops before the request leaves it, and goes on later. */
  FROZEN_BEFORE,
  /** The request takes its time, the process stops meanwhile, and goes on with the answer later. */
  FROZEN_AFTER;

  private static final Fate[] TROUBLES = {
    SLOW,
    SLOW,
    SLOW,
    REQUEST_LOST,
    ANSWER_LOST,
    LATE,
    TWICE,
    BUSY,
    SLOW,
    REQUEST_LOST,
    ANSWER_LOST,
    LATE,
    FROZEN_BEFORE,
    FROZEN_AFTER,
    CRASH_BEFORE,
    CRASH_AFTER
  };

  /** Says what becomes of each request. */
  @FunctionalInterface
  interface Oracle {
    /**
     * The fate of a request.
     *
     * @param number which it is, the first being number 1
     * @param what what it asks for
     */
    Fate of(int number, String what);
  }

  /** What kinds of trouble there are in a simulation. */
  enum Weather {
    /** All kinds, for any request. */
    MIXED,
    /** Besides, renewals are under way for so long that leases end meanwhile. */
    SLOW_LEASES,
    /** Besides, commits arrive late, and the state cannot be read meanwhile. */
    BLIND_COMMITS,
    /** Besides, renewals are under way for so long, and the state cannot be read meanwhile. */
    BLIND_RENEWALS;

    Oracle oracle(RandomGenerator random) {
      int percent = 2 + random.nextInt(12);
      return (number, what) -> {
        boolean slowLeases = this == SLOW_LEASES || this == BLIND_RENEWALS;
        if (slowLeases && what.startsWith("replace workers/") && random.nextBoolean()) {
          return random.nextBoolean() ? SLOW : FROZEN_AFTER;
        }
        if (this == BLIND_RENEWALS
            && what.startsWith("get " + Auditor.CONTROL)
            && random.nextInt(5) == 0) {
          return REQUEST_LOST;
        }
        if (this == BLIND_COMMITS && random.nextInt(4) == 0) {
          if (what.startsWith("replace " + Auditor.CONTROL)) {
            return LATE;
          } else if (what.startsWith("get " + Auditor.CONTROL)) {
            return REQUEST_LOST;
          }
        }
        return random.nextInt(100) < percent ? TROUBLES[random.nextInt(TROUBLES.length)] : ANSWERED;
      };
    }
  }

  /** Trouble for one request only. */
  static Oracle once(int number, Fate fate) {
    return (request, what) -> request == number ? fate : ANSWERED;
  }
}
