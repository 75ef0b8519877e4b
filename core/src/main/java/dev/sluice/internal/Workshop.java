package dev.sluice.internal;

/**
 * The parts of a worker that stay when it loses one lease and goes on under another.
 *
 * @param environment settings, store, clock
 * @param permits who may start a handler; those of a lost lease count until they have returned
 * @param prefetch how long handlers take
 * @param bell wakes the exchange loop
 * @param announcer tells listeners
 * @param chronicle what the worker has done
 */
record Workshop(
    WorkerEnvironment environment,
    ThreadPermits permits,
    Prefetch prefetch,
    Bell bell,
    Announcer announcer,
    Chronicle chronicle) {

  static Workshop of(WorkerEnvironment environment) {
    WorkerSettings settings = environment.settings();
    Chronicle chronicle = new Chronicle(environment.tasks().keySet());
    return new Workshop(
        environment,
        new ThreadPermits(settings.concurrency(), settings.localLimits()),
        new Prefetch(),
        new Bell(),
        new Announcer(settings.reporting().listeners(), chronicle),
        chronicle);
  }
}
