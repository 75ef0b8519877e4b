package dev.sluice.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Response;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A window that remembers whatever went wrong in it: errors on the console, in scripts, and
 * requests that failed.
 */
final class Tab implements AutoCloseable {
  private static final int FIRST_BAD_STATUS = 400;

  private final BrowserContext context;
  private final Page page;
  private final List<String> mishaps = new ArrayList<>();

  Tab(BrowserContext context) {
    this.context = context;
    this.page = context.newPage();
    page.onConsoleMessage(this::heard);
    page.onPageError(error -> mishaps.add("error in a script: " + error));
    page.onRequestFailed(this::failed);
    page.onResponse(this::answered);
  }

  private void failed(Request request) {
    // Whoever leaves or reloads a page gives up what it was just asking for.
    boolean givenUp =
        request.method().equals("GET") && "net::ERR_ABORTED".equals(request.failure());
    if (!givenUp) {
      mishaps.add(
          "failed: %s %s, %s".formatted(request.method(), request.url(), request.failure()));
    }
  }

  private void heard(ConsoleMessage message) {
    if (List.of("error", "warning", "assert").contains(message.type())) {
      mishaps.add("console: " + message.text() + " at " + message.location());
    }
  }

  private void answered(Response response) {
    if (response.status() >= FIRST_BAD_STATUS) {
      mishaps.add(response.status() + " " + response.request().method() + " " + response.url());
    }
  }

  /** The page in it. */
  Page page() {
    return page;
  }

  /** What the dashboard calls by this name for tests. */
  Locator part(String name) {
    return page.locator("[data-test=\"%s\"]".formatted(name));
  }

  /** Everything that went wrong so far; forgotten with that. */
  List<String> mishaps() {
    List<String> told = List.copyOf(mishaps);
    mishaps.clear();
    return told;
  }

  /** Whether a mishap is that the server let nobody in without the right token. */
  static boolean isRefusal(String mishap) {
    return mishap.startsWith("401 ") || mishap.contains("status of 401");
  }

  /** Opens one of the pages from the menu. */
  void visit(String name) {
    part("nav-" + name).click();
    assertThat(part("nav-" + name)).hasAttribute("aria-current", "page");
    assertThat(part("title")).isVisible();
  }

  /** Takes a picture of what is in the window. */
  void photograph(Path file) {
    page.screenshot(new Page.ScreenshotOptions().setPath(file));
  }

  @Override
  public void close() {
    context.close();
  }
}
