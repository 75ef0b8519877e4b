package dev.sluice.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes the pictures of the documentation, of a shop whose workers are busy. Not one of the tests;
 * {@code ./screenshots} runs it.
 */
class Screenshots {
  private static final Path IMAGES =
      Path.of(System.getProperty("sluice.images", "../docs/images")).toAbsolutePath();
  private static final int WIDTH = 1280;
  private static final int HEIGHT = 800;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** So that charts have something to show. */
  private static final int POINTS = 45;

  private Tab tab;
  private LiveServer server;

  @Test
  void takeAll(@TempDir Path directory) throws Exception {
    Files.createDirectories(IMAGES);
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
    try (Shop shop = new Shop("embedded:" + directory.resolve("shop"));
        // By its short name, which pages show; the server runs in that directory.
        LiveServer started = LiveServer.start("embedded:shop", directory);
        Chromium chromium = new Chromium()) {
      server = started;
      tab = chromium.open(window(ColorScheme.LIGHT));
      server.schedule("nightly-report", "render_invoice", "0 3 * * *");
      server.schedule("sync-stock", "sync_crm", "*/15 * * * *");
      server.schedule("monthly-statement", "send_email", "0 6 1 * *");
      await().atMost(PATIENCE).until(() -> server.points() >= POINTS);

      shop.fulfil(3);
      UUID run = shop.fulfil(12);
      take("overview", "#/", "chart-throughput");
      take("concurrency", "#/concurrency", "group-table");
      take("group", "#/group?name=send_email", "slots");
      take("jobs", "#/jobs", "job-table");
      take("job", "#/jobs/" + some(shop, "charge_card", JobState.FAILED), "failures");
      take("why", "#/why/" + some(shop, "send_email", JobState.WAITING), "why-holders");
      take("workflow", "#/workflows/" + run, "graph");
      take("workers", "#/workers", "workers");
      take("schedules", "#/schedules", "schedule-table");
      take("throttles", "#/throttles", "worker-throttles");
      tab.close();
      tab = chromium.open(window(ColorScheme.DARK));
      take("overview-dark", "#/", "chart-throughput");
    }
  }

  private static Browser.NewContextOptions window(ColorScheme colors) {
    return new Browser.NewContextOptions()
        .setViewportSize(WIDTH, HEIGHT)
        .setColorScheme(colors)
        .setReducedMotion(ReducedMotion.REDUCE)
        .setLocale("en-GB")
        .setTimezoneId("UTC");
  }

  private static UUID some(Shop shop, String task, JobState state) {
    JobQuery query = JobQuery.ALL.task(task).states(state).limit(1);
    return await()
        .atMost(PATIENCE)
        .until(
            () -> shop.sluice().jobs().list(query).items().stream().map(JobInfo::id).findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Takes a picture once a part of the page is there. */
  private void take(String name, String address, String part) {
    tab.page().navigate(server.address() + address);
    assertThat(tab.part("live")).hasText("live");
    assertThat(tab.part(part).first()).isVisible();
    tab.photograph(IMAGES.resolve(name + ".png"));
  }
}
