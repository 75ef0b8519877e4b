package dev.sluice.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The parts of a worker that stay when it loses one lease and goes on under another.
 *
 * @param environment settings, store, clock
 * @param declarations the limits it declares in code
 * @param pointers where payloads have the values of dimensions
 * @param filing sees to it that jobs run in the right groups
 * @param rescuer frees what dead workers held
 * @param permits who may start a handler; those of a lost lease count until they have returned
 * @param prefetch how long handlers take
 * @param bell wakes the exchange loop
 * @param announcer tells listeners
 * @param chronicle what the worker has done
 * @param highestToken the highest token it has seen
 */
record Workshop(
    WorkerEnvironment environment,
    Declarations declarations,
    WorkerPointers pointers,
    Filing filing,
    LeaseRescuer rescuer,
    ThreadPermits permits,
    Prefetch prefetch,
    Bell bell,
    Announcer announcer,
    Chronicle chronicle,
    AtomicLong highestToken) {

  /** Takes note of a token. */
  void seen(long token) {
    highestToken.accumulateAndGet(token, Math::max);
  }

  static Workshop of(WorkerEnvironment environment) {
    WorkerSettings settings = environment.settings();
    Chronicle chronicle = new Chronicle(environment.tasks().keySet());
    Declarations declarations = new Declarations(environment.tasks().values());
    WorkerPointers pointers = new WorkerPointers(environment.store().limits(), environment.tasks());
    return new Workshop(
        environment,
        declarations,
        pointers,
        new Filing(declarations, pointers),
        new LeaseRescuer(environment.store(), settings.timing().lease()),
        new ThreadPermits(settings.concurrency(), settings.localLimits()),
        new Prefetch(),
        new Bell(),
        new Announcer(settings.reporting().listeners(), chronicle),
        chronicle,
        new AtomicLong());
  }
}
