package dev.sluice.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.schedule.Misfire;
import dev.sluice.schedule.Overlap;
import dev.sluice.schedule.ScheduleInfo;
import dev.sluice.schedule.ScheduleJson;
import dev.sluice.schedule.Schedules;
import dev.sluice.server.view.Maybe;
import dev.sluice.server.view.Paged;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.ScheduleView;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Schedules: see, create, change, pause, resume, trigger and delete them. */
final class ScheduleRoutes {
  private static final String TAG = "schedules";
  private static final Parameter NAME =
      Parameter.query("name", "string", "The name of the schedule.").mandatory();

  /** A schedule as it is sent: cron, or every or every_seconds. Read by {@link ScheduleJson}. */
  record ScheduleRequest(
      @Maybe String name,
      String task,
      @Maybe String cron,
      @Maybe String zone,
      @Maybe String every,
      @Maybe Double everySeconds,
      @Maybe JsonNode payload,
      @Maybe String queue,
      @Maybe Integer priority,
      @Maybe String timeout,
      @Maybe Double timeoutSeconds,
      @Maybe Misfire misfire,
      @Maybe Overlap overlap,
      @Maybe Map<String, String> per) {}

  /** A job was submitted. */
  record Triggered(UUID job) {}

  private final Schedules schedules;

  ScheduleRoutes(Schedules schedules) {
    this.schedules = schedules;
  }

  List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    routes.add(
        Route.get("/api/v1/schedules")
            .says(TAG, "Every schedule, by name.")
            .answers(Reply.page(ScheduleView.class, "All of them."))
            .run(
                call ->
                    Answer.ok(Paged.of(schedules.list().stream().map(ScheduleView::of).toList()))));
    routes.add(
        Route.post("/api/v1/schedules")
            .says(TAG, "Create a schedule.")
            .takesBody(ScheduleRequest.class)
            .answers(Reply.json(201, ScheduleView.class, "It is on record."))
            .run(this::create));
    routes.addAll(of("/api/v1/schedules/{name}", "", call -> call.path("name")));
    // A path cannot hold every name: servers and proxies take some characters for its structure.
    routes.addAll(
        of("/api/v1/schedule", " Whatever its name contains.", call -> call.required("name")));
    return routes;
  }

  /** What there is to do with one schedule. */
  private List<Route> of(String path, String besides, Function<Call, String> named) {
    Function<Call, String> name =
        call -> {
          String given = named.apply(call);
          call.subject(given);
          return given;
        };
    Parameter[] parameters = path.contains("{name}") ? new Parameter[0] : new Parameter[] {NAME};
    return List.of(
        Route.get(path)
            .says(TAG, "A schedule." + besides)
            .takes(parameters)
            .answers(ScheduleView.class, "The schedule.")
            .run(call -> Answer.ok(ScheduleView.of(require(name.apply(call))))),
        Route.put(path)
            .says(TAG, "Change a schedule: all but whether it is paused." + besides)
            .takes(parameters)
            .takesBody(ScheduleRequest.class)
            .answers(ScheduleView.class, "The schedule.")
            .run(call -> update(name.apply(call), call)),
        Route.delete(path)
            .says(TAG, "Delete a schedule; its jobs stay." + besides)
            .takes(parameters)
            .answers(Reply.empty(204, "It is gone."))
            .run(call -> delete(name.apply(call))),
        Route.post(path + "/pause")
            .says(TAG, "Submit no more jobs of a schedule." + besides)
            .takes(parameters)
            .answers(ScheduleView.class, "The schedule.")
            .run(call -> Answer.ok(ScheduleView.of(schedules.pause(known(name.apply(call)))))),
        Route.post(path + "/resume")
            .says(TAG, "Go on with a paused schedule." + besides)
            .takes(parameters)
            .answers(ScheduleView.class, "The schedule.")
            .run(call -> Answer.ok(ScheduleView.of(schedules.resume(known(name.apply(call)))))),
        Route.post(path + "/trigger")
            .says(TAG, "Submit a job of a schedule now." + besides)
            .takes(parameters)
            .answers(Triggered.class, "Its job.")
            .run(
                call -> {
                  String known = known(name.apply(call));
                  return Answer.ok(new Triggered(schedules.trigger(known).id()));
                }));
  }

  private String known(String name) {
    return require(name).name();
  }

  private ScheduleInfo require(String name) {
    return schedules
        .get(name)
        .orElseThrow(() -> Problem.notFound("There is no schedule '%s'.".formatted(name)));
  }

  private Answer create(Call call) throws Exception {
    JsonNode json = call.body(JsonNode.class);
    if (!json.path("name").isTextual()) {
      throw Problem.badRequest("'name' is missing.");
    }
    String name = json.path("name").textValue();
    call.subject(name);
    var spec = ScheduleJson.parse(name, json);
    if (schedules.get(name).isPresent()) {
      throw Problem.conflict("There is a schedule '%s' already; PUT changes it.".formatted(name));
    }
    return Answer.created(
        ScheduleView.of(schedules.create(spec)),
        "/api/v1/schedule?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8));
  }

  private Answer update(String name, Call call) throws Exception {
    JsonNode json = call.body(JsonNode.class);
    require(name);
    return Answer.ok(ScheduleView.of(schedules.update(ScheduleJson.parse(name, json))));
  }

  private Answer delete(String name) {
    if (!schedules.delete(name)) {
      throw Problem.notFound("There is no schedule '%s'.".formatted(name));
    }
    return Answer.empty(204, java.util.Map.of());
  }
}
