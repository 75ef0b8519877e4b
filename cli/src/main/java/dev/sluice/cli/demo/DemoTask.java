package dev.sluice.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.Group;
import dev.sluice.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A task of the demo.
 *
 * @param name its name
 * @param limit how many may run at once: of all, or for each customer; empty = unlimited
 * @param customers whom its jobs are for; empty = for nobody in particular
 * @param work how long a job takes
 * @param backlog how many unfinished jobs the feeder keeps in line
 */
public record DemoTask(
    String name, OptionalInt limit, List<String> customers, Work work, int backlog) {
  private static final String CUSTOMER = "customer";

  /** The tasks of the demo. */
  public static final List<DemoTask> ALL =
      List.of(
          new DemoTask("nightly_report", OptionalInt.of(1), List.of(), new Work(200, 600), 20),
          new DemoTask("video_encode", OptionalInt.of(3), List.of(), new Work(200, 800), 40),
          new DemoTask("send_email", OptionalInt.of(10), List.of(), new Work(20, 120), 200),
          new DemoTask(
              "sync_account",
              OptionalInt.of(2),
              List.of("acme", "globex", "initech"),
              new Work(50, 250),
              90),
          new DemoTask("thumbnail", OptionalInt.empty(), List.of(), new Work(5, 25), 300));

  /** How long a job takes, in milliseconds. */
  public record Work(int shortest, int longest) {}

  /** The task for submitting and for the workers. */
  public Task<JsonNode> task() {
    Task.Builder<JsonNode> task = Task.named(name, JsonNode.class);
    if (limit.isPresent()) {
      if (customers.isEmpty()) {
        task.maxConcurrent(limit.getAsInt());
      } else {
        task.maxConcurrentPer(CUSTOMER, DemoTask::customer, limit.getAsInt());
      }
    }
    return task.build();
  }

  /** The payload of the n-th job. */
  JsonNode payload(long n) {
    var payload = JsonNodeFactory.instance.objectNode().put("n", n);
    return customers.isEmpty()
        ? payload
        : payload.put(CUSTOMER, customers.get((int) (n % customers.size())));
  }

  /** The group a job with this payload is watched in: its customer's, or the task's own. */
  public Group groupOf(JsonNode payload) {
    return Optional.ofNullable(customer(payload)).map(this::customerGroup).orElse(ownGroup());
  }

  /** The groups that are watched: one for each customer, or the task's own. */
  public List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    customers.forEach(customer -> groups.add(customerGroup(customer)));
    return groups.isEmpty() ? List.of(ownGroup()) : groups;
  }

  /** The group or family that carries the limit. */
  public Group limited() {
    return customers.isEmpty() ? ownGroup() : ownGroup().anyValueOf(CUSTOMER);
  }

  private Group ownGroup() {
    return Group.of(name);
  }

  private Group customerGroup(String customer) {
    return ownGroup().dimension(CUSTOMER, customer);
  }

  private static String customer(JsonNode payload) {
    return payload.path(CUSTOMER).textValue();
  }
}
