package dev.sluice.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobContext;
import dev.sluice.JobInfo;
import dev.sluice.Page;
import dev.sluice.Sluice;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.WorkerBuilder;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunQuery;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.workflow.internal.Charter;
import dev.sluice.workflow.internal.LoadedRun;
import dev.sluice.workflow.internal.Orchestrator;
import dev.sluice.workflow.internal.RunReader;
import dev.sluice.workflow.internal.RunSteps;
import dev.sluice.workflow.internal.StepResults;
import dev.sluice.workflow.internal.WorkflowService;
import dev.sluice.workflow.tick.RunEdits;
import dev.sluice.workflow.tick.RunProgress;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.WorkflowGraph;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entrance to workflows: define them, start runs, and have workers move them on. Thread-safe;
 * close it before the {@link Sluice} it works on.
 *
 * <pre>{@code
 * try (Workflows workflows = Workflows.on(sluice).define(FULFILLMENT)) {
 *   Worker worker = workflows.serve(sluice.worker().handle(CHARGE, ...).handle(SHIP, ...)).start();
 *   UUID run = workflows.start("order_fulfillment", order);
 * }
 * }</pre>
 *
 * <p>Any process may start, signal or cancel runs. Those whose workers run steps should {@link
 * #serve}: there a step's end moves its run on at once. A run whose steps end elsewhere is looked
 * at every now and then by those who serve.
 */
public final class Workflows implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Workflows.class);

  private final JobStore store;
  private final ObjectMapper mapper;
  private final int maxPayloadBytes;
  private final Orchestrator orchestrator;
  private final RunReader reader;
  private final StepResults results;
  private final Map<String, WorkflowDefinition> definitions = new ConcurrentHashMap<>();
  private WorkflowService service;

  Workflows(JobStore store, ObjectMapper mapper, int maxPayloadBytes) {
    this.store = store;
    this.mapper = mapper;
    this.maxPayloadBytes = maxPayloadBytes;
    reader = new RunReader(store);
    results = new StepResults(store);
    orchestrator = new Orchestrator(store, reader, maxPayloadBytes);
  }

  /** Workflows on the store of this Sluice. */
  public static Workflows on(Sluice sluice) {
    return new Workflows(sluice.store(), sluice.mapper(), sluice.maxPayloadBytes());
  }

  /** Makes definitions known here, in place of others of the same type. */
  public Workflows define(WorkflowDefinition... some) {
    for (WorkflowDefinition definition : some) {
      definitions.put(definition.type(), definition);
    }
    adopt(List.of(some));
    return this;
  }

  private synchronized void adopt(Collection<WorkflowDefinition> some) {
    if (service != null) {
      service.adopt(some, this::others);
    }
  }

  /** Hears of every tick from here. */
  public Workflows listener(WorkflowListener listener) {
    orchestrator.listen(listener);
    return this;
  }

  /**
   * Makes a worker move runs on: when one of its jobs ends, the run it belongs to is ticked. It
   * also runs the timers of waiting steps, in the default queue, and looks for runs whose tick was
   * lost. Live runs of the types defined here are taken over to these definitions; a run for which
   * that is not possible is paused, with a message that says which step is in the way.
   */
  public synchronized WorkerBuilder serve(WorkerBuilder worker) {
    if (service == null) {
      service = new WorkflowService(store, orchestrator);
      adopt(definitions.values());
    }
    return service.attach(worker);
  }

  /**
   * Starts a run of a workflow that is defined here.
   *
   * @param input what the run works on, written as JSON; may be null
   * @return the run's id
   */
  public UUID start(String type, Object input) {
    WorkflowDefinition definition = definitions.get(type);
    if (definition == null) {
      throw new InvalidRequestException(
          "No workflow '%s' is defined here. Known are: %s."
              .formatted(type, String.join(", ", new TreeSet<>(definitions.keySet()))));
    }
    return start(definition, input);
  }

  /** Starts a run of this workflow; those it runs as children have to be defined here. */
  public UUID start(WorkflowDefinition definition, Object input) {
    Charter charter =
        new Charter(
            new WorkflowGraph(definition),
            others(definition),
            json("The input of workflow '%s'".formatted(definition.type()), input),
            Optional.empty());
    UUID run = orchestrator.create(charter);
    tickIfPossible(run);
    return run;
  }

  private List<WorkflowDefinition> others(WorkflowDefinition definition) {
    return ChildTypes.of(definition, definitions::get);
  }

  private JsonNode json(String what, Object value) {
    JsonNode json = value == null ? NullNode.getInstance() : mapper.valueToTree(value);
    int bytes = json.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > maxPayloadBytes) {
      throw new InvalidRequestException(
          "%s has %,d bytes of JSON; at most %,d are allowed. Store it elsewhere and pass its address."
              .formatted(what, bytes, maxPayloadBytes));
    }
    return json;
  }

  /** The run of this id. */
  public Optional<WorkflowRun> get(UUID run) {
    return reader.get(run).map(loaded -> RunSteps.view(loaded, List.of()));
  }

  /**
   * The run that a job of this id belongs to, as its id tells; empty if it belongs to none. Whether
   * the run is on record is not looked up.
   */
  public static Optional<UUID> runOf(UUID job) {
    return StepJobId.parse(job).map(StepJobId::run);
  }

  /** The same with the jobs of its steps, as far as each has one of its own. */
  public Optional<WorkflowRun> describe(UUID run) {
    return reader
        .get(run)
        .map(
            loaded -> {
              List<JobInfo> jobs =
                  store.jobs().getAll(RunSteps.jobs(loaded), loaded.stored().createdAt());
              return RunSteps.view(loaded, jobs);
            });
  }

  /** The runs that match, newest first, a page at a time. */
  public Page<WorkflowRun> list(WorkflowQuery query) {
    Page<StoredRun> page = store.runs().list(stored(query));
    List<WorkflowRun> runs = new ArrayList<>();
    for (StoredRun each : page.items()) {
      try {
        reader.load(each).ifPresent(run -> runs.add(RunSteps.view(run, List.of())));
      } catch (StoreIncompatibleException e) {
        log.warn("The run {} cannot be read, and is left out.", each.run().id(), e);
      }
    }
    return new Page<>(List.copyOf(runs), page.next());
  }

  private static RunQuery stored(WorkflowQuery query) {
    return new RunQuery(
        query.type(),
        query.states().stream().map(RunState::toString).collect(Collectors.toSet()),
        query.limit(),
        query.cursor());
  }

  /**
   * The definition of the latest run of this type, and after it those of the workflows it runs;
   * empty if there was no such run.
   */
  public List<WorkflowDefinition> latest(String type) {
    return store.runs().list(RunQuery.ALL.type(type).limit(1)).items().stream()
        .flatMap(stored -> reader.load(stored).stream())
        .flatMap(run -> run.charter().all().stream())
        .toList();
  }

  /** How many runs there are, by type and state. */
  public Map<String, Map<String, Long>> counts() {
    return store.runs().counts();
  }

  /**
   * Sends a signal to a run. It is kept until a step waits for it.
   *
   * @throws InvalidRequestException if none ever will
   */
  public void signal(UUID run, String name, Object payload) {
    JsonNode json = json("The signal '%s'".formatted(name), payload);
    edit(
        run,
        loaded -> {
          Set<String> known = loaded.graph().definition().signals();
          if (!known.contains(name)) {
            throw new InvalidRequestException(
                "No step of workflow '%s' waits for the signal '%s'; known are: %s."
                    .formatted(loaded.graph().definition().type(), name, String.join(", ", known)));
          }
          return RunEdits.signal(loaded.progress(), name, json);
        });
  }

  /** Calls a run off: what is in flight is cancelled, and when that has ended so has the run. */
  public void cancel(UUID run) {
    edit(run, loaded -> RunEdits.cancel(loaded.progress()));
  }

  /** Lets nothing more of a run start; what is in flight goes on. */
  public void pause(UUID run) {
    edit(run, loaded -> RunEdits.pause(loaded.progress(), Optional.empty()));
  }

  /** Goes on with a paused run, and tries the step again whose failure paused it. */
  public void resume(UUID run) {
    edit(run, loaded -> RunEdits.resume(loaded.graph(), loaded.progress()));
  }

  /** Takes a failed or cancelled run up again at the steps that failed or were called off. */
  public void retry(UUID run) {
    edit(run, loaded -> RunEdits.retry(loaded.graph(), loaded.progress()));
  }

  /** Changes the caps of a run. */
  public void setCaps(UUID run, Caps caps) {
    changeCaps(run, before -> caps);
  }

  /** Changes the caps of a run to what follows from those it has. */
  public void changeCaps(UUID run, UnaryOperator<Caps> change) {
    edit(run, loaded -> loaded.progress().with(change.apply(loaded.progress().caps())));
  }

  /** Ticks a run now. Nobody has to: it is for those who suspect that a run is stuck. */
  public void tick(UUID run) {
    require(run);
    orchestrator.tick(run);
  }

  private void edit(UUID run, Function<LoadedRun, RunProgress> change) {
    if (!orchestrator.edit(run, any -> true, change)) {
      throw unknown(run);
    }
    tickIfPossible(run);
  }

  /**
   * What was asked for is on record. If the store is away now, the run is looked at later; whoever
   * asked should not do so twice.
   */
  private void tickIfPossible(UUID run) {
    try {
      orchestrator.tick(run);
    } catch (StoreUnavailableException e) {
      log.warn("The run {} could not be moved on at once; somebody will look at it soon.", run, e);
    }
  }

  private LoadedRun require(UUID run) {
    return reader.get(run).orElseThrow(() -> unknown(run));
  }

  private static InvalidRequestException unknown(UUID run) {
    return new InvalidRequestException(
        "There is no run %s; it never was, or its retention has passed.".formatted(run));
  }

  /** The result of a step of a run, as JSON; null if it has none. */
  public JsonNode result(UUID run, String step) {
    LoadedRun loaded = require(run);
    return results.of(loaded, RunSteps.indexOf(loaded, step));
  }

  /** The same, read as this type. */
  public <T> T result(UUID run, String step, Class<T> type) {
    return read(result(run, step), type);
  }

  private <T> T read(JsonNode json, Class<T> type) {
    try {
      return json.isNull() ? null : mapper.treeToValue(json, type);
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException(
          "This does not fit " + type.getName() + ": " + e.getOriginalMessage(), e);
    }
  }

  /**
   * What the handler of a step can learn about its run.
   *
   * @throws InvalidRequestException if the job is no step of a run
   */
  public StepContext step(JobContext context) {
    StepJobId id =
        StepJobId.parse(context.jobId())
            .orElseThrow(
                () ->
                    new InvalidRequestException(
                        "The job %s is no step of a workflow.".formatted(context.jobId())));
    return RunSteps.context(require(id.run()), id, results, this::read);
  }

  @Override
  public synchronized void close() {
    if (service != null) {
      service.close();
    }
  }
}
