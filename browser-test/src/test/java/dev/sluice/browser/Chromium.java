package dev.sluice.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A browser without a window: the machine's own Chromium. One thread uses it. */
final class Chromium implements AutoCloseable {
  private static final List<String> ARGUMENTS =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync");

  private final Playwright playwright;
  private final Browser browser;

  Chromium() {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(new LaunchOptions().setExecutablePath(executable()).setArgs(ARGUMENTS));
  }

  private static Path executable() {
    return Stream.of(System.getenv("PATH").split(":"))
        .flatMap(
            directory ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(Path.of(directory)::resolve))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("There is no Chromium. apt-get install chromium"));
  }

  /** A new window of this size, as fresh as a new browser. */
  Tab open(Browser.NewContextOptions options) {
    return new Tab(browser.newContext(options));
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
