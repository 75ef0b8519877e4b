package dev.sluice.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Keyboard;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.Workflows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Walks through every page of the dashboard of a live system, on a store that a subclass names, and
 * looks in that system whether what the pages say is true and what they change has changed. Nothing
 * may go wrong in the browser meanwhile.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DashboardWalk {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String LONELY_QUEUE = "nobody";
  private static final Task<JsonNode> WORK = Task.named("work", JsonNode.class).build();
  private static final Task<JsonNode> ECHO = Task.named("echo", JsonNode.class).build();
  private static final Task<JsonNode> FAIL = Task.named("fail", JsonNode.class).build();
  private static final Task<Integer> LONELY = Task.named("lonely", Integer.class).build();

  private LiveSystem system;
  private Chromium chromium;
  private Tab tab;

  /** The URL of an empty store in this directory. */
  abstract String store(Path directory);

  /** What the dashboard calls that store. */
  abstract String storeName();

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve(".sluice.toml"), "[alerts]\nunserved_secs = 1\n");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
    chromium = new Chromium();
    system = LiveSystem.start(store(directory), directory);
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
    system.journal().shut();
    tab = chromium.open(new Browser.NewContextOptions().setViewportSize(1280, 800));
    tab.page().navigate(system.address().toString());
    assertThat(part("live")).hasText("live");
  }

  @AfterEach
  void nothingWentWrong() {
    List<String> mishaps = tab.mishaps();
    tab.close();
    // Whatever a test left, the next finds nothing at work.
    system.journal().open();
    system.sluice().queues().resume(SubmitOptions.DEFAULT_QUEUE);
    system.sluice().jobs().list(JobQuery.ALL.queue(LONELY_QUEUE)).items().stream()
        .map(JobInfo::id)
        .forEach(system.sluice().jobs()::cancel);
    await().atMost(PATIENCE).until(() -> unfinished() == 0);
    assertThat(mishaps).isEmpty();
  }

  @Test
  void limit_changedInThePage_takesEffectInTheRunningSystem() {
    Journal journal = system.journal();
    long before = journal.begun();
    for (int number = 0; number < 8; number++) {
      submit(WORK, number);
    }

    tab.visit("concurrency");
    Locator row = part("group-row").and(tab.page().locator("[data-group=work]"));
    assertThat(row).containsText("2 / 2");
    assertThat(row).containsText("full");
    row.locator("a").first().click();
    assertThat(part("used")).containsText("2 / 2");
    assertThat(part("slot-row")).hasCount(2);
    assertThat(part("slot-row").first().locator("a.id")).isVisible();
    assertThat(journal.running()).as("handlers at work").isEqualTo(2);

    setLimit(4);
    assertThat(part("used")).containsText("4 / 4");
    assertThat(part("slot-row")).hasCount(4);
    await().atMost(PATIENCE).until(() -> journal.running() == 4);

    part("hold").click();
    assertThat(part("held-note")).isVisible();
    journal.open();
    assertThat(part("used")).containsText("0 / 0");
    await().atMost(PATIENCE).until(() -> journal.running() == 0);
    assertThat(part("waiting-jobs")).hasText("4");
    assertThat(journal.begun() - before).as("begun, none of them while held").isEqualTo(4);

    journal.shut();
    part("resume").click();
    assertThat(part("used")).containsText("4 / 4");
    await().atMost(PATIENCE).until(() -> journal.begun() - before == 8);
    assertThat(journal.peak()).as("the most at once").isEqualTo(4);
    assertThat(part("changes").locator("tbody tr")).hasCount(3);

    part("remove-limit").click();
    part("confirm-yes").click();
    assertThat(part("used")).containsText("/ 2");
    assertThat(system.sluice().concurrency().status("work").limit()).hasValue(2);
  }

  @Test
  void newLimit_namesAreSuggestedAndNothingIsFilledIn() {
    tab.visit("concurrency");
    part("new-limit").click();

    assertThat(part("new-limit-names").locator("option[value=work]")).hasCount(1);
    assertThat(part("new-limit-group")).hasAttribute("list", "new-limit-names");
    assertThat(part("new-limit-group")).hasValue("");
    assertThat(part("new-limit-number")).hasValue("");

    part("new-limit-group").fill("wrok");
    part("new-limit-number").fill("3");
    part("form-submit").click();
    assertThat(part("toast-good").last()).containsText("Did you mean 'work'?");
  }

  private void setLimit(int limit) {
    part("limit-input").fill("" + limit);
    part("set-limit").click();
    assertThat(part("toast-good").last()).containsText("work");
  }

  @Test
  void waitingJob_saysWhy_andIsCancelledAndRetried() {
    submit(WORK, 1);
    submit(WORK, 2);
    await().atMost(PATIENCE).until(() -> system.journal().running() == 2);
    UUID last = submit(WORK, 3);

    tab.visit("jobs");
    part("filter-state-waiting").check();
    Locator row = tab.page().locator("tr[data-job='%s']".formatted(last));
    assertThat(row).hasAttribute("data-state", "waiting");
    row.locator("[data-test=why-link]").click();
    assertThat(part("why-sentence").first()).containsText("work");
    assertThat(part("why-holders").locator("tbody tr")).hasCount(2);
    assertThat(part("why-answer")).containsText("next in line");

    part("why-answer").locator("a.id").click();
    assertThat(part("job-id")).hasText(last.toString());
    part("cancel-job").click();
    assertThat(part("confirm-dialog")).isVisible();
    part("confirm-yes").click();
    assertThat(part("title")).containsText("cancelled");
    assertThat(state(last)).isEqualTo(JobState.CANCELLED);

    part("retry-job").click();
    part("confirm-yes").click();
    assertThat(part("title")).containsText("waiting");
    system.journal().open();
    assertThat(part("title")).containsText("succeeded");
    assertThat(part("timeline").locator("li").last()).containsText("succeeded");
    part("why-link").click();
    assertThat(part("why-answer")).containsText("Waited");
  }

  @Test
  void markup_isShownAsText_whereverItComesFrom() {
    String trap = LiveSystem.TRAP;
    UUID failed = submit(FAIL, trap);
    Task<String> odd = Task.named(trap, String.class).build();
    UUID lonely =
        system
            .sluice()
            .submit(odd, trap, options -> options.queue(LONELY_QUEUE).concurrencyGroup(trap))
            .id();
    system.sluice().concurrency().setLimit(Group.of(trap), 1);
    await().atMost(PATIENCE).until(() -> state(failed) == JobState.FAILED);

    go("#/jobs/" + failed);
    assertThat(part("failure").first()).containsText("<img src=x onerror");
    assertThat(part("payload")).containsText("<script>window.trapped=1</script>");
    part("retry-job").click();
    part("confirm-yes").click();
    assertThat(part("failure")).hasCount(2);

    go("#/jobs/" + lonely);
    assertThat(part("title")).containsText("<script>");
    go("#/why/" + lonely);
    assertThat(part("why-sentence").first()).containsText(LONELY_QUEUE);
    go("#/jobs?queue=" + LONELY_QUEUE);
    assertThat(part("job-row")).containsText("<script>");
    go("#/concurrency?order=name");
    assertThat(part("group-table")).containsText("<img src");
    tab.visit("overview");
    assertThat(part("queues")).containsText(LONELY_QUEUE);

    assertThat(tab.page().evaluate("() => window.trapped")).as("what the trap sets").isNull();
    assertThat(tab.page().locator("main img, main script")).hasCount(0);
  }

  @Test
  void alert_standsAboveEveryPage_andLeadsToThePlace() {
    assertThat(part("alerts")).isHidden();
    assertThat(part("alerts-check")).containsText("No job waits without need");
    UUID lonely = system.sluice().submit(LONELY, 1, o -> o.queue(LONELY_QUEUE)).id();
    system.sluice().concurrency().setLimit("work", 0);
    for (String address : pages(lonely)) {
      go(address);
      assertThat(part("title")).isVisible();
      assertThat(alert("unserved")).containsText("'" + LONELY_QUEUE + "'");
      assertThat(alert("group_held")).containsText("'work' is held");
    }
    tab.visit("overview");
    assertThat(part("alerts-check")).hasCount(2);

    alert("group_held").locator("[data-test=alert-link]").click();
    assertThat(part("held-note")).isVisible();
    alert("unserved").locator("[data-test=alert-link]").click();
    assertThat(tab.page().locator("tr[data-job='%s']".formatted(lonely))).isVisible();
    assertThat(part("job-row")).hasCount(1);

    system.sluice().jobs().cancel(lonely);
    system.sluice().concurrency().removeLimit("work");
    assertThat(part("alerts")).isHidden();
  }

  private Locator alert(String kind) {
    return part("alert").and(tab.page().locator("[data-kind=%s]".formatted(kind)));
  }

  @Test
  void header_namesTheStore_andTimesTheirZone() {
    assertThat(part("store-name")).hasText(storeName());
    go("#/jobs/" + submit(ECHO, "when?"));
    assertThat(part("timeline").locator("time").last())
        .hasText(Pattern.compile("\\d\\d:\\d\\d:\\d\\d [A-Z]{3,}.*"));
  }

  @Test
  void jobTable_longNamesAndErrors_fitsTheScreen() {
    String group = "call_external_api/region=eu-central-1";
    for (int number = 0; number < 3; number++) {
      submit(FAIL, "an error that is much longer than the column of the table in which it stands");
      system
          .sluice()
          .submit(
              Task.named("synchronise_customer_relations", Integer.class).build(),
              number,
              o -> o.queue(LONELY_QUEUE).concurrencyGroup(group).concurrencyKey("tenant-4711"));
    }
    go("#/jobs");
    assertThat(part("job-row").first()).isVisible();
    assertThat(sideways(".table-scroll")).as("how far the table scrolls sideways").isEqualTo(0);
  }

  @Test
  void queue_pausedInThePage_startsNothing() {
    submit(WORK, "so that the queue is listed");
    Locator row = tab.page().locator("tr[data-queue=default]");
    row.locator("[data-test=queue-pause]").click();
    assertThat(row).containsText("paused");
    UUID job = submit(ECHO, "later");
    go("#/why/" + job);
    assertThat(tab.page().locator("[data-kind=queue_paused]")).isVisible();
    assertThat(state(job)).isEqualTo(JobState.READY);

    tab.visit("overview");
    row.locator("[data-test=queue-resume]").click();
    assertThat(row).not().containsText("paused");
    go("#/jobs/" + job);
    assertThat(part("title")).containsText("succeeded");
    assertThat(part("result")).containsText("later");
  }

  @Test
  void run_isDrawnAndMoves() {
    try (Workflows workflows = Workflows.on(system.sluice())) {
      UUID run =
          workflows.start(
              WorkflowDefinition.named("parcel")
                  .maxConcurrentSteps(3)
                  .step(StepDefinition.named("weigh").task("echo"))
                  .step(StepDefinition.named("pack").task("work").dependsOn("weigh"))
                  .step(StepDefinition.named("ship").task("echo").dependsOn("pack"))
                  .build(),
              Map.of("parcel", 7));

      tab.visit("workflows");
      tab.page().locator("tr[data-run='%s'] a".formatted(run)).click();
      assertThat(step("weigh")).hasAttribute("data-state", "succeeded");
      assertThat(step("pack")).hasAttribute("data-state", "running");
      assertThat(part("in-flight")).hasText("1 of 3");
      step("ship").click();
      assertThat(part("step")).containsText("pack");

      system.journal().open();
      assertThat(step("ship")).hasAttribute("data-state", "succeeded");
      assertThat(part("title")).containsText("succeeded");
    }
  }

  private Locator step(String name) {
    return tab.page().locator("[data-test=dag-step][data-step='%s']".formatted(name));
  }

  @Test
  void schedule_isMadeRunPausedAndDeleted() {
    tab.visit("schedules");
    part("new-schedule").click();
    part("schedule-name").fill("team/yearly");
    part("schedule-task").fill("echo");
    part("schedule-cron").fill("0 3 1 1 *");
    part("schedule-payload").fill("{\"by\": \"schedule\"}");
    part("form-submit").click();
    Locator row = tab.page().locator("tr[data-schedule='team/yearly']");
    assertThat(row).containsText("never");

    row.locator("[data-test=schedule-trigger]").click();
    assertThat(part("toast-good").last()).containsText("submitted");
    row.locator("a.id").click();
    assertThat(part("title")).containsText("succeeded");
    assertThat(part("payload")).containsText("schedule");

    tab.visit("schedules");
    row.locator("[data-test=schedule-pause]").click();
    assertThat(row).hasAttribute("data-paused", "true");
    row.locator("[data-test=schedule-resume]").click();
    assertThat(row).hasAttribute("data-paused", "false");
    row.locator("[data-test=schedule-delete]").click();
    part("confirm-yes").click();
    assertThat(part("toast-good").last()).containsText("deleted");
    assertThat(row).hasCount(0);
  }

  @Test
  void workersAndTheirThrottles_areListed() {
    submit(WORK, 1);
    tab.visit("workers");
    assertThat(part("worker")).hasCount(LiveSystem.WORKERS + 1);
    assertThat(part("workers")).containsText("work");
    assertThat(part("workers")).containsText(Pattern.compile("1\\s*/\\s*8 running"));
    tab.visit("throttles");
    Locator local =
        part("worker-throttles").filter(new Locator.FilterOptions().setHasText("local"));
    assertThat(local.locator("[data-throttle=http]")).containsText("/ 3");
  }

  @Test
  void narrowScreen_everyPageFits() {
    tab.page().setViewportSize(360, 740);
    UUID job = submit(WORK, "a long payload ".repeat(20));
    system.sluice().submit(LONELY, 1, o -> o.queue(LONELY_QUEUE));
    assertThat(part("alerts")).isVisible();
    for (String address : pages(job)) {
      go(address);
      assertThat(part("title")).isVisible();
      assertThat(sideways(":root")).as("how far %s scrolls sideways", address).isEqualTo(0);
    }
    part("menu").click();
    part("nav-concurrency").click();
    assertThat(part("title")).hasText("Concurrency");
  }

  private static List<String> pages(UUID job) {
    return List.of(
        "#/",
        "#/concurrency",
        "#/group?name=work",
        "#/jobs",
        "#/jobs/" + job,
        "#/why/" + job,
        "#/workflows",
        "#/workers",
        "#/schedules",
        "#/throttles");
  }

  private Object sideways(String element) {
    return tab.page()
        .evaluate(
            "name => { const e = document.querySelector(name); return e.scrollWidth - e.clientWidth; }",
            element);
  }

  @Test
  void darkMode_followsTheSystemAndTheButton() {
    awaitBackground("> 200");
    tab.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    awaitBackground("< 60");
    part("theme").click();
    awaitBackground("> 200");
    tab.page().reload();
    assertThat(part("live")).hasText("live");
    awaitBackground("> 200");
  }

  /** Waits until the page is as bright as said, 255 being white. */
  private void awaitBackground(String brightness) {
    tab.page()
        .waitForFunction(
            "() => Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) "
                + brightness);
  }

  @Test
  void keys_leadEverywhere() {
    Keyboard keyboard = tab.page().keyboard();
    keyboard.press("g");
    keyboard.press("c");
    assertThat(part("title")).hasText("Concurrency");
    keyboard.press("/");
    assertThat(part("group-search")).isFocused();
    keyboard.press("Escape");
    keyboard.press("?");
    assertThat(part("keys-dialog")).isVisible();
    keyboard.press("Escape");
    assertThat(part("keys-dialog")).hasCount(0);

    tab.page().reload();
    assertThat(part("live")).hasText("live");
    keyboard.press("Tab");
    assertThat(part("skip-link")).isFocused();
    keyboard.press("Enter");
    assertThat(tab.page().locator("main")).isFocused();

    UUID job = submit(ECHO, 1);
    part("search").fill(job.toString());
    keyboard.press("Enter");
    assertThat(part("job-id")).hasText(job.toString());
  }

  private UUID submit(Task<JsonNode> task, Object payload) {
    JsonNode json = system.sluice().mapper().valueToTree(payload);
    return system.sluice().submit(task, json).id();
  }

  private JobState state(UUID job) {
    return system.sluice().jobs().get(job).orElseThrow().state();
  }

  private long unfinished() {
    Map<JobState, Long> counts = system.sluice().jobs().counts();
    return counts.entrySet().stream()
        .filter(count -> !count.getKey().finished())
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private void go(String address) {
    tab.page().navigate(system.address() + address);
  }

  private Locator part(String name) {
    return tab.part(name);
  }
}
