package dev.sluice.server.api;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.SlotInfo;
import dev.sluice.UnusedGroup;
import dev.sluice.server.view.GroupDetailView;
import dev.sluice.server.view.GroupView;
import dev.sluice.server.view.GroupView.Traffic;
import dev.sluice.server.view.LimitChangeView;
import dev.sluice.server.view.Maybe;
import dev.sluice.server.view.Paged;
import dev.sluice.server.view.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Groups: their limits, their slots, and who changed them. */
final class GroupRoutes {
  private static final String TAG = "groups";
  private static final List<String> ORDERS = List.of("busiest", "name");

  /**
   * The limit to set; 0 holds the group. The pointer says where the JSON of a payload has the value
   * of the dimension, if the group stands for all values of one.
   */
  record LimitRequest(int limit, @Maybe String pointer) {}

  /** The slot to take away; force says that whoever holds it is known to be gone. */
  record ReleaseRequest(int slot, boolean force) {}

  /** A slot was taken away. */
  record Released(int released, @Maybe String holder, @Maybe String worker) {}

  private final Backend backend;
  private final GroupDetails details;

  GroupRoutes(Backend backend) {
    this.backend = backend;
    details = new GroupDetails(backend);
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/groups")
            .says(TAG, "List groups: the busiest, or all by name.")
            .takes(
                Parameter.choice("order", ORDERS, "Default: busiest, which is one page."),
                Parameter.query("search", "string", "Whose name contains this text."),
                Parameter.LIMIT,
                Parameter.CURSOR)
            .answers(Reply.page(GroupView.class, "A page."))
            .run(backend.costly().bound(this::list)),
        Route.get("/api/v1/group")
            .says(TAG, "A group with its slots and who holds them.")
            .takes(Parameter.GROUP)
            .answers(GroupDetailView.class, "The group; one that nobody uses is empty.")
            .run(backend.costly().bound(call -> Answer.ok(details.of(call.group())))),
        Route.get("/api/v1/limit-changes")
            .says(TAG, "Who changed which limit when, newest first.")
            .takes(
                Parameter.query("group", "string", "Of this group only, by its canonical name."),
                Parameter.LIMIT)
            .answers(Reply.page(LimitChangeView.class, "The latest changes."))
            .run(backend.costly().bound(this::changes)),
        Route.put("/api/v1/group/limit")
            .says(
                TAG,
                "Set the operator's limit of a group or family; 0 holds it. With a pointer, the value of the dimension is looked up in the payload.")
            .takes(Parameter.GROUP)
            .takesBody(LimitRequest.class)
            .answers(GroupDetailView.class, "It holds; the group as it is now.")
            .run(this::setLimit),
        Route.delete("/api/v1/group/limit")
            .says(TAG, "Take the operator's limit away.")
            .takes(Parameter.GROUP)
            .answers(GroupDetailView.class, "The group as it is now.")
            .run(this::removeLimit),
        Route.post("/api/v1/group/release")
            .says(TAG, "Take a slot away from whoever holds it, by force.")
            .takes(Parameter.GROUP)
            .takesBody(ReleaseRequest.class)
            .answers(Released.class, "It was held, and is free.")
            .run(this::release));
  }

  private Answer list(Call call) {
    GroupQuery query =
        call.query("order").map(this::order).orElse(GroupQuery.BUSIEST).limit(call.limit());
    query = query.search(call.query("search").orElse("")).cursor(call.cursor());
    Map<String, Traffic> traffic = backend.traffic();
    return Answer.ok(
        Paged.of(
            backend.sluice().concurrency().summaries(query),
            summary -> GroupView.of(summary, traffic.get(summary.group().toString()))));
  }

  private GroupQuery order(String text) {
    return switch (text) {
      case "busiest" -> GroupQuery.BUSIEST;
      case "name" -> GroupQuery.BY_NAME;
      default ->
          throw Problem.badRequest("'order' must be one of: " + String.join(", ", ORDERS) + ".");
    };
  }

  private Answer changes(Call call) {
    return Answer.ok(
        Paged.of(
            backend
                .sluice()
                .concurrency()
                .changes(call.query("group").map(call::group), call.limit())
                .stream()
                .map(LimitChangeView::of)
                .toList()));
  }

  private ConcurrencyLimits as(Call call) {
    return backend.sluice().concurrency().as(call.caller().actor());
  }

  private Answer setLimit(Call call) throws Exception {
    Group group = call.group();
    LimitRequest request = call.body(LimitRequest.class);
    call.subject(group + " limit " + request.limit);
    Optional<UnusedGroup> unused = backend.sluice().unused(group);
    if (request.pointer == null) {
      as(call).setLimit(group, request.limit);
    } else {
      as(call).setLimit(group, request.limit, request.pointer);
    }
    return Answer.ok(details.of(group).withWarning(unused.map(UnusedGroup::message).orElse(null)));
  }

  private Answer removeLimit(Call call) {
    Group group = call.group();
    call.subject(group + " limit removed");
    as(call).removeLimit(group);
    return Answer.ok(details.of(group));
  }

  private Answer release(Call call) throws Exception {
    Group group = call.group();
    ReleaseRequest request = call.body(ReleaseRequest.class);
    call.subject(group + " slot " + request.slot);
    if (!request.force) {
      throw Problem.badRequest(
          "Whoever holds the slot is not stopped by this, so the limit may be exceeded. If you know that it is gone, send \"force\": true.");
    }
    SlotInfo held =
        as(call)
            .forceRelease(group, request.slot)
            .orElseThrow(
                () ->
                    Problem.notFound(
                        "Slot %d of '%s' is not held.".formatted(request.slot, group)));
    return Answer.ok(
        new Released(held.slotId(), held.taskId().orElse(null), held.workerId().orElse(null)));
  }
}
