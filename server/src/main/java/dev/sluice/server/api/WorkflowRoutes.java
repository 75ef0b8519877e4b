package dev.sluice.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.server.view.Maybe;
import dev.sluice.server.view.Paged;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.RunView;
import dev.sluice.server.view.WhyView;
import dev.sluice.workflow.Caps;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.WorkflowQuery;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.Workflows;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Workflows: start runs, see them, and move them by hand. */
final class WorkflowRoutes {
  private static final String TAG = "workflows";
  private static final int LIFTS = -1;

  /**
   * A run to start: a definition, or a list of them of which the first is started; or the type of
   * an earlier run.
   */
  record StartRequest(@Maybe JsonNode definition, @Maybe String type, @Maybe JsonNode input) {}

  /** A run was started. */
  record Started(UUID id, String type) {}

  /** Caps to change; absent = as it is, -1 = none. */
  record CapsRequest(@Maybe Integer maxConcurrentSteps, @Maybe Integer maxStepsPerTick) {}

  private final Backend backend;
  private final StepReasons reasons;

  WorkflowRoutes(Backend backend) {
    this.backend = backend;
    reasons = new StepReasons(backend);
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/workflows")
            .says(TAG, "List runs, newest first.")
            .takes(
                Parameter.query("type", "string", "Of this type."),
                Parameter.choice(
                    "state",
                    Arrays.stream(RunState.values()).map(RunState::toString).toList(),
                    "In this state; repeat it for more."),
                Parameter.LIMIT,
                Parameter.CURSOR)
            .answers(Reply.page(RunView.class, "A page."))
            .run(backend.costly().bound(this::list)),
        Route.get("/api/v1/workflows/{id}")
            .says(TAG, "A run with its steps.")
            .answers(RunView.class, "The run.")
            .run(call -> Answer.ok(RunView.full(require(call.id())))),
        Route.get("/api/v1/workflows/{id}/why")
            .says(TAG, "Why a step is where it is.")
            .takes(Parameter.query("step", "string", "The step's name.").mandatory())
            .answers(WhyView.class, "What keeps it from starting, or what it waited for.")
            .run(backend.costly().bound(this::why)),
        Route.post("/api/v1/workflows")
            .says(TAG, "Start a run.")
            .takesBody(StartRequest.class)
            .answers(Reply.json(201, Started.class, "It is on record; Location says where."))
            .run(this::start),
        move("cancel", "Call a run off.", Workflows::cancel),
        move("pause", "Start no more steps of a run.", Workflows::pause),
        move("resume", "Go on with a paused run.", Workflows::resume),
        move("retry", "Take a failed or cancelled run up again.", Workflows::retry),
        Route.post("/api/v1/workflows/{id}/signals/{name}")
            .says(TAG, "Send a signal; the body, any JSON, is what it carries.")
            .takesBody(JsonNode.class)
            .answers(RunView.class, "The run as in a list.")
            .run(this::signal),
        Route.put("/api/v1/workflows/{id}/caps")
            .says(TAG, "Change the caps of a run.")
            .takesBody(CapsRequest.class)
            .answers(RunView.class, "The run as in a list.")
            .run(this::setCaps));
  }

  private Route move(String verb, String summary, BiConsumer<Workflows, UUID> change) {
    return Route.post("/api/v1/workflows/{id}/" + verb)
        .says(TAG, summary)
        .answers(RunView.class, "The run as in a list.")
        .run(call -> change(call, change));
  }

  private Answer change(Call call, BiConsumer<Workflows, UUID> change) {
    UUID id = call.id();
    require(id);
    change.accept(backend.workflows(), id);
    return Answer.ok(RunView.summary(require(id)));
  }

  private Answer list(Call call) {
    WorkflowQuery query =
        new WorkflowQuery(
            call.query("type"),
            call.queries("state").stream()
                .map(text -> Call.word(RunState.class, "state", text))
                .collect(Collectors.toSet()),
            call.limit(),
            call.cursor());
    return Answer.ok(Paged.of(backend.workflows().list(query), RunView::summary));
  }

  private WorkflowRun require(UUID id) {
    return backend
        .workflows()
        .describe(id)
        .orElseThrow(
            () ->
                Problem.notFound("There is no run %s, or its retention has passed.".formatted(id)));
  }

  private Answer why(Call call) {
    WorkflowRun run = require(call.id());
    String name = call.required("step");
    return Answer.ok(
        reasons.of(
            run,
            run.step(name)
                .orElseThrow(
                    () ->
                        Problem.notFound(
                            "The run %s has no step '%s'.".formatted(run.id(), name)))));
  }

  private Answer start(Call call) throws Exception {
    StartRequest request = call.body(StartRequest.class);
    List<WorkflowDefinition> definitions = definitions(request);
    WorkflowDefinition first = definitions.get(0);
    call.subject("workflow " + first.type());
    backend.workflows().define(definitions.toArray(new WorkflowDefinition[0]));
    JsonNode input = request.input == null ? NullNode.getInstance() : request.input;
    UUID run = backend.workflows().start(first, input);
    call.subject("workflow " + first.type() + ", run " + run);
    return Answer.created(new Started(run, first.type()), "/api/v1/workflows/" + run);
  }

  private List<WorkflowDefinition> definitions(StartRequest request) {
    if ((request.definition == null) == (request.type == null)) {
      throw Problem.badRequest("Give 'definition' or 'type', one of them.");
    }
    if (request.definition != null) {
      return WorkflowDefinition.parseAll(request.definition.toString());
    }
    List<WorkflowDefinition> known = backend.workflows().latest(request.type);
    if (known.isEmpty()) {
      throw Problem.notFound(
          "No run of a workflow of type '%s' is on record; send its definition."
              .formatted(request.type));
    }
    return known;
  }

  private Answer signal(Call call) throws Exception {
    JsonNode payload = call.body(JsonNode.class);
    String name = call.path("name");
    Answer answer = change(call, (workflows, id) -> workflows.signal(id, name, payload));
    call.subject(call.path("id") + " signal " + name);
    return answer;
  }

  private Answer setCaps(Call call) throws Exception {
    CapsRequest request = call.body(CapsRequest.class);
    return change(
        call,
        (workflows, id) ->
            workflows.changeCaps(
                id,
                caps ->
                    new Caps(
                        cap(caps.maxConcurrentSteps(), request.maxConcurrentSteps),
                        cap(caps.maxStepsPerTick(), request.maxStepsPerTick))));
  }

  private static OptionalInt cap(OptionalInt now, Integer wanted) {
    if (wanted == null) {
      return now;
    }
    return wanted == LIFTS ? OptionalInt.empty() : OptionalInt.of(wanted);
  }
}
