package dev.sluice.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in, and what a page does when the server goes away. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String READ = "a-token-that-may-only-read-things";
  private static final String OPERATE = "a-token-that-may-change-anything";
  private static final String[] TOKENS = {"--read-token", READ, "--operate-token", OPERATE};

  private LiveSystem system;
  private Chromium chromium;
  private Tab tab;

  @BeforeAll
  void start(@TempDir Path directory) {
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
    chromium = new Chromium();
    system = LiveSystem.start("file:" + directory.resolve("objects"), directory, TOKENS);
    system.sluice().concurrency().setLimit("work", 2);
  }

  @AfterAll
  void stop() {
    if (system != null) {
      system.close();
    }
    chromium.close();
  }

  @BeforeEach
  void open() {
    tab = chromium.open(new Browser.NewContextOptions().setViewportSize(1280, 800));
    tab.page().navigate(system.address().toString());
    assertThat(tab.part("token-dialog")).isVisible();
  }

  @AfterEach
  void close() {
    tab.close();
  }

  @Test
  void readToken_showsEverythingAndChangesNothing() {
    logIn("wrong");
    assertThat(tab.part("token-problem")).containsText("does not know");
    logIn(READ);
    assertThat(tab.part("live")).hasText("live");
    assertThat(tab.mishaps())
        .as("the page asked without a token, then with a wrong one")
        .allMatch(Tab::isRefusal);

    assertThat(tab.part("role")).hasText("read only");
    tab.page().navigate(system.address() + "#/group?name=work");
    assertThat(tab.part("read-only-note")).isVisible();
    assertThat(tab.part("set-limit")).isDisabled();
    assertThat(tab.part("limit-input")).isDisabled();
    assertThat(tab.part("hold")).isDisabled();
    tab.visit("schedules");
    assertThat(tab.part("new-schedule")).isDisabled();
    assertThat(tab.mishaps()).isEmpty();
  }

  @Test
  void operateToken_changesThings_andTheLogSaysWho() {
    logIn(OPERATE);
    assertThat(tab.part("live")).hasText("live");
    assertThat(tab.mishaps()).as("the page asked without a token").allMatch(Tab::isRefusal);

    tab.page().navigate(system.address() + "#/group?name=work");
    tab.part("limit-input").fill("3");
    tab.part("set-limit").click();
    assertThat(tab.part("used")).containsText("/ 3");
    assertThat(tab.part("changes").locator("tbody tr").first()).containsText("operat");
    assertThat(system.sluice().concurrency().status("work").limit()).hasValue(3);
    assertThat(tab.mishaps()).isEmpty();
  }

  @Test
  void serverGoesAway_thePageSaysSoAndRecovers() {
    logIn(OPERATE);
    assertThat(tab.part("live")).hasText("live");
    tab.visit("concurrency");

    system.server().close();
    assertThat(tab.part("live")).not().hasText("live");
    assertThat(tab.part("title")).hasText("Concurrency");
    system.server().start();
    assertThat(tab.part("token-dialog").or(tab.part("live").filter(live()))).isVisible();
    if (tab.part("token-dialog").isVisible()) {
      logIn(OPERATE);
    }
    assertThat(tab.part("live")).hasText("live");
    tab.mishaps();

    tab.visit("overview");
    tab.visit("concurrency");
    tab.part("groups-by-name").click();
    assertThat(tab.part("group-table")).containsText("work");
    assertThat(tab.mishaps()).as("mishaps once the server is back").isEmpty();
  }

  private static Locator.FilterOptions live() {
    return new Locator.FilterOptions().setHasText("live");
  }

  private void logIn(String token) {
    tab.part("token-input").fill(token);
    tab.part("token-submit").click();
  }
}
