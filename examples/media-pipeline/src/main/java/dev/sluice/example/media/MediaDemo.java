package dev.sluice.example.media;

import dev.sluice.SluiceException;
import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.example.media.Video.Rendition;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.InvalidSettingException;
import dev.sluice.throttle.Throttles;
import dev.sluice.throttle.s3.S3Transfer;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.WorkflowRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jline.utils.Signals;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Runs the pipeline on a few generated videos, and shows who ran when. */
@Command(
    name = "run",
    description = {
      "Fetches videos from a local server, makes HLS renditions, uploads them and records them.",
      "The environment decides how much at once: GREEDY_PER_JOB, DISK_CONCURRENCY,"
          + " S3_UPLOAD_CONCURRENCY, DB_MAX_INFLIGHT, YTDLP_CONNECTIONS, EFFECTIVE_CPU_CORES."
    })
final class MediaDemo implements Callable<Integer> {
  private static final List<Rendition> RENDITIONS =
      List.of(
          new Rendition("720p", 720, 2_500),
          new Rendition("360p", 360, 800),
          new Rendition("240p", 240, 400));
  private static final String GREEDY = "GREEDY_PER_JOB";
  private static final String DISK = "DISK_CONCURRENCY";
  private static final Map<String, Integer> SIGNALS = Map.of("INT", 2, "TERM", 15, "HUP", 1);

  /** What a shell adds to the number of the signal that ended a program. */
  private static final int ENDED_BY_SIGNAL = 128;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(names = "--videos", defaultValue = "3", description = "How many videos; default 3.")
  private int videos;

  @Option(names = "--seconds", defaultValue = "10", description = "How long each is; default 10.")
  private int seconds;

  @Option(names = "--compare", description = "Does all of it twice: greedy, and not.")
  private boolean compare;

  @Option(
      names = "--bucket",
      description =
          "Where to upload; keys, region and endpoint are found as the AWS SDK does. Default: a"
              + " bucket in a Ceph that is started for it.")
  private String bucket;

  @Option(
      names = "--svg",
      defaultValue = "media-timeline.svg",
      description = "Where to draw the timeline; default ${DEFAULT-VALUE}.")
  private Path svg;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** Looks whether all is well so far, and ends: before anything is started for it. */
  @Option(names = "--check", hidden = true)
  private boolean checkOnly;

  private boolean succeeded = true;
  private final AtomicInteger signalled = new AtomicInteger();

  private MediaDemo() {}

  public static void main(String[] arguments) {
    MediaDemo demo = new MediaDemo();
    CommandLine line = new CommandLine(demo);
    line.setExecutionExceptionHandler(demo::explain);
    System.exit(line.execute(arguments));
  }

  /** What went wrong outside is told in a sentence; what is a mistake in here, with its trace. */
  private int explain(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
    if (signalled.get() != 0) {
      return signalled.get(); // Whatever the interrupt has led to.
    }
    if (failure instanceof InvalidSettingException
        || failure instanceof SluiceException
        || failure instanceof SdkException
        || failure instanceof IOException
        || failure instanceof SQLException) {
      command.getErr().println("run: " + failure.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
    throw failure;
  }

  @Override
  public Integer call() throws IOException, InterruptedException, SQLException {
    check();
    if (checkOnly) {
      return CommandLine.ExitCode.OK;
    }
    heedSignals();
    try (TemporaryDirectory scratch = TemporaryDirectory.create();
        Origin origin = new Origin(scratch.directory("origin"));
        EmbeddedPostgres postgres = EmbeddedPostgres.join(scratch.path().resolve("postgres"))) {
      say("Making a video of %d s …", seconds);
      SampleVideo.make(scratch.directory("origin"), seconds);
      Studio.Surroundings around =
          new Studio.Surroundings(
              "embedded:" + postgres.dataDirectory(),
              postgres.dataSource(),
              MediaDemo::client,
              bucket,
              new Workspace(scratch.directory("work")));
      String url = origin.url(SampleVideo.MANIFEST);
      List<Performance> performances = new ArrayList<>();
      for (Environment environment : environments()) {
        performances.add(perform(around, environment, url));
      }
      show(performances);
    }
    return succeeded ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  /**
   * The first signal interrupts: everything is closed in order, and the programs that run are
   * killed. Another one must not interrupt that.
   */
  private void heedSignals() {
    Thread main = Thread.currentThread();
    SIGNALS.forEach(
        (name, number) ->
            Signals.register(
                name,
                () -> {
                  if (signalled.compareAndSet(0, ENDED_BY_SIGNAL + number)) {
                    main.interrupt();
                  }
                }));
  }

  /** Servers that are not Amazon's seldom have a name for every bucket. */
  private static S3ClientBuilder client() {
    boolean elsewhere =
        List.of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL").stream()
            .anyMatch(System.getenv()::containsKey);
    return S3Transfer.clientBuilder().forcePathStyle(elsewhere);
  }

  private void check() {
    require(videos > 0 && seconds > 0, "--videos and --seconds take whole numbers from 1.");
    require(bucket != null, "Please name a bucket: --bucket NAME");
    List<String> missing = Program.missing("ffmpeg", "yt-dlp");
    require(
        missing.isEmpty(),
        "Please install %s. On Debian: apt-get install ffmpeg yt-dlp"
            .formatted(String.join(" and ", missing)));
    Path directory = svg.toAbsolutePath().getParent();
    require(
        Files.isWritable(Files.exists(svg) ? svg : directory) && !Files.isDirectory(svg),
        "--svg: %s cannot be written. Name a file in a directory that is there."
            .formatted(svg.toAbsolutePath()));
    require(
        !compare || System.getenv(DISK) == null,
        "--compare shows what greedy mode does, but %s is set and overrides it. Unset it."
            .formatted(DISK));
    environments().forEach(Studio::check);
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private List<Environment> environments() {
    if (!compare) {
      return List.of(Environment.system());
    }
    Map<String, String> greedy = new HashMap<>(System.getenv());
    greedy.put(GREEDY, "true");
    Map<String, String> shared = new HashMap<>(greedy);
    shared.put(GREEDY, "false");
    return List.of(new Environment(greedy), new Environment(shared));
  }

  private Performance perform(Studio.Surroundings around, Environment environment, String url)
      throws SQLException, InterruptedException {
    try (Studio studio = new Studio(around, environment, this::tell)) {
      Throttles throttles = studio.throttles();
      int threads = studio.tools().threads();
      String title =
          "Greedy %s: %d at a time on disk and cores, with %s"
              .formatted(
                  throttles.greedy() ? "on" : "off",
                  throttles.disk().limit(),
                  threads == 1 ? "one thread each" : threads + " threads");
      say("%n%s", title);
      throttles
          .report()
          .forEach(line -> say("  %-16s %-6s %s", line.subject(), line.value(), line.source()));
      List<UUID> runs = new ArrayList<>();
      for (int i = 1; i <= videos; i++) {
        String id = (throttles.greedy() ? "greedy-" : "shared-") + i;
        runs.add(studio.start(new Video(id, url, RENDITIONS)));
      }
      for (UUID run : runs) {
        tell(studio.await(run));
      }
      say("Transactions tried again: %d", studio.catalogue().retries());
      return new Performance(title, throttles, studio.timeline());
    }
  }

  private void tell(Timeline.Span span) {
    if (span.label() != Label.UPLOAD) { // a line for every file would be too much
      say(
          "  %7s  %-18s %s, took %s",
          Performance.seconds(span.end()),
          span.label(),
          span.video(),
          Performance.seconds(span.length()));
    }
  }

  private void tell(WorkflowRun run) {
    String id = run.data().input().path("id").asText();
    if (run.state() == RunState.SUCCEEDED) {
      say(
          "%s is number %s of the catalogue, at s3://%s/%s/master.m3u8",
          id, run.data().output().orElseThrow(), bucket, id);
    } else {
      succeeded = false;
      say("%s: %s. %s", id, run.state(), run.message().orElse(""));
    }
  }

  private void show(List<Performance> performances) throws IOException {
    for (Performance performance : performances) {
      say("");
      TextChart.draw(performance).forEach(line -> say("%s", line));
    }
    Files.writeString(
        svg,
        GanttChart.draw(
            performances,
            "%d videos of %d s, %d renditions each, on %d cores"
                .formatted(
                    videos,
                    seconds,
                    RENDITIONS.size(),
                    performances.get(0).throttles().cpu().cores())));
    say("%nThe same as a picture: %s", svg.toAbsolutePath());
  }

  private void say(String format, Object... values) {
    spec.commandLine().getOut().println(format.formatted(values));
  }
}
