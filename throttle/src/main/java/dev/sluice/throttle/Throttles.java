package dev.sluice.throttle;

import dev.sluice.throttle.CpuBudget.Load;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The throttles that most programs need, sized to the processors this one has, and ways to run many
 * things under one.
 *
 * <table>
 *   <caption>The limits</caption>
 *   <tr><th>throttle</th><th>its own variable</th><th>otherwise</th></tr>
 *   <tr><td>{@link #s3()}</td><td>{@code S3_UPLOAD_CONCURRENCY}</td><td>the io default</td></tr>
 *   <tr><td>{@link #http()}</td><td>{@code HTTP_CONCURRENCY}</td><td>the io default</td></tr>
 *   <tr><td>{@link #disk()}</td><td>{@code DISK_CONCURRENCY}</td><td>1 if greedy, else the cpu default</td></tr>
 *   <tr><td>{@link #db()}</td><td>{@code DB_MAX_INFLIGHT}</td><td>the cpu default, at least 2</td></tr>
 * </table>
 *
 * <p>A throttle's own variable comes first. Then, for the disk alone, <em>greedy mode</em>: one
 * heavy job at a time has the machine for itself, instead of several that take turns and all end
 * late. It is on unless {@code GREEDY_PER_JOB}, or {@code GREEDY_MODE} where that is not set, says
 * otherwise. Then {@code SEMAPHORE_MAX_CONCURRENCY}, for all of them. Then the computed default.
 *
 * <p>Immutable; the throttles in it are thread-safe, and one {@code Throttles} should serve a whole
 * process: two of them allow twice as much.
 */
public final class Throttles {
  private static final Logger LOG = LoggerFactory.getLogger(Throttles.class);
  private static final String GLOBAL = "SEMAPHORE_MAX_CONCURRENCY";
  private static final int LEAST_DB = 2;

  private final CpuBudget cpu;
  private final Greed greed;
  private final Configured s3;
  private final Configured http;
  private final Configured disk;
  private final Configured db;

  /** Whether one heavy job at a time gets everything, and who says so. */
  private record Greed(boolean on, String source) {}

  /** A throttle and the setting it began with. */
  private record Configured(Throttle throttle, Setting setting) {
    ReportLine line() {
      int now = throttle.limit();
      return now == setting.value()
          ? ReportLine.of(throttle.name(), setting)
          : new ReportLine(
              throttle.name(),
              Integer.toString(now),
              "resized; was %d, %s".formatted(setting.value(), setting.source()));
    }
  }

  private Throttles(Environment environment, CpuBudget cpu) {
    this.cpu = cpu;
    this.greed = greed(environment);
    OptionalInt everything = environment.positiveInt(GLOBAL);
    Setting io = cpu.computed(Load.IO);
    Setting compute = cpu.computed(Load.CPU);
    s3 = configured("s3", environment, "S3_UPLOAD_CONCURRENCY", everything, io);
    http = configured("http", environment, "HTTP_CONCURRENCY", everything, io);
    disk =
        greed.on
            ? configured(
                "disk",
                environment,
                "DISK_CONCURRENCY",
                OptionalInt.empty(),
                new Setting(1, "greedy mode (%s)".formatted(greed.source)))
            : configured("disk", environment, "DISK_CONCURRENCY", everything, compute);
    db =
        configured(
            "db",
            environment,
            "DB_MAX_INFLIGHT",
            everything,
            new Setting(
                Math.max(LEAST_DB, compute.value()),
                "computed: max(%d, %d cores)".formatted(LEAST_DB, cpu.cores())));
  }

  /**
   * Throttles as the environment of this process wants them.
   *
   * @throws InvalidSettingException if a variable has a value that cannot be used
   */
  public static Throttles fromEnvironment() {
    return from(Environment.system(), CpuBudget.detect());
  }

  /** Throttles as this environment wants them, for a process with these processors. */
  public static Throttles from(Environment environment, CpuBudget cpu) {
    return new Throttles(environment, cpu);
  }

  private static Greed greed(Environment environment) {
    Optional<Boolean> perJob = environment.flag("GREEDY_PER_JOB");
    Optional<Boolean> mode = environment.flag("GREEDY_MODE");
    if (perJob.isPresent()) {
      return new Greed(perJob.get(), "GREEDY_PER_JOB");
    }
    return mode.map(on -> new Greed(on, "GREEDY_MODE"))
        .orElse(new Greed(true, "default; GREEDY_PER_JOB is not set"));
  }

  private static Configured configured(
      String name,
      Environment environment,
      String variable,
      OptionalInt everything,
      Setting computed) {
    OptionalInt own = environment.positiveInt(variable);
    Setting setting;
    if (own.isPresent()) {
      setting = new Setting(own.getAsInt(), variable);
    } else if (everything.isPresent()) {
      setting = new Setting(everything.getAsInt(), GLOBAL);
    } else {
      setting = computed;
    }
    return new Configured(Throttle.of(name, setting.value()), setting);
  }

  /** For requests to a bucket. */
  public Throttle s3() {
    return s3.throttle;
  }

  /** For requests to other servers. */
  public Throttle http() {
    return http.throttle;
  }

  /** For work that keeps a disk or all cores busy, such as transcoding a video. */
  public Throttle disk() {
    return disk.throttle;
  }

  /** For statements and transactions. */
  public Throttle db() {
    return db.throttle;
  }

  /** All four. */
  public List<Throttle> all() {
    return configured().map(Configured::throttle).toList();
  }

  /**
   * How busy each of them is: a line each, for operators. A worker shows them with {@code
   * notice("throttles", throttles::figures)}.
   */
  public List<ThrottleFigures> figures() {
    return all().stream().map(Throttle::figures).toList();
  }

  /** The processors they are sized for. */
  public CpuBudget cpu() {
    return cpu;
  }

  /** Whether one heavy job at a time has the machine for itself. */
  public boolean greedy() {
    return greed.on;
  }

  /** Every number with its source: processors, derived defaults, greedy mode, limits. */
  public List<ReportLine> report() {
    List<ReportLine> lines = new ArrayList<>(cpu.report());
    lines.add(new ReportLine("greedy", Boolean.toString(greed.on), greed.source));
    configured().map(Configured::line).forEach(lines::add);
    return List.copyOf(lines);
  }

  /** Logs the {@link #report()}; worth a line in every program's start. */
  public void logConfiguration() {
    for (ReportLine line : report()) {
      LOG.info("{}: {} ({})", line.subject(), line.value(), line.source());
    }
  }

  private Stream<Configured> configured() {
    return Stream.of(s3, http, disk, db);
  }

  /**
   * Does the same with every item, as many at once as the throttle lets in, each on a thread of its
   * own: virtual ones where the JVM has them. Returns when all are done.
   *
   * <p>When one fails, those that wait never start, those that run are interrupted, and when the
   * last of them has ended, the failure is thrown, with those of the others suppressed.
   *
   * @return what came of them, in the order of the items
   * @throws E what the mapper throws
   * @throws InterruptedException if the calling thread is interrupted; the items are, too
   */
  public static <T, R, E extends Exception> List<R> mapConcurrently(
      Collection<? extends T> items,
      Throttle throttle,
      String label,
      Mapper<? super T, ? extends R, E> mapper)
      throws E, InterruptedException {
    ConcurrentMapping<T, R> mapping =
        new ConcurrentMapping<>(items, throttle, label, mapper, false);
    List<R> results = new ArrayList<>();
    for (Outcome<R> outcome : mapping.<E>run()) {
      results.add(((Outcome.Success<R>) outcome).value());
    }
    return results;
  }

  /**
   * The same, but every item is tried, whatever comes of the others.
   *
   * @return what came of them, in the order of the items
   * @throws InterruptedException if the calling thread is interrupted; the items are, too
   */
  public static <T, R> List<Outcome<R>> mapConcurrentlyCollecting(
      Collection<? extends T> items,
      Throttle throttle,
      String label,
      Mapper<? super T, ? extends R, ?> mapper)
      throws InterruptedException {
    return new ConcurrentMapping<T, R>(items, throttle, label, mapper, true)
        .<RuntimeException>run();
  }

  /**
   * {@link #mapConcurrently} without waiting for it. To cancel the future interrupts the items that
   * run and keeps the others from starting.
   */
  public static <T, R> CompletableFuture<List<R>> mapConcurrentlyAsync(
      Collection<? extends T> items,
      Throttle throttle,
      String label,
      Mapper<? super T, ? extends R, ?> mapper) {
    Mapper<? super T, ? extends R, ? extends Exception> any = mapper;
    return async(
        () -> Throttles.<T, R, Exception>mapConcurrently(items, throttle, label, any::map));
  }

  /** {@link #mapConcurrentlyCollecting} without waiting for it. */
  public static <T, R> CompletableFuture<List<Outcome<R>>> mapConcurrentlyCollectingAsync(
      Collection<? extends T> items,
      Throttle throttle,
      String label,
      Mapper<? super T, ? extends R, ?> mapper) {
    return async(() -> mapConcurrentlyCollecting(items, throttle, label, mapper));
  }

  private static <T> CompletableFuture<T> async(Work<T, ?> work) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Threads.start(new Errand<>(future, work));
    return future;
  }
}
