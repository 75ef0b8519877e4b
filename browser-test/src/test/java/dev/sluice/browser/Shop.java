package dev.sluice.browser;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobContext;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.throttle.LabelStats;
import dev.sluice.throttle.Throttle;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A shop's background work, for pictures: busy, with groups that are full and one that is held. */
final class Shop implements AutoCloseable {
  /** What an order, a mail or a report is about. */
  record Order(String tenant, int number) {}

  static final List<String> TENANTS =
      List.of("acme", "bluebird", "cobalt", "dorado", "elm-street", "fjord");

  static final Task<Order> SEND_EMAIL =
      Task.named("send_email", Order.class)
          .maxConcurrent(12)
          .maxConcurrentPer("tenant", Order::tenant, 3)
          .build();
  static final Task<Order> RENDER_INVOICE =
      Task.named("render_invoice", Order.class).maxConcurrent(4).build();
  static final Task<Order> CHARGE_CARD =
      Task.named("charge_card", Order.class)
          .maxConcurrentPer("tenant", Order::tenant, 1)
          .retry(RetryPolicy.exponential().maxAttempts(2).build())
          .build();
  static final Task<Order> SYNC_CRM = Task.named("sync_crm", Order.class).maxConcurrent(2).build();
  static final Task<JsonNode> FULFIL = Task.named("fulfil_step", JsonNode.class).build();

  private static final long SEED = 7;
  private static final String REPORTS = "reports";

  private final Random random = new Random(SEED);
  private final Sluice sluice;
  private final Workflows workflows;
  private final List<Worker> workers = new ArrayList<>();
  private final ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor();
  private int orders;

  Shop(String store) {
    sluice = Sluice.open(store);
    workflows = Workflows.on(sluice).define(fulfilment());
    for (String name : List.of("checkout-1", "checkout-2", "media-1")) {
      workers.add(start(name));
    }
    sluice.concurrency().setLimit("warehouse_sync", 0);
    for (int number = 0; number < 8; number++) {
      sluice.submit(SYNC_CRM, order(), options -> options.concurrencyGroup("warehouse_sync"));
    }
    sluice.submit(
        RENDER_INVOICE, order(), options -> options.delay(Duration.ofHours(2)).queue(REPORTS));
    sluice.queues().pause(REPORTS);
    feeder.scheduleWithFixedDelay(this::feed, 0, 400, TimeUnit.MILLISECONDS);
  }

  private Worker start(String name) {
    Throttle http = Throttle.of("http", 6);
    Throttle disk = Throttle.of("disk", 2);
    return workflows
        .serve(sluice.worker().queues(SubmitOptions.DEFAULT_QUEUE))
        .name(name)
        .concurrency(16)
        .notice("throttles", () -> List.of(shown(http), shown(disk)))
        .handle(SEND_EMAIL, (order, context) -> http.run("smtp", () -> take(900)))
        .handle(RENDER_INVOICE, (order, context) -> render(disk, context))
        .handle(CHARGE_CARD, this::charge)
        .handle(SYNC_CRM, (order, context) -> take(2_500))
        .handleReturning(FULFIL, (input, context) -> fulfil())
        .start();
  }

  private static Map<String, Object> shown(Throttle throttle) {
    long succeeded = throttle.stats().values().stream().mapToLong(LabelStats::successTotal).sum();
    return Map.of(
        "name",
        throttle.name(),
        "limit",
        throttle.limit(),
        "in_flight",
        throttle.inFlight(),
        "queued",
        throttle.queueDepth(),
        "succeeded",
        succeeded,
        "failed",
        0);
  }

  private void feed() {
    int mails = 4 + orders / 8 % 5;
    for (int number = 0; number < mails; number++) {
      sluice.submit(SEND_EMAIL, order());
    }
    sluice.submit(RENDER_INVOICE, order());
    sluice.submit(CHARGE_CARD, order());
    if (orders % 3 == 0) {
      sluice.submit(SYNC_CRM, order());
    }
  }

  private synchronized Order order() {
    orders++;
    return new Order(TENANTS.get(random.nextInt(TENANTS.size())), 4_000 + orders);
  }

  private void render(Throttle disk, JobContext context) throws Exception {
    context.progress("page 1 of 2");
    disk.run("pdf", () -> take(1_600));
  }

  private void charge(Order order, JobContext context) throws InterruptedException {
    take(500);
    if (order.number() % 11 == 0) {
      throw new IllegalStateException(
          "The card of order %d was declined".formatted(order.number()));
    }
  }

  private String fulfil() throws InterruptedException {
    take(2_000);
    return "done";
  }

  /** As long as the real thing might take. */
  private void take(int millis) throws InterruptedException {
    double share;
    synchronized (this) {
      share = 0.5 + random.nextDouble();
    }
    TimeUnit.MILLISECONDS.sleep(Math.round(millis * share));
  }

  private static WorkflowDefinition fulfilment() {
    return WorkflowDefinition.named("order_fulfilment")
        .maxConcurrentSteps(4)
        .step(StepDefinition.named("take_payment").task(FULFIL))
        .step(StepDefinition.named("reserve_stock").task(FULFIL))
        .step(
            StepDefinition.named("pack")
                .task(FULFIL)
                .over(Refs.input("/parcels"))
                .dependsOn("take_payment", "reserve_stock"))
        .step(StepDefinition.named("write_invoice").task(FULFIL).dependsOn("take_payment"))
        .step(
            StepDefinition.named("approval")
                .signal("approved", Duration.ofHours(1))
                .dependsOn("reserve_stock"))
        .step(StepDefinition.named("ship").task(FULFIL).dependsOn("pack", "approval"))
        .step(StepDefinition.named("thank_you").task(FULFIL).dependsOn("ship", "write_invoice"))
        .build();
  }

  /** Starts a run with so many parcels. */
  UUID fulfil(int parcels) {
    return workflows.start(
        "order_fulfilment", Map.of("parcels", IntStream.range(0, parcels).boxed().toList()));
  }

  Sluice sluice() {
    return sluice;
  }

  @Override
  public void close() {
    feeder.shutdownNow();
    workers.forEach(Worker::close);
    workflows.close();
    sluice.close();
  }
}
