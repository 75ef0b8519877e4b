package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.AlertThresholds;
import dev.sluice.Diagnosis;
import dev.sluice.Group;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.server.ServerFixture.Reply;
import dev.sluice.workflow.Workflows;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the API does on any store. Every answer is also held to the OpenAPI document by {@link
 * ServerFixture}.
 */
abstract class ApiContract {
  static final Task<JsonNode> WORK =
      Task.named("work", JsonNode.class).retry(RetryPolicy.NONE).build();
  private static final String NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057";
  private static final Duration SOON = Duration.ofSeconds(30);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final CountDownLatch letGo = new CountDownLatch(1);
  private ServerFixture api;

  abstract Sluice open();

  @BeforeEach
  void start() {
    registry.counter("sluice.test").increment();
    Diagnosis diagnosis = new Diagnosis("a store", List.of());
    api =
        new ServerFixture(
            open(),
            s ->
                s.registry(registry)
                    .diagnosis(() -> diagnosis)
                    .alertThresholds(AlertThresholds.DEFAULT.unserved(Duration.ZERO)));
  }

  @AfterEach
  void stop() {
    letGo.countDown();
    api.close();
  }

  private Worker worker() {
    return api.sluice
        .worker()
        .name("the worker")
        .handle(
            WORK,
            (payload, context) -> {
              if (payload.has("fail")) {
                throw new IllegalStateException("<script>alert(1)</script>");
              }
              if (payload.has("hold")) {
                letGo.await();
              }
            })
        .start();
  }

  private String submit(String payload) throws Exception {
    return submit(payload, "");
  }

  private String submit(String payload, String more) throws Exception {
    Reply reply =
        api.post(
            "/api/v1/jobs", "{\"task\": \"work\", \"payload\": %s%s}".formatted(payload, more));
    assertThat(reply.status()).isEqualTo(201);
    String id = reply.json().get("id").asText();
    assertThat(reply.header("Location")).isEqualTo("/api/v1/jobs/" + id);
    return id;
  }

  private JsonNode job(String id) throws Exception {
    return api.get("/api/v1/jobs/" + id).json();
  }

  private void awaitState(String id, String state) {
    await().atMost(SOON).until(() -> job(id).get("state").asText().equals(state));
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void submit_anyJson_comesBackToTheDigit() throws Exception {
    String payload = "{\"n\":12345678901234567890.1230,\"t\":\"é\\u0000\",\"l\":[1,null,true]}";
    String id = submit(payload);

    assertThat(api.get("/api/v1/jobs/" + id).response().body())
        .contains("12345678901234567890.1230");
    assertThat(job(id).get("payload")).isEqualTo(ServerFixture.JSON.readTree(payload));
  }

  @Test
  void submit_sameIdOrDedupeKey_answersWithTheFirst() throws Exception {
    String first = submit("{}", ", \"dedupe_key\": \"k\"");
    Reply second = api.post("/api/v1/jobs", "{\"task\": \"work\", \"dedupe_key\": \"k\"}");

    assertThat(second.status()).isEqualTo(200);
    assertThat(second.json().get("outcome").asText()).isEqualTo("duplicate");
    assertThat(second.json().get("id").asText()).isEqualTo(first);
  }

  @Test
  void submit_fullGroupAndReject_isAConflictWithTheFigures() throws Exception {
    String body =
        "{\"task\":\"work\",\"concurrency_group\":\"g\",\"concurrency_limit\":1,\"on_limit\":\"reject\"}";
    assertThat(api.post("/api/v1/jobs", body).status()).isEqualTo(201);

    Reply refused = api.post("/api/v1/jobs", body);

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().get("outcome").asText()).isEqualTo("rejected");
    assertThat(refused.json().get("group").asText()).isEqualTo("g");
    assertThat(refused.json().get("limit").asInt()).isEqualTo(1);
    assertThat(refused.json().get("count").asInt()).isEqualTo(1);
  }

  @Test
  void submit_perDimension_countsInItsGroup() throws Exception {
    api.sluice.concurrency().setLimit(Group.of("work").anyValueOf("tenant"), 1);
    String body = "{\"task\":\"work\",\"per\":{\"tenant\":\"acme\"},\"on_limit\":\"reject\"}";
    assertThat(api.post("/api/v1/jobs", body).status()).isEqualTo(201);

    Reply refused = api.post("/api/v1/jobs", body);

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().get("group").asText()).isEqualTo("work/tenant=acme");
    assertRefused(
        api.post("/api/v1/jobs", "{\"task\":\"work\",\"per\":{\"tenant\":null}}"), 422, "tenant");
  }

  @Test
  void limit_withAPointer_countsWhatIsSubmittedByName() throws Exception {
    String limit = "/api/v1/group/limit?group=work/tenant%3D*";
    Reply set = api.write("PUT", limit, "{\"limit\":2,\"pointer\":\"/tenant\"}");
    assertThat(set.json().get("pointer").asText()).isEqualTo("/tenant");
    String body = "{\"task\":\"work\",\"payload\":{\"tenant\":\"acme\"},\"on_limit\":\"reject\"}";
    assertThat(api.post("/api/v1/jobs", body).status()).isEqualTo(201);
    assertThat(api.post("/api/v1/jobs/batch", "{\"jobs\":[" + body + "]}").status()).isEqualTo(200);

    Reply refused = api.post("/api/v1/jobs", body);

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().get("group").asText()).isEqualTo("work/tenant=acme");
    assertRefused(api.write("PUT", limit, "{\"limit\":2,\"pointer\":\"tenant\"}"), 422, "slash");
    assertRefused(
        api.write("PUT", "/api/v1/group/limit?group=work", "{\"limit\":2,\"pointer\":\"/tenant\"}"),
        422,
        "work/tenant=*");
  }

  @Test
  void submit_mistakes_sayWhatIsWrong() throws Exception {
    assertRefused(api.post("/api/v1/jobs", "{}"), 400, "'task' is missing");
    assertRefused(api.post("/api/v1/jobs", "{\"task\":"), 400, "not JSON");
    assertRefused(api.post("/api/v1/jobs", ""), 400, "empty");
    assertRefused(api.post("/api/v1/jobs", "{\"task\":\"a\",\"prio\":1}"), 400, "'prio'");
    assertRefused(
        api.post("/api/v1/jobs", "{\"task\":\"a\",\"priority\":\"1\"}"), 400, "'priority'");
    assertRefused(
        api.post("/api/v1/jobs", "{\"task\":\"a\",\"on_limit\":\"no\"}"), 400, "wait, reject");
    assertRefused(api.post("/api/v1/jobs", "{\"task\":\"\"}"), 422, "empty");
    assertRefused(
        api.post("/api/v1/jobs", "{\"task\":\"a\",\"concurrency_limit\":-1}"), 422, "negative");
    assertRefused(
        api.post("/api/v1/jobs", "{\"task\":\"a\",\"delay_seconds\":1e300}"), 422, "too large");
    assertThat(api.sluice.jobs().counts().values()).containsOnly(0L);
  }

  @Test
  void batch_oneMistake_storesNone() throws Exception {
    Reply refused = api.post("/api/v1/jobs/batch", "{\"jobs\":[{\"task\":\"a\"},{\"task\":\"\"}]}");

    assertRefused(refused, 422, "jobs[1]");
    assertThat(api.sluice.jobs().counts().values()).containsOnly(0L);
  }

  @Test
  void list_filters_narrowAndMistakesAreNamed() throws Exception {
    String id = submit("{\"who\":\"acme\"}", ", \"queue\": \"mail\", \"concurrency_key\": \"a/b\"");
    submit("{}", ", \"delay_seconds\": 600");

    assertThat(api.get("/api/v1/jobs").json().get("items")).hasSize(2);
    for (String filter :
        List.of(
            "state=ready&state=waiting",
            "queue=mail",
            "group=" + encoded("work/a%2Fb"),
            "text=acme")) {
      JsonNode items = api.get("/api/v1/jobs?" + filter).json().get("items");
      assertThat(items).as(filter).hasSize(1);
      assertThat(items.get(0).get("id").asText()).isEqualTo(id);
    }
    Reply page = api.get("/api/v1/jobs?task=work&limit=1");
    assertThat(page.json().get("items")).hasSize(1);
    String next = page.json().get("next").asText();
    assertThat(api.get("/api/v1/jobs?limit=1&cursor=" + encoded(next)).json().get("items"))
        .hasSize(1);
    assertRefused(api.get("/api/v1/jobs?state=happy"), 400, "scheduled");
    assertRefused(api.get("/api/v1/jobs?limit=0"), 400, "1 to 1000");
    assertRefused(api.get("/api/v1/jobs?limit=x"), 400, "'limit'");
    assertRefused(api.get("/api/v1/jobs?stat=ready"), 400, "known are: state");
    assertRefused(api.get("/api/v1/jobs?cursor=nonsense"), 400, "");
    assertRefused(api.get("/api/v1/jobs?group=" + encoded("a/b/c")), 400, "'group'");
  }

  @Test
  void missing_everything_isNotFound() throws Exception {
    assertRefused(api.get("/api/v1/jobs/" + NOBODY), 404, NOBODY);
    assertRefused(api.get("/api/v1/jobs/" + NOBODY + "/why"), 404, NOBODY);
    assertRefused(api.post("/api/v1/jobs/" + NOBODY + "/cancel", null), 404, NOBODY);
    assertRefused(api.get("/api/v1/jobs/7"), 400, "not an id");
    assertRefused(api.get("/api/v1/workflows/" + NOBODY), 404, NOBODY);
    assertRefused(api.post("/api/v1/workflows/" + NOBODY + "/pause", null), 404, NOBODY);
    assertRefused(api.get("/api/v1/schedules/none"), 404, "none");
    assertRefused(api.write("DELETE", "/api/v1/schedules/none", null), 404, "none");
    assertRefused(api.post("/api/v1/schedule/trigger?name=none", null), 404, "none");
    assertRefused(api.post("/api/v1/schedule/trigger", null), 400, "'name' is missing");
    assertRefused(api.get("/api/v1/nothing"), 404, "nothing here");
    assertRefused(api.get("/api/v1/jobs/"), 404, "nothing here");
  }

  @Test
  void method_notAllowed_namesThoseThatAre() throws Exception {
    Reply reply = api.write("DELETE", "/api/v1/jobs", null);

    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.header("Allow")).isEqualTo("GET, HEAD, POST");
  }

  @Test
  void head_job_answersLikeGetWithoutABody() throws Exception {
    String id = submit("{}");
    var head = java.net.http.HttpRequest.BodyPublishers.noBody();
    Reply there = api.send(api.request("/api/v1/jobs/" + id).method("HEAD", head));

    assertThat(there.status()).isEqualTo(200);
    assertThat(there.response().body()).isEmpty();
  }

  @Test
  void limit_setHeldAndRemoved_takesEffectAndIsLogged() throws Exception {
    String group = "/api/v1/group/limit?group=work";
    Reply held = api.write("PUT", group, "{\"limit\": 0}");
    assertThat(held.json().get("held").asBoolean()).isTrue();
    assertThat(held.json().get("level").asText()).isEqualTo("operator");
    String id = submit("{\"hold\":1}");
    try (Worker worker = worker()) {
      await()
          .atMost(SOON)
          .until(
              () -> {
                JsonNode reason = api.get("/api/v1/jobs/" + id + "/why").json().at("/reasons/0");
                return reason.get("kind").asText().equals("group_held")
                    && reason.at("/group/group").asText().equals("work");
              });
      api.write("PUT", group, "{\"limit\": 1}");
      awaitState(id, "running");
      JsonNode full = api.get("/api/v1/group?group=work").json();
      assertThat(full.get("active").asInt()).isEqualTo(1);
      assertThat(full.at("/slots/0/job").asText()).isEqualTo(id);
      assertThat(full.at("/slots/0/task").asText()).isEqualTo("work");
      assertThat(full.get("changes")).hasSize(2);
      assertThat(full.at("/changes/0/by").asText()).isEqualTo("api:local@127.0.0.1");
      assertThat(full.at("/changes/0/after").asInt()).isEqualTo(1);
      letGo.countDown();
      awaitState(id, "succeeded");
    }
    assertThat(api.write("DELETE", group, null).json().has("limit")).isFalse();
    assertThat(api.get("/api/v1/limit-changes").json().get("items")).hasSize(3);
    assertRefused(api.write("PUT", group, "{\"limit\": -1}"), 422, "negative");
    assertRefused(
        api.write("PUT", group, "{\"limit\": 99999999999}"), 400, "from -2147483648 to 2147483647");
    assertRefused(api.write("PUT", "/api/v1/group/limit", "{\"limit\": 1}"), 400, "'group'");
  }

  @Test
  void refusedSubmits_areCountedWithTheirGroup() throws Exception {
    api.write("PUT", "/api/v1/group/limit?group=full", "{\"limit\": 0}");
    String job = "{\"task\":\"work\",\"concurrency_group\":\"full\",\"on_limit\":\"reject\"}";
    assertThat(api.post("/api/v1/jobs", job).status()).isEqualTo(409);
    assertThat(api.post("/api/v1/jobs", job).status()).isEqualTo(409);

    await()
        .atMost(SOON)
        .until(() -> api.get("/api/v1/group?group=full").json().path("rejected").asInt() == 2);
  }

  @Test
  void limit_ofAGroupThatNothingHasUsed_isSetWithAWarning() throws Exception {
    submit("{}");
    api.write("PUT", "/api/v1/group/limit?group=work", "{\"limit\": 3}");

    Reply mistyped = api.write("PUT", "/api/v1/group/limit?group=wrok", "{\"limit\": 3}");
    assertThat(mistyped.status()).isEqualTo(200);
    assertThat(mistyped.json().get("limit").asInt()).isEqualTo(3);
    assertThat(mistyped.json().get("warning").asText())
        .contains("Nothing on record uses the group 'wrok'", "Did you mean 'work'?");
    Reply meant = api.write("PUT", "/api/v1/group/limit?group=work", "{\"limit\": 2}");
    assertThat(meant.json().has("warning")).isFalse();
  }

  @Test
  void failed_job_showsItsErrorAndCanBeRetriedOnce() throws Exception {
    String id = submit("{\"fail\":\"<img src=x onerror=alert(1)>\"}");
    try (Worker worker = worker()) {
      awaitState(id, "failed");
      JsonNode job = job(id);
      assertThat(job.at("/failures/0/message").asText()).isEqualTo("<script>alert(1)</script>");
      assertThat(job.get("timeline").findValuesAsText("what"))
          .containsExactly("submitted", "started", "attempt_failed", "failed");
      assertRefused(api.post("/api/v1/jobs/" + id + "/cancel", null), 409, "failed already");
    }
    assertThat(api.post("/api/v1/jobs/" + id + "/retry", null).json().get("retried").asBoolean())
        .isTrue();
    assertRefused(api.post("/api/v1/jobs/" + id + "/retry", null), 409, "only failed");
    Reply cancelled = api.post("/api/v1/jobs/" + id + "/cancel", null);
    assertThat(cancelled.json().get("state").asText()).isEqualTo("cancelled");
  }

  @Test
  void permits_takeKeepAndGiveBack_countTowardsTheLimit() throws Exception {
    String path = "/api/v1/permits?group=" + encoded("stripe");
    assertRefused(api.post(path, "{\"holder\":\"me\"}"), 422, "limit");
    Reply taken = api.post(path, "{\"holder\":\"me\",\"limit\":1,\"lease_seconds\":60}");
    assertThat(taken.status()).isEqualTo(201);
    assertRefused(api.post(path, "{\"holder\":\"you\"}"), 409, "full");
    JsonNode slot = api.get("/api/v1/group?group=stripe").json().at("/slots/0");
    assertThat(slot.get("holder").asText()).isEqualTo("me");
    String handle =
        "{\"group\":\"stripe\",\"slot\":%d,\"token\":%d}"
            .formatted(taken.json().get("slot").asInt(), taken.json().get("token").asLong());
    assertThat(api.post("/api/v1/permits/extend", handle).status()).isEqualTo(200);
    assertThat(api.post("/api/v1/permits/release", handle).status()).isEqualTo(200);
    assertRefused(api.post("/api/v1/permits/release", handle), 404, "not held");
    assertRefused(api.post(path, "{\"holder\":\"me\",\"lease_seconds\":0}"), 400, "1 to");
  }

  @Test
  void forceRelease_heldSlot_needsForceAndSaysWhose() throws Exception {
    api.post("/api/v1/permits?group=g", "{\"holder\":\"me\",\"limit\":1}");
    String path = "/api/v1/group/release?group=g";

    assertRefused(api.post(path, "{\"slot\":0,\"force\":false}"), 400, "force");
    Reply released = api.post(path, "{\"slot\":0,\"force\":true}");
    assertThat(released.json().get("holder").asText()).isEqualTo("me");
    assertRefused(api.post(path, "{\"slot\":0,\"force\":true}"), 404, "not held");
  }

  @Test
  void everyRoute_called_answersAsDocumented() throws Exception {
    Workflows workflows = Workflows.on(api.sluice);
    String job = submit("{\"hold\":1}");
    api.post("/api/v1/jobs/batch", "{\"jobs\":[{\"task\":\"other\",\"delay_seconds\":60}]}");
    api.write("PUT", "/api/v1/group/limit?group=work", "{\"limit\": 5}");
    try (Worker worker =
        workflows
            .serve(
                api.sluice
                    .worker()
                    .handle(
                        WORK,
                        (p, c) -> {
                          if (p.has("hold")) {
                            letGo.await();
                          }
                        }))
            .start()) {
      awaitState(job, "running");
      await()
          .atMost(SOON)
          .until(() -> api.get("/api/v1/workers").json().at("/items/0/running").asInt() > 0);
      for (String path :
          List.of(
              "/api/v1/overview",
              "/api/v1/alerts",
              "/api/v1/series",
              "/api/v1/queues",
              "/api/v1/jobs",
              "/api/v1/jobs/" + job + "/why",
              "/api/v1/groups?order=name&search=or",
              "/api/v1/groups",
              "/api/v1/group?group=work",
              "/api/v1/limit-changes?group=work&limit=1",
              "/api/v1/session",
              "/api/v1/doctor",
              "/api/v1/openapi.json",
              "/metrics",
              "/healthz",
              "/readyz")) {
        assertThat(api.get(path).status()).as(path).isEqualTo(200);
      }
      queues();
      workflow();
      schedules();
      permits_takeKeepAndGiveBack_countTowardsTheLimit();
      forceRelease_heldSlot_needsForceAndSaysWhose();
      api.post("/api/v1/jobs/" + job + "/cancel", null);
      awaitState(job, "cancelled");
      assertThat(api.post("/api/v1/jobs/" + job + "/retry", null).status()).isEqualTo(200);
      api.write("DELETE", "/api/v1/group/limit?group=work", null);
      assertThat(api.write("DELETE", "/api/v1/session", null).status()).isEqualTo(204);
      letGo.countDown();
    }
    workflows.close();
    assertThat(api.documented.operations())
        .containsExactlyInAnyOrderElementsOf(
            api.server.routes().stream()
                .map(r -> r.method().name().toLowerCase(java.util.Locale.ROOT) + " " + r.path())
                .toList());
    // Logging in needs tokens, and a stream does not end: both have tests of their own.
    assertThat(api.documented.operations())
        .filteredOn(operation -> !api.documented.answered().contains(operation))
        .containsExactlyInAnyOrder("get /api/v1/events", "post /api/v1/session");
  }

  @Test
  void alerts_jobThatNoWorkerServes_isRaisedThereAndInTheOverviewUntilItIsGone() throws Exception {
    assertThat(api.get("/api/v1/alerts").json().get("items")).isEmpty();
    String job = submit("{}", ", \"queue\": \"mail/<b>\"");
    awaitAlerts("no_worker");

    try (Worker worker = worker()) {
      JsonNode alert = awaitAlerts("unserved").get(0);
      assertThat(alert.get("queue").asText()).isEqualTo("mail/<b>");
      assertThat(alert.get("jobs").asInt()).isEqualTo(1);
      assertThat(alert.get("age_seconds").asDouble()).isPositive();
      assertThat(alert.get("seen").asText()).contains("'mail/<b>'");
      assertThat(api.get("/api/v1/overview").json().at("/alerts/0/kind").asText())
          .isEqualTo("unserved");
      assertThat(api.get("/readyz").status()).as("ready though jobs wait").isEqualTo(200);

      api.write("PUT", "/api/v1/group/limit?group=work", "{\"limit\": 0}");
      assertThat(awaitAlerts("unserved", "group_held").get(1).get("group").asText())
          .isEqualTo("work");
      api.post("/api/v1/jobs/" + job + "/cancel", null);
      api.write("DELETE", "/api/v1/group/limit?group=work", null);
      awaitAlerts();
    }
  }

  private JsonNode awaitAlerts(String... kinds) {
    return await()
        .atMost(SOON)
        .until(
            () -> api.get("/api/v1/alerts").json().get("items"),
            items -> items.findValuesAsText("kind").equals(List.of(kinds)));
  }

  private void queues() throws Exception {
    assertThat(api.post("/api/v1/queue/pause?queue=mail", null).json().get("paused").asBoolean())
        .isTrue();
    api.post("/api/v1/queue/resume?queue=mail", null);
    String odd = "?queue=" + encoded("a/b ;%");
    assertThat(api.post("/api/v1/queue/pause" + odd, null).json().get("name").asText())
        .isEqualTo("a/b ;%");
    assertThat(api.post("/api/v1/queue/resume" + odd, null).json().get("paused").asBoolean())
        .isFalse();
  }

  private void workflow() throws Exception {
    String definition =
        """
        {"definition": {"type": "order", "steps": [
          {"name": "wait", "signal": "go"},
          {"name": "first", "task": "work", "depends_on": ["wait"]},
          {"name": "second", "task": "work", "depends_on": ["first"]}]}, "input": {"order": 7}}
        """;
    Reply started = api.post("/api/v1/workflows", definition);
    assertThat(started.status()).as(started.response().body()).isEqualTo(201);
    String run = started.header("Location");
    assertThat(run).isEqualTo("/api/v1/workflows/" + started.json().get("id").asText());
    JsonNode why = api.get(run + "/why?step=second").json();
    assertThat(why.at("/reasons/0/kind").asText()).isEqualTo("dependencies");
    assertThat(why.at("/reasons/0/steps/0").asText()).isEqualTo("first");
    api.post(run + "/pause", null);
    api.post(run + "/resume", null);
    JsonNode caps = api.write("PUT", run + "/caps", "{\"max_concurrent_steps\": 3}").json();
    assertThat(caps.at("/caps/max_concurrent_steps").asInt()).isEqualTo(3);
    api.post(run + "/signals/go", "{\"by\": \"me\"}");
    await().atMost(SOON).until(() -> api.get(run).json().get("state").asText().equals("succeeded"));
    JsonNode full = api.get(run).json();
    assertThat(full.get("steps")).hasSize(3);
    String step = full.at("/steps/1/job").asText();
    assertThat(job(step).get("run").asText()).isEqualTo(full.get("id").asText());
    Reply again = api.post("/api/v1/workflows", "{\"type\": \"order\"}");
    String other = again.header("Location");
    api.post(other + "/cancel", null);
    await()
        .atMost(SOON)
        .until(() -> api.get(other).json().get("state").asText().equals("cancelled"));
    assertThat(api.post(other + "/retry", null).status()).isEqualTo(200);
    assertThat(api.get("/api/v1/workflows?type=order").json().get("items")).hasSize(2);
    assertRefused(api.post(run + "/signals/stop", "null"), 422, "known are: go");
  }

  private void schedules() throws Exception {
    schedule("nightly", verb -> "/api/v1/schedules/nightly" + verb);
    String odd = "team/nightly ;%..";
    schedule(odd, verb -> "/api/v1/schedule" + verb + "?name=" + encoded(odd));
  }

  private void schedule(String name, UnaryOperator<String> path) throws Exception {
    String nightly = "{\"name\":\"%s\",\"task\":\"work\",\"cron\":\"0 3 * * *\"}".formatted(name);
    Reply created = api.post("/api/v1/schedules", nightly);
    assertThat(created.status()).as(created.response().body()).isEqualTo(201);
    assertThat(api.get(created.header("Location")).json().get("name").asText()).isEqualTo(name);
    assertRefused(api.post("/api/v1/schedules", nightly), 409, "already");
    assertRefused(
        api.post("/api/v1/schedules", "{\"name\":\"n\",\"task\":\"t\",\"cron\":\"x\"}"), 422, "");
    String other = "{\"task\":\"work\",\"every_seconds\":60,\"overlap\":\"skip\"}";
    Reply changed = api.write("PUT", path.apply(""), other);
    assertThat(changed.json().get("every_seconds").asDouble()).isEqualTo(60);
    assertThat(api.post(path.apply("/pause"), null).json().get("paused").asBoolean()).isTrue();
    assertThat(api.post(path.apply("/resume"), null).json().get("paused").asBoolean()).isFalse();
    String triggered = api.post(path.apply("/trigger"), null).json().get("job").asText();
    assertThat(job(triggered).get("task").asText()).isEqualTo("work");
    assertThat(api.get("/api/v1/schedules").json().get("items")).hasSize(1);
    JsonNode full = api.get(path.apply("")).json();
    assertThat(full.get("source").asText()).isEqualTo("operator");
    assertThat(full.at("/last/job").asText()).isEqualTo(triggered);
    assertThat(api.write("DELETE", path.apply(""), null).status()).isEqualTo(204);
  }

  static void assertRefused(Reply reply, int status, String detail) {
    assertThat(reply.status()).as(reply.response().body()).isEqualTo(status);
    assertThat(reply.json().get("detail").asText()).contains(detail);
  }
}
