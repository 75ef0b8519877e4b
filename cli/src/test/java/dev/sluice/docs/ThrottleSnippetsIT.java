package dev.sluice.docs;

import static dev.sluice.throttle.Throttles.mapConcurrently;
import static dev.sluice.throttle.Throttles.mapConcurrentlyCollecting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.throttle.CpuBudget;
import dev.sluice.throttle.LabelStats;
import dev.sluice.throttle.Outcome;
import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.ThrottleTimeoutException;
import dev.sluice.throttle.Throttles;
import dev.sluice.throttle.micrometer.RetryMetrics;
import dev.sluice.throttle.micrometer.ThrottleMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of {@code docs/throttles.md}, between markers; {@link DocsTest} compares. */
class ThrottleSnippetsIT {
  private final Throttles throttles = Throttles.fromEnvironment();

  @Test
  void quickStart(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "text");
    // snippet: throttle-quick-start
    Throttles throttles = Throttles.fromEnvironment(); // once per process
    throttles.logConfiguration();
    String text = throttles.disk().run("disk_read", () -> Files.readString(file));
    // end snippet
    assertThat(text).isEqualTo("text");
  }

  @Test
  void cores() {
    // snippet: throttle-cores
    CpuBudget cpu = CpuBudget.detect();
    int cores = cpu.cores(); // 2, in a container with a quota of 1.5
    int transcoders = cpu.computeDefault(CpuBudget.Load.CPU); // max(1, cores)
    int fetchers = cpu.computeDefault(CpuBudget.Load.IO); // max(4, 2 × cores)
    // end snippet
    assertThat(transcoders).isEqualTo(cores);
    assertThat(fetchers).isGreaterThanOrEqualTo(4);
  }

  @Test
  void throttle() throws Exception {
    // snippet: throttle-build
    Throttle printer =
        Throttle.builder("printer", 2) // at most two at once
            .maxWaiting(100) // the 101st in the line gets a ThrottleFullException
            .maxWait(Duration.ofMinutes(1)) // who waits longer, a ThrottleTimeoutException
            .build();
    printer.run("print_invoice", () -> print("invoice"));
    CompletableFuture<String> later = printer.runAsync("print_label", () -> print("label"));
    printer.resize(0); // hold: what prints goes on, nothing else starts
    printer.resize(5); // takes effect at once
    // end snippet
    assertThat(later.get()).isEqualTo("printed label");
    // snippet: throttle-permit
    try (Throttle.Permit permit = printer.acquire("print_invoice", Duration.ofSeconds(5))) {
      print("by hand");
    } // given back here, once, whoever closes it again
    // end snippet
    await().until(() -> printer.inFlight() == 0);
    // snippet: throttle-stats
    LabelStats stats = printer.stats("print_invoice");
    int inFlight = stats.inFlight(); // now, and stats.peakInFlight() ever
    int queueDepth = stats.queueDepth(); // moves when somebody starts to wait
    long failures = stats.failureTotal();
    Duration inAll = stats.latency().sum();
    // end snippet
    assertThat(inFlight + queueDepth + failures).isZero();
    assertThat(inAll).isPositive();
    printer.resize(0);
    assertThatThrownBy(() -> printer.acquire("late", Duration.ZERO))
        .isInstanceOf(ThrottleTimeoutException.class);
  }

  private static String print(String what) {
    return "printed " + what;
  }

  @Test
  void map() throws Exception {
    List<String> urls = List.of("a", "b", "c");
    // snippet: throttle-map
    List<String> pages =
        mapConcurrently(urls, throttles.http(), "http_get", url -> fetch(url)); // in their order

    for (Outcome<String> outcome :
        mapConcurrentlyCollecting(urls, throttles.http(), "http_get", url -> fetch(url))) {
      if (outcome instanceof Outcome.Failure<String> failure) {
        System.err.println("Left out: " + failure.cause());
      }
    }
    // end snippet
    assertThat(pages).containsExactly("page a", "page b", "page c");
  }

  private static String fetch(String url) throws IOException {
    if (url.isEmpty()) {
      throw new FileNotFoundException();
    }
    return "page " + url;
  }

  @Test
  void retry() throws Exception {
    String url = "a";
    // snippet: throttle-retry
    Retry retry =
        Retry.builder() // or Retry.fromEnvironment()
            .attempts(5)
            .baseDelay(Duration.ofMillis(200)) // then 400, 800, …, varied by a fifth
            .retryIf(failure -> !(failure instanceof FileNotFoundException))
            .build();
    String page = retry.run("http_get", throttles.http(), () -> fetch(url));
    // end snippet
    assertThat(page).isEqualTo("page a");
    MeterRegistry registry = new SimpleMeterRegistry();
    // snippet: throttle-metrics
    new ThrottleMetrics(throttles.all()).bindTo(registry);
    new RetryMetrics("http", retry).bindTo(registry);
    // end snippet
    assertThat(registry.get("throttle.success").functionCounter().count()).isEqualTo(1);
    assertThat(registry.get("retry.attempts").functionCounter().count()).isZero();
  }

  // snippet: throttle-limits
  record Video(String tenant, String file) {}

  static final Task<Video> TRANSCODE =
      Task.named("transcode_video", Video.class)
          .maxConcurrent(20) // across every worker
          .maxConcurrentPer("tenant", Video::tenant, 2)
          .build();

  // end snippet

  @Test
  void limitsAndThrottles() {
    try (Sluice sluice = Sluice.open("memory:")) {
      // snippet: throttle-handler
      Worker worker =
          sluice
              .worker()
              .handle(
                  TRANSCODE,
                  (video, ctx) -> {
                    // Here the job has its slot among the 20. Now a place on this machine:
                    throttles.disk().run("disk_ffmpeg", () -> transcode(video));
                    throttles.s3().run("s3_upload", () -> upload(video));
                  })
              .concurrencyOf("transcode_video", 2) // one at work, one that waits or uploads
              .start();
      // end snippet
      UUID id = sluice.submit(TRANSCODE, new Video("acme", "cat.mov")).id();
      await().until(() -> sluice.jobs().get(id).orElseThrow().state().finished());
      assertThat(sluice.jobs().get(id).map(job -> job.state()))
          .isEqualTo(Optional.of(JobState.SUCCEEDED));
      assertThat(throttles.disk().stats("disk_ffmpeg").successTotal()).isEqualTo(1);
      assertThat(throttles.s3().stats("s3_upload").successTotal()).isEqualTo(1);
      worker.close();
    }
  }

  private static void transcode(Video video) {
    assertThat(video.file()).isEqualTo("cat.mov");
  }

  private static void upload(Video video) {
    assertThat(video.file()).isEqualTo("cat.mov");
  }
}
