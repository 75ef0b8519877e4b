package dev.sluice.object;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Processes on one {@link SimulatedBucket}, played through from a seed: who does what when, what
 * becomes of each request, who dies, who freezes, and what the clocks say follow from the seed
 * alone. The same seed makes the same requests in the same order, to the byte ({@link #trace}).
 *
 * <p>Each process is a whole store with a worker, the worker's heartbeat, a user who submits,
 * cancels, changes limits and takes permits, and the store's own chores, all of them threads of
 * {@link SimulatedThreads}. For a while they live with trouble. Then all of them die or sign off,
 * what is still on its way arrives, and an heir that finds nothing but the bucket finishes what is
 * left.
 *
 * <p>After everything that happens, two look whether it may: the {@link Auditor} at every state
 * that the bucket was ever in, and the {@link Ledger} at what the processes themselves believe.
 */
final class Simulation {
  static final Duration LEASE = Duration.ofSeconds(2);
  private static final int PROCESSES = 3;
  private static final int REQUESTS = 170;
  private static final long LONGEST = Duration.ofMinutes(5).toNanos();
  private static final long MOMENT = Duration.ofMillis(100).toNanos();

  private final SplittableRandom random;
  private final Flaw flaw;
  private final SimulatedThreads threads;
  private final SimulatedBucket bucket;
  private final SimulatedJobs jobs;
  private final Auditor auditor;
  private final Ledger ledger;
  private final List<SimulatedProcess> processes = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final List<String> recorded;
  private Fate.Oracle oracle = (number, what) -> Fate.ANSWERED;
  private int requests;
  private int requestsBeforeHeir;
  private int started;
  private long trace = 1;
  private boolean calm = true;
  private boolean crowded;
  private boolean replaced;

  Simulation(long seed, Flaw flaw) {
    this(seed, flaw, false);
  }

  /**
   * A simulation that was not played yet.
   *
   * @param recording whether all requests, states and exchanges are kept as text
   */
  Simulation(long seed, Flaw flaw, boolean recording) {
    this.random = new SplittableRandom(seed);
    this.flaw = flaw;
    this.recorded = recording ? new ArrayList<>() : null;
    this.threads = new SimulatedThreads(this::failed, this::check);
    this.bucket = new SimulatedBucket(this, flaw != Flaw.TAGS_IGNORED);
    // Seeds that failed before there was misfiling play what they played then.
    this.jobs = new SimulatedJobs(random, Math.floorMod(seed, 3) == 2);
    this.auditor = new Auditor(this);
    this.ledger = new Ledger(this);
  }

  /** Plays whatever the seed says; what went against the rules. */
  List<String> play() {
    Fate.Weather[] all = Fate.Weather.values();
    return play(random.nextInt(3) == 0, all[random.nextInt(all.length)]);
  }

  /**
   * Plays.
   *
   * @param crowd whether everybody wants the one slot of a group, and nothing else goes on
   * @return what went against the rules
   */
  List<String> play(boolean crowd, Fate.Weather weather) {
    crowded = crowd;
    replaced = true;
    oracle = weather.oracle(random);
    calm = false;
    for (int i = 0; i < PROCESSES; i++) {
      startOne(random.nextLong(MOMENT));
    }
    while (violations.isEmpty() && requests < REQUESTS && threads.now() < LONGEST) {
      threads.sleep(MOMENT);
    }
    calm = true;
    replaced = false;
    for (SimulatedProcess process : List.copyOf(processes)) {
      if (random.nextBoolean()) {
        process.crash();
      } else {
        process.stop();
      }
    }
    return end();
  }

  /**
   * Plays one process through the {@link SimulatedScript}, without any trouble but what the oracle
   * says.
   *
   * @return what went against the rules
   */
  List<String> playScript(Fate.Oracle troubles) {
    oracle = troubles;
    calm = false;
    SimulatedProcess process = new SimulatedProcess(this, started, flaw.of(started++));
    processes.add(process);
    process.start(0, new SimulatedScript(process)::play);
    rest();
    calm = true;
    process.crash();
    return end();
  }

  /** Waits until all is quiet, and has one healthy process finish what is left. */
  private List<String> end() {
    rest();
    requestsBeforeHeir = requests;
    if (violations.isEmpty()) {
      threads.sleep(SimulatedBucket.LATEST);
      SimulatedProcess heir = new SimulatedProcess(this, started++, Flaw.NONE);
      processes.add(heir);
      heir.start(0, () -> new SimulatedHeir(heir).inherit());
      rest();
    }
    List.copyOf(processes).forEach(SimulatedProcess::crash);
    while (threads.alive() > 0) {
      threads.sleep(MOMENT);
    }
    return violations;
  }

  private void rest() {
    long begun = threads.now();
    while (violations.isEmpty() && threads.alive() > 0) {
      threads.sleep(MOMENT);
      if (threads.now() - begun > LONGEST) {
        violation("nothing comes to rest");
      }
    }
  }

  private void startOne(long delay) {
    SimulatedProcess process = new SimulatedProcess(this, started, flaw.of(started++));
    processes.add(process);
    process.start(delay, process::live);
  }

  /** A process is dead: after a while another takes its place. */
  void died(SimulatedProcess process) {
    processes.remove(process);
    if (replaced && violations.isEmpty()) {
      threads.after(
          random.nextLong(3_000_000_000L),
          () -> {
            if (replaced) {
              startOne(0);
            }
          });
    }
  }

  // What the world is like

  /** Whether everybody wants the one slot of a group, and nothing else goes on. */
  boolean isCrowded() {
    return crowded;
  }

  SplittableRandom random() {
    return random;
  }

  SimulatedThreads threads() {
    return threads;
  }

  SimulatedBucket bucket() {
    return bucket;
  }

  SimulatedJobs jobs() {
    return jobs;
  }

  Auditor auditor() {
    return auditor;
  }

  Ledger ledger() {
    return ledger;
  }

  Iterable<SimulatedProcess> processes() {
    return processes;
  }

  /** What becomes of the request that this process sends now. */
  Fate nextFate(SimulatedProcess process, String what) {
    requests++;
    Fate fate = calm ? Fate.ANSWERED : oracle.of(requests, what);
    trace = trace * 1_000_003 + threads.now();
    trace = trace * 1_000_003 + process.number();
    trace = trace * 1_000_003 + fate.ordinal();
    trace = trace * 1_000_003 + what.hashCode();
    int number = requests;
    note(
        () ->
            "%5d %12d us  %d %-13s %s"
                .formatted(number, threads.now() / 1_000, process.number(), fate, what));
    return fate;
  }

  /** Takes down what happened, if it is recorded. */
  void note(Supplier<String> line) {
    if (recorded != null) {
      recorded.add(line.get());
    }
  }

  // What came of it

  /** How many requests were sent before the heir came. */
  int requestsBeforeHeir() {
    return requestsBeforeHeir;
  }

  /** How many requests were sent. */
  int requests() {
    return requests;
  }

  /** A number that differs if any request did. */
  long trace() {
    return trace;
  }

  /** Everything that was taken down. */
  List<String> recorded() {
    return recorded;
  }

  List<String> violations() {
    return violations;
  }

  void violation(String what) {
    violations.add(what);
    note(() -> "        VIOLATION " + what);
  }

  private void failed(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    violation("something failed: " + text);
  }

  private void check() {
    ledger.check();
  }
}
