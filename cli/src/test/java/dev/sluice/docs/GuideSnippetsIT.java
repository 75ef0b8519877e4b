package dev.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Diagnosis;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.Job;
import dev.sluice.JobContext;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.LimitLevel;
import dev.sluice.OnLimit;
import dev.sluice.Page;
import dev.sluice.PermanentFailure;
import dev.sluice.Permit;
import dev.sluice.RetryPolicy;
import dev.sluice.RetryableException;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Snooze;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.TaskName;
import dev.sluice.Worker;
import dev.sluice.WorkerListener;
import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.object.FaultyS3Server;
import dev.sluice.object.TestCredentials;
import dev.sluice.schedule.Overlap;
import dev.sluice.schedule.ScheduleInfo;
import dev.sluice.schedule.ScheduleSpec;
import dev.sluice.schedule.Scheduler;
import dev.sluice.schedule.Schedules;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepContext;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.WorkflowMetrics;
import dev.sluice.workflow.Workflows;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java of the README and the guide, between markers, run against a real PostgreSQL. {@link
 * DocsTest} checks that the documents say the same.
 */
class GuideSnippetsIT {
  private static final Path DIRECTORY = Path.of("target", "docs-postgres");
  private static final Queue<String> DONE = new ConcurrentLinkedQueue<>();

  private static EmbeddedPostgres server;

  private DataSource dataSource;
  private String schema;
  private Sluice sluice;

  // snippet: task
  record Email(String tenant, String to, String subject) {}

  static final Task<Email> SEND_EMAIL =
      Task.named("send_email", Email.class)
          .maxConcurrent(50) // across every worker
          .maxConcurrentPer("tenant", Email::tenant, 5) // and at most 5 per tenant, both at once
          .build();

  // end snippet

  // snippet: report-task
  record ReportRequest(String database, String title) {}

  record Report(String title, int pages) {}

  static final Task<ReportRequest> REPORT =
      Task.named("report", ReportRequest.class)
          .maxConcurrentPer("database", ReportRequest::database, 2)
          .retry(RetryPolicy.exponential().maxAttempts(3).build())
          .timeout(Duration.ofMinutes(10))
          .build();

  // end snippet

  // snippet: five-per-class
  record ResizeImage(String file) implements Job {
    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(5);
    }

    @Override
    public void run(JobContext ctx) throws Exception {
      resize(file);
    }
  }

  // end snippet

  // snippet: one-per-user
  @TaskName("process_user")
  record ProcessUser(long userId) implements Job {
    @Override
    public String concurrencyKey() {
      return "user-" + userId;
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(1);
    }

    @Override
    public void run(JobContext ctx) throws Exception {
      process(userId);
    }
  }

  // end snippet

  // snippet: two-per-database
  static final Task<ReportRequest> VACUUM =
      Task.named("vacuum", ReportRequest.class)
          .maxConcurrentPer("database", ReportRequest::database, 2)
          .build();

  // end snippet

  // snippet: by-pointer
  static final Task<ReportRequest> ANALYZE =
      Task.named("analyze", ReportRequest.class)
          .maxConcurrentPer("database", "/database", 2)
          .build();

  // end snippet

  // snippet: three-at-once
  record Transcode(String tenant, String region, String file) {}

  static final Task<Transcode> TRANSCODE =
      Task.named("transcode", Transcode.class)
          .maxConcurrent(20)
          .maxConcurrentPer("tenant", Transcode::tenant, 3)
          .maxConcurrentPer("region", Transcode::region, 8)
          .build();

  // end snippet

  // snippet: unique-per-key
  static final Task<Long> SYNC_ACCOUNT =
      Task.named("sync_account", Long.class).uniquePerKey().build();

  // end snippet

  static final Task<String> HEAVY = Task.named("heavy", String.class).build();

  /** Stands for the application's own code. */
  private static void resize(String file) {
    DONE.add(file);
  }

  private static void process(long userId) {
    DONE.add("user " + userId);
  }

  private static void send(Email email) {
    DONE.add(email.to());
  }

  private static void save(String url) {
    DONE.add(url);
  }

  private static void log(String line) {
    DONE.add(line);
  }

  private static Report render(ReportRequest request) {
    DONE.add(request.title());
    return new Report(request.title(), 3);
  }

  @BeforeAll
  static void startServer() {
    server = EmbeddedPostgres.join(DIRECTORY);
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openSluice(TestInfo test) throws SQLException {
    DONE.clear();
    dataSource = server.dataSource();
    schema = "docs_" + test.getTestMethod().orElseThrow().getName().toLowerCase();
    execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    sluice = Sluice.open(SluiceOptions.dataSource(dataSource).schema(schema));
  }

  @AfterEach
  void closeSluice() {
    sluice.close();
  }

  @Test
  void quickStart() throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    execute("DROP SCHEMA IF EXISTS sluice CASCADE");
    Thread application =
        new Thread(
            () -> {
              try {
                runQuickStart("embedded:" + DIRECTORY, stopped);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    application.start();
    awaitDone("hello@example.org");
    stopped.countDown();
    application.join(Duration.ofSeconds(30).toMillis());
    assertThat(application.isAlive()).isFalse();
  }

  private static void runQuickStart(String store, CountDownLatch stopped)
      throws InterruptedException {
    // snippet: quick-start
    try (Sluice sluice = Sluice.open(store);
        Worker worker = sluice.worker().handle(SEND_EMAIL, (email, ctx) -> send(email)).start()) {
      sluice.submit(SEND_EMAIL, new Email("acme", "hello@example.org", "Welcome"));
      stopped.await(); // close() drains: running jobs finish, the rest goes to other workers
    }
    // end snippet
  }

  @Test
  void opening() {
    String url = server.jdbcUrl() + "?user=" + user() + "&password=" + password();
    // snippet: open
    Sluice byUrl = Sluice.open(url); // postgresql://user:password@host:5432/database
    Sluice onYourDataSource = Sluice.open(dataSource);
    Sluice tuned = Sluice.open(SluiceOptions.url(url).schema("billing").connections(4));
    // end snippet
    byUrl.close();
    onYourDataSource.close();
    assertThat(tuned.concurrency().groups()).isEmpty();
    tuned.close();
  }

  private static String[] credentials() {
    try {
      return java.nio.file.Files.readString(DIRECTORY.resolve("pgpass")).strip().split(":");
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String user() {
    return credentials()[3];
  }

  private static String password() {
    return credentials()[4];
  }

  @Test
  void handlers() {
    // snippet: handlers
    Worker worker =
        sluice
            .worker()
            .handle(SEND_EMAIL, (email, ctx) -> send(email))
            .handleReturning(REPORT, (request, ctx) -> render(request))
            .handle(ProcessUser.class)
            .start();
    // end snippet
    // snippet: submit-report
    UUID id = sluice.submit(REPORT, new ReportRequest("db-7", "March")).id();
    // end snippet
    await().until(() -> stateOf(id).finished());
    // snippet: result
    JobInfo report = sluice.jobs().get(id).orElseThrow();
    JobState state = report.state(); // succeeded
    Optional<String> json = report.outcome().result(); // {"title":"March","pages":3}
    // end snippet
    assertThat(state).isEqualTo(JobState.SUCCEEDED);
    assertThat(json).contains("{\"title\":\"March\",\"pages\":3}");
    worker.close();
  }

  @Test
  void submitting() throws SQLException {
    Email email = new Email("acme", "hello@example.org", "Welcome");
    // snippet: options
    sluice.submit(
        SEND_EMAIL,
        email,
        o -> o.queue("mail").priority(10).delay(Duration.ofMinutes(5)).dedupeKey("welcome-17"));
    sluice.submit(SEND_EMAIL, email, o -> o.runAt(Instant.parse("2030-01-01T08:00:00Z")));
    sluice.submitAll(SEND_EMAIL, List.of(email, email, email)); // a thousand per round trip
    // end snippet
    assertThat(sluice.jobs().counts()).containsEntry(JobState.SCHEDULED, 2L);

    // snippet: outcome
    Submission submission = sluice.submit(SEND_EMAIL, email, o -> o.dedupeKey("welcome-17"));
    if (submission instanceof Submission.Submitted submitted) {
      log("new job " + submitted.id());
    } else if (submission instanceof Submission.Duplicate duplicate) {
      log("there already, unfinished: " + duplicate.id());
    } else if (submission instanceof Submission.Rejected rejected) {
      log("group " + rejected.group() + " is full at " + rejected.limit());
    }
    // end snippet
    assertThat(DONE).singleElement().asString().startsWith("there already");

    execute("CREATE TABLE IF NOT EXISTS " + schema + ".orders (id bigint)");
    String insert = "INSERT INTO " + schema + ".orders (id) VALUES (?)";
    // snippet: transaction
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement order = connection.prepareStatement(insert)) {
        order.setLong(1, 4711);
        order.executeUpdate();
      }
      sluice.submit(connection, SEND_EMAIL, email); // exists if and when the order does
      connection.commit();
    }
    // end snippet
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 4L);
  }

  @Test
  void rejecting() {
    // snippet: reject
    Submission first =
        sluice.submit(HEAVY, "reindex", o -> o.concurrencyKey("db-7").concurrencyLimit(1));
    Submission second =
        sluice.submit(
            HEAVY,
            "reindex",
            o -> o.concurrencyKey("db-7").concurrencyLimit(1).onLimit(OnLimit.REJECT));
    // end snippet
    assertThat(first.accepted()).isTrue();
    assertThat(second).isEqualTo(new Submission.Rejected(Group.of("heavy").key("db-7"), 1, 1));
    assertThatThrownBy(second::id).hasMessageContaining(Submission.Rejected.REASON);
  }

  @Test
  void limits() {
    // snippet: submit-classes
    sluice.submit(new ResizeImage("cat.png"));
    sluice.submit(new ProcessUser(17));
    sluice.submit(new ProcessUser(17)); // waits until the first has ended
    // end snippet
    // snippet: submit-group
    sluice.submit(HEAVY, "a", o -> o.concurrencyGroup("heavy_processing").concurrencyLimit(5));
    sluice.submit(HEAVY, "b", o -> o.concurrencyGroup("heavy_processing").concurrencyLimit(9));
    sluice.submit(HEAVY, "c", o -> o.concurrencyKey("db-7").concurrencyLimit(2));
    // end snippet
    assertThat(sluice.concurrency().status("heavy_processing").limit()).hasValue(5);
    assertThat(sluice.concurrency().groups())
        .contains(
            Group.of("heavy_processing"),
            Group.of(ResizeImage.class.getName()),
            Group.of("process_user").key("user-17"),
            Group.of("heavy").key("db-7"));
    try (Worker worker =
        sluice
            .worker()
            .handle(ResizeImage.class)
            .handle(ProcessUser.class)
            .handle(HEAVY, (text, ctx) -> DONE.add(text))
            .start()) {
      await().until(() -> DONE.size() == 6);
    }
  }

  @Test
  void severalLimitsAtOnce() throws InterruptedException {
    try (Worker worker =
        sluice
            .worker()
            .handle(TRANSCODE, (job, ctx) -> DONE.add(job.file()))
            .handle(VACUUM, (job, ctx) -> DONE.add(job.title()))
            .handle(ANALYZE, (job, ctx) -> DONE.add(job.title()))
            .handle(SYNC_ACCOUNT, (account, ctx) -> DONE.add("account " + account))
            .start()) {
      sluice.submit(TRANSCODE, new Transcode("acme", "eu", "film.mov"));
      // snippet: unique-per-key-submit
      sluice.submit(SYNC_ACCOUNT, 17L, o -> o.concurrencyKey("17"));
      sluice.submit(SYNC_ACCOUNT, 17L, o -> o.concurrencyKey("17")); // runs after the first
      // end snippet
      await().until(() -> DONE.size() == 3);
      ConcurrencyStatus tenant =
          sluice.concurrency().status(Group.of("transcode").dimension("tenant", "acme"));
      assertThat(tenant.limit()).hasValue(3);
      assertThat(tenant.origin().level()).contains(LimitLevel.CODE);
      assertThat(tenant.origin().inheritedFrom())
          .contains(Group.of("transcode").anyValueOf("tenant"));
    }
  }

  @Test
  void liveChange() {
    // snippet: live
    sluice.concurrency().setLimit("send_email", 10); // one number for the group, at once
    sluice.concurrency().setLimit("send_email", 0); // hold: nothing starts, nothing is lost
    sluice.concurrency().removeLimit("send_email"); // back to what the code says

    Group send = Group.of("send_email");
    sluice.concurrency().setLimit(send.dimension("tenant", "acme"), 1); // this tenant only
    sluice.concurrency().setLimit(send.anyValueOf("tenant"), 8); // each tenant by itself
    // end snippet
    assertThat(sluice.concurrency().status(send.dimension("tenant", "acme")).limit()).hasValue(1);
    assertThat(sluice.concurrency().status(send.dimension("tenant", "other")).limit()).hasValue(8);
    assertThat(sluice.concurrency().status(send).limit()).isEmpty();
    // snippet: status
    ConcurrencyStatus status = sluice.concurrency().status("send_email");
    OptionalInt limit = status.limit(); // empty = unlimited
    int held = status.active(); // slots held now
    int waiting = status.waiting(); // due jobs of the group that have not started
    Optional<LimitLevel> level = status.origin().level(); // who set the limit
    List<SlotInfo> slots = status.slots(); // slot, job, worker, expiry, token
    // end snippet
    assertThat(limit).isEmpty();
    assertThat(held + waiting).isZero();
    assertThat(level).isEmpty();
    assertThat(slots).isEmpty();
  }

  @Test
  void permits() throws InterruptedException {
    // snippet: permit
    sluice.concurrency().setLimit("payment_api", 4); // once, or from the command line
    try (Permit permit = sluice.concurrency().acquire("payment_api", Duration.ofSeconds(10))) {
      callThePaymentApi(permit.fencingToken());
    }
    // end snippet
    assertThat(DONE).hasSize(1);
    // snippet: slot
    Group group = Group.of("nightly_import");
    Optional<SlotLease> lease =
        sluice
            .concurrency()
            .tryAcquire(group, OptionalInt.of(1), "import-42", "host-a", Duration.ofMinutes(1));
    if (lease.isPresent()) {
      sluice.concurrency().extendLease(lease.get(), Duration.ofMinutes(1)); // yours to renew
      sluice.concurrency().release(lease.get());
    }
    // end snippet
    assertThat(lease).isPresent();
    assertThat(sluice.concurrency().status(group).active()).isZero();
    assertThatThrownBy(() -> sluice.concurrency().acquire("unknown", Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class);
  }

  private static void callThePaymentApi(long token) {
    DONE.add("token " + token);
  }

  @Test
  void failing() {
    Task<String> fetch = Task.named("fetch", String.class).retry(fastRetries()).build();
    Worker worker =
        sluice
            .worker()
            .handle(
                fetch,
                // snippet: failures
                (url, ctx) -> {
                  switch (statusOf(url)) {
                    case 200 -> save(url);
                    case 404 -> throw new PermanentFailure("There is no " + url);
                    case 429 -> throw new RetryableException("Slow down", Duration.ofSeconds(30));
                    case 503 -> throw new Snooze(Duration.ofMinutes(1)); // no attempt is used up
                    default -> throw new IllegalStateException("Unexpected answer"); // retried
                  }
                }
                // end snippet
                )
            .start();
    UUID gone = sluice.submit(fetch, "404").id();
    UUID busy = sluice.submit(fetch, "429").id();
    UUID down = sluice.submit(fetch, "503").id();
    UUID odd = sluice.submit(fetch, "418").id();
    await().until(() -> stateOf(gone) == JobState.FAILED && stateOf(odd) == JobState.FAILED);
    await().until(() -> stateOf(busy) == JobState.SCHEDULED && stateOf(down) == JobState.SCHEDULED);
    assertThat(sluice.jobs().get(busy).orElseThrow().progress().attempt()).isEqualTo(1);
    assertThat(sluice.jobs().get(down).orElseThrow().progress().attempt()).isZero();
    assertThat(sluice.jobs().get(odd).orElseThrow().failures()).hasSize(3);
    // snippet: retry-by-hand
    boolean again = sluice.jobs().retry(gone); // failed or cancelled only; attempts start anew
    boolean stopped = sluice.jobs().cancel(busy); // false if it had finished
    // end snippet
    assertThat(again && stopped).isTrue();
    worker.close();
  }

  private static RetryPolicy fastRetries() {
    // snippet: retry-policy
    RetryPolicy policy =
        RetryPolicy.exponential()
            .maxAttempts(3)
            .firstDelay(Duration.ofMillis(200))
            .multiplier(2)
            .maxDelay(Duration.ofMinutes(1))
            .jitter(0.1)
            .build();
    // end snippet
    return policy;
  }

  private static int statusOf(String url) {
    return Integer.parseInt(url);
  }

  private JobState stateOf(UUID id) {
    return sluice.jobs().get(id).orElseThrow().state();
  }

  @Test
  void longHandler() throws InterruptedException {
    Task<Integer> count = Task.named("count", Integer.class).build();
    Worker worker =
        sluice
            .worker()
            .handle(
                count,
                // snippet: cooperative
                (rows, ctx) -> {
                  for (int row = 0; row < rows; row++) {
                    ctx.throwIfCancelled(); // cancelled, timed out, lease lost, worker stopping
                    ctx.progress(row + " of " + rows);
                    work(row);
                  }
                }
                // end snippet
                )
            .start();
    UUID id = sluice.submit(count, Integer.MAX_VALUE).id();
    await().until(() -> DONE.contains("row 3"));
    assertThat(sluice.jobs().cancel(id)).isTrue();
    await().until(() -> stateOf(id) == JobState.CANCELLED);
    worker.close();
  }

  private static void work(int row) throws InterruptedException {
    DONE.add("row " + row);
    TimeUnit.MILLISECONDS.sleep(5);
  }

  @Test
  void fencing() throws SQLException {
    execute("DROP TABLE IF EXISTS invoice");
    execute("CREATE TABLE invoice (id bigint PRIMARY KEY, pdf bytea, token bigint NOT NULL)");
    execute("INSERT INTO invoice (id, token) VALUES (17, 0)");
    Task<Long> invoice = Task.named("invoice", Long.class).build();
    try (Worker worker =
        sluice
            .worker()
            .handle(
                invoice,
                // snippet: fencing-handler
                (id, ctx) -> {
                  byte[] pdf = print(id);
                  if (!store(id, pdf, ctx.fencingToken())) {
                    throw new PermanentFailure("A later attempt has printed invoice " + id);
                  }
                }
                // end snippet
                )
            .start()) {
      UUID job = sluice.submit(invoice, 17L).id();
      await().until(() -> stateOf(job).finished());
      assertThat(stateOf(job)).isEqualTo(JobState.SUCCEEDED);
    }
    assertThat(store(17, new byte[0], 1_000)).isTrue();
    assertThat(store(17, new byte[0], 999)).isFalse();
  }

  private static byte[] print(long invoice) {
    return new byte[] {(byte) invoice};
  }

  // snippet: fencing
  static final String STORE_PDF =
      """
      UPDATE invoice
      SET pdf = ?, token = ?
      WHERE id = ? AND token <= ?
      """;

  boolean store(long invoice, byte[] pdf, long token) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(STORE_PDF)) {
      statement.setBytes(1, pdf);
      statement.setLong(2, token);
      statement.setLong(3, invoice);
      statement.setLong(4, token);
      return statement.executeUpdate() == 1; // 0: a later attempt was here before
    }
  }

  // end snippet

  @Test
  void workers() {
    // snippet: worker
    Worker worker =
        sluice
            .worker()
            .name("mailer-1") // default: host and process id
            .queues("default", "mail") // default: "default"
            .concurrency(32) // handlers at once in this worker, of all tasks; default 64
            .concurrencyOf("report", 4) // of these, at most so many of one task
            .lease(Duration.ofSeconds(30)) // silent for longer = dead; at least 1 s
            .grace(Duration.ofSeconds(20)) // how long close() lets handlers finish; default 30 s
            .poll(Duration.ofSeconds(1)) // how often to look when nothing wakes it
            .retention(Duration.ofDays(7)) // how long finished jobs are kept
            .listener(new Failures())
            .handle(SEND_EMAIL, (email, ctx) -> send(email))
            .handleReturning(REPORT, (request, ctx) -> render(request))
            .start();
    boolean allFinished = worker.stop(Duration.ofSeconds(20));
    // end snippet
    assertThat(allFinished).isTrue();
  }

  // snippet: listener
  static final class Failures implements WorkerListener {
    @Override
    public void onFailure(JobContext job, Throwable failure, boolean willRetry) {
      System.err.println(job.task() + " " + job.jobId() + " failed: " + failure);
    }

    @Override
    public void onLeaseLost(String workerId, int interruptedJobs) {
      System.err.println(workerId + " lost its lease with " + interruptedJobs + " jobs running");
    }
  }

  // end snippet

  @Test
  void operating() {
    sluice.submit(SEND_EMAIL, new Email("acme", "hello@example.org", "Welcome"));
    // snippet: jobs
    JobQuery query = JobQuery.ALL.task("send_email").states(JobState.READY, JobState.WAITING);
    Page<JobInfo> page = sluice.jobs().list(query);
    page.next().ifPresent(cursor -> sluice.jobs().list(query.cursor(cursor)));
    // end snippet
    assertThat(page.items()).hasSize(1);
    // snippet: queues
    sluice.queues().pause("mail"); // running jobs go on, submits are accepted
    sluice.queues().resume("mail");
    // end snippet
    assertThat(sluice.queues().list()).hasSize(1);
    assertThat(sluice.jobs().purge(Duration.ZERO)).isZero();
  }

  // snippet: workflow
  record Order(String customer, List<String> items) {}

  static final Task<Order> CHARGE = Task.named("charge", Order.class).build();
  static final Task<Order> REFUND = Task.named("refund", Order.class).build();
  static final Task<String> PACK = Task.named("pack", String.class).build();
  static final Task<Order> SHIP = Task.named("ship", Order.class).build();

  static final WorkflowDefinition FULFILLMENT =
      WorkflowDefinition.named("order_fulfillment")
          .maxConcurrentSteps(10) // of each run
          .step(StepDefinition.named("charge").task("charge").compensateWith("refund"))
          .step(
              StepDefinition.named("pack") // a job for each item
                  .task("pack")
                  .over(Refs.input("/items"))
                  .dependsOn("charge")
                  .onFailure(OnFailure.COMPENSATE))
          .step(StepDefinition.named("approval").signal("approved", Duration.ofDays(2)))
          .step(StepDefinition.named("ship").task("ship").dependsOn("pack", "approval"))
          .output(Refs.result("ship"))
          .build();

  // end snippet

  @Test
  void workflows() {
    // snippet: workflow-run
    try (Workflows workflows = Workflows.on(sluice).define(FULFILLMENT);
        Worker worker =
            workflows
                .serve(sluice.worker())
                .handleReturning(CHARGE, (order, ctx) -> "receipt of " + order.customer())
                .handle(REFUND, (order, ctx) -> refund(order))
                .handleReturning(PACK, (item, ctx) -> item + " in a box")
                .handleReturning(SHIP, (order, ctx) -> ship(workflows.step(ctx)))
                .start()) {
      UUID run = workflows.start("order_fulfillment", new Order("acme", List.of("cup", "pot")));
      workflows.signal(run, "approved", "by Ada");
      await().until(() -> workflows.get(run).orElseThrow().state() == RunState.SUCCEEDED);
    }
    // end snippet
    assertThat(DONE).contains("receipt of acme", "cup in a box", "pot in a box", "by Ada");
  }

  // snippet: workflow-step
  static String ship(StepContext step) {
    Order order = step.input(Order.class); // what the run was started with
    String receipt = step.result("charge", String.class);
    String approval = step.result("approval", String.class);
    Iterator<String> boxes = step.results("pack", String.class); // read some at a time
    return ship(order, receipt, approval, boxes);
  }

  // end snippet

  private static String ship(Order order, String receipt, String approval, Iterator<String> boxes) {
    DONE.addAll(List.of(receipt, approval));
    boxes.forEachRemaining(DONE::add);
    return "shipped to " + order.customer();
  }

  private static void refund(Order order) {
    DONE.add("refunded " + order.customer());
  }

  record Parcel(String tenant) {}

  @Test
  void workflowLimits() {
    // snippet: workflow-limits
    Task<Parcel> parcel =
        Task.named("parcel", Parcel.class).maxConcurrentPer("tenant", Parcel::tenant, 5).build();
    WorkflowDefinition.named("parcels")
        .step(
            StepDefinition.named("send")
                .task(parcel)
                .over(Refs.input(""))
                .concurrencyPer("tenant", Refs.item("/tenant")))
        .build();
    // end snippet
    assertThatThrownBy(() -> StepDefinition.named("send").task(parcel).build())
        .hasMessageContaining("parcel/tenant=*");
  }

  @Test
  void workflowCaps() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Workflows workflows = Workflows.on(sluice).define(FULFILLMENT)) {
      // snippet: workflow-metrics
      WorkflowMetrics metrics = WorkflowMetrics.bind(workflows, registry); // and close it
      // end snippet
      UUID run = workflows.start("order_fulfillment", new Order("acme", List.of()));
      // snippet: workflow-caps
      workflows.changeCaps(run, caps -> caps.maxConcurrentSteps(2)); // 0 holds the run
      workflows.pause(run); // nothing more starts
      workflows.resume(run); // and tries again what paused it
      workflows.cancel(run); // what is in flight is called off
      // end snippet
      assertThat(workflows.get(run).orElseThrow().data().caps().maxConcurrentSteps()).hasValue(2);
      metrics.refresh();
      assertThat(registry.get("sluice.workflow.runs").gauges()).isNotEmpty();
      metrics.close();
      assertThat(registry.find("sluice.workflow.runs").gauges()).isEmpty();
    }
  }

  @Test
  void withoutADatabase(@TempDir Path directory) {
    TestCredentials.use();
    try (FaultyS3Server s3 = new FaultyS3Server()) {
      String bucket = FaultyS3Server.BUCKET;
      String endpoint = "&endpoint=" + s3.endpoint();
      // snippet: objects
      Sluice onOneMachine = Sluice.open("file:" + directory); // any number of processes share it
      Sluice inABucket = Sluice.open("s3://" + bucket + "/app?region=us-east-1" + endpoint);
      Sluice inATest = Sluice.open("memory:"); // gone with this process
      // end snippet
      for (Sluice opened : List.of(onOneMachine, inABucket, inATest)) {
        try (opened;
            Worker worker =
                opened.worker().handle(SEND_EMAIL, (email, ctx) -> send(email)).start()) {
          UUID id = opened.submit(SEND_EMAIL, new Email("acme", "a@example.org", "Hi")).id();
          await().until(() -> opened.jobs().get(id).orElseThrow().state() == JobState.SUCCEEDED);
        }
      }
      // snippet: diagnosis
      Diagnosis diagnosis = Sluice.diagnose(SluiceOptions.url("file:" + directory));
      if (!diagnosis.healthy()) {
        diagnosis.findings().stream()
            .filter(finding -> !finding.good())
            .forEach(System.err::println);
      }
      // end snippet
      assertThat(diagnosis.healthy()).isTrue();
    }
  }

  @Test
  void groupNames() {
    // snippet: groups
    Group.of("send_email"); // send_email
    Group.of("send_email").key("user/17"); // send_email/user%2F17
    Group.of("send_email").dimension("tenant", "a=b"); // send_email/tenant=a%3Db
    Group.of("send_email").anyKey(); // send_email/*
    Group.of("send_email").anyValueOf("tenant"); // send_email/tenant=*
    Group.parse("send_email/tenant=a%3Db"); // reads the canonical form
    // end snippet
    assertThat(Group.of("send_email").key("user/17")).hasToString("send_email/user%2F17");
    assertThat(Group.of("send_email").dimension("tenant", "a=b"))
        .hasToString("send_email/tenant=a%3Db")
        .isEqualTo(Group.parse("send_email/tenant=a%3Db"));
    assertThat(Group.of("send_email").anyKey()).hasToString("send_email/*");
    assertThat(Group.of("send_email").anyValueOf("tenant")).hasToString("send_email/tenant=*");
  }

  @Test
  void schedules() {
    // snippet: schedules
    Schedules schedules = Schedules.on(sluice);
    schedules.declare(
        ScheduleSpec.cron("nightly", REPORT, new ReportRequest("db-7", "Sales"), "0 3 * * *")
            .zone("Europe/Berlin"),
        ScheduleSpec.every("poll-inbox", "poll", Duration.ofMinutes(5)).overlap(Overlap.SKIP));
    Scheduler scheduler =
        schedules.start(); // beside your workers, in as many processes as you like
    // end snippet
    try (scheduler) {
      assertThat(schedules.list())
          .extracting(ScheduleInfo::name)
          .containsExactly("nightly", "poll-inbox");
      // snippet: schedules-operate
      schedules.upcoming("nightly", 3); // the next three occurrences
      schedules.pause("nightly");
      schedules.resume("nightly"); // what it missed is one job at most
      UUID job = schedules.trigger("nightly").id(); // now, besides the occurrences
      // end snippet
      assertThat(sluice.jobs().get(job)).isPresent();
    }
  }

  private static void awaitDone(String what) {
    await().until(() -> DONE.contains(what));
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
