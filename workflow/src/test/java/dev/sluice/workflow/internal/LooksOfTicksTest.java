package dev.sluice.workflow.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.workflow.HandWorker;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.TappedJobStore;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.internal.Orchestrator.News;
import dev.sluice.workflow.internal.Orchestrator.Occasion;
import dev.sluice.workflow.internal.Orchestrator.Turn;
import dev.sluice.workflow.tick.RunEdits;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.WorkflowGraph;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which jobs a tick looks at, counted in what it asks of the store. The clock is moved by hand. */
class LooksOfTicksTest {
  private static final int STEPS = 3_000;
  private static final int CAP = 2_000;

  private final JobStore store =
      StoreProviders.open("memory:" + UUID.randomUUID(), new StoreSettings("looks", 4));
  private final List<UUID> looked = new ArrayList<>();
  private final List<UUID> submitted = new ArrayList<>();
  private final Set<UUID> vanished = new HashSet<>();
  private Instant now = Instant.now();
  private HandWorker worker;
  private Orchestrator orchestrator;
  private UUID run;
  private List<ClaimedJob> running;

  @BeforeEach
  void start() {
    worker = new HandWorker(store, "work");
    orchestrator = process();
    WorkflowDefinition definition =
        WorkflowDefinition.named("fanout")
            .maxConcurrentSteps(CAP)
            .step(StepDefinition.named("each").task("work").over(Refs.input("")))
            .build();
    run =
        orchestrator.create(
            new Charter(
                new WorkflowGraph(definition),
                List.of(),
                Charter.tree(IntStream.range(0, STEPS).boxed().toList().toString()),
                Optional.empty()));
    orchestrator.tick(run);
    running = worker.claim();
    assertThat(running).hasSize(CAP);
    submitted.clear();
    looked.clear();
    pass(Duration.ofMillis(1));
  }

  @AfterEach
  void close() {
    worker.close();
    store.close();
  }

  private Orchestrator process() {
    JobStore tapped = TappedJobStore.of(store, this::tap);
    return new Orchestrator(tapped, new RunReader(tapped), 1 << 20);
  }

  private Object tap(Method method, Object[] arguments, TappedJobStore.Call call) throws Throwable {
    Object answer = call.proceed();
    switch (method.getName()) {
      case "get" -> {
        if (answer instanceof Optional<?> found && found.orElse(null) instanceof StoredRun read) {
          return Optional.of(
              new StoredRun(read.run(), read.version(), read.createdAt(), read.updatedAt(), now));
        }
      }
      case "standings" -> {
        ((Collection<?>) arguments[0]).forEach(id -> looked.add((UUID) id));
        Map<Object, Object> seen = new HashMap<>((Map<?, ?>) answer);
        seen.keySet().removeAll(vanished);
        return seen;
      }
      case "submit" ->
          ((List<?>) arguments[0]).forEach(job -> submitted.add(((NewJob) job).identity().id()));
      default -> {}
    }
    return answer;
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  /** Ends so many of the jobs that run. */
  private Set<UUID> end(int jobs) {
    List<ClaimedJob> some = List.copyOf(running.subList(0, jobs));
    running = running.subList(jobs, running.size());
    worker.finish(some);
    return some.stream().map(ClaimedJob::id).collect(Collectors.toSet());
  }

  private Turn heard(Orchestrator process, Set<UUID> ended) {
    return process.tickUnlessWithin(Duration.ofDays(-1), run, new News(ended, false));
  }

  private Items items() {
    return new RunReader(store).get(run).orElseThrow().step(0).items().orElseThrow();
  }

  @Test
  void heard_looksAtTheJobsThatEnded_andStartsAsMany() {
    Set<UUID> ended = end(10);
    assertThat(heard(orchestrator, ended).partial()).isTrue();
    assertThat(looked).containsExactlyInAnyOrderElementsOf(ended);
    assertThat(submitted).hasSize(10);
    assertThat(items().succeeded()).isEqualTo(10);
    assertThat(items().inFlight().size()).isEqualTo(CAP);
  }

  @Test
  void heardOfAJobThatRuns_isLookedAtAndCountsAsInFlight() {
    heard(orchestrator, Set.of(running.get(0).id()));
    assertThat(looked).hasSize(1);
    assertThat(submitted).isEmpty();
    assertThat(items().inFlight().size()).isEqualTo(CAP);
  }

  @Test
  void heardTwice_theSecondTickLooksAtNothing() {
    Set<UUID> ended = end(10);
    heard(orchestrator, ended);
    looked.clear();
    assertThat(heard(orchestrator, ended)).isEqualTo(Turn.NO_NEWS);
    assertThat(looked).isEmpty();
    assertThat(submitted).hasSize(10);
  }

  @Test
  void endedUnheard_countsAsInFlightUntilALookAtAll() {
    end(20);
    heard(orchestrator, end(10));
    assertThat(submitted).as("nothing in place of what was not looked at").hasSize(10);

    pass(Decider.FRESH);
    assertThat(heard(orchestrator, end(1)).partial()).isFalse();
    assertThat(looked).as("10, then all that the run counted").hasSize(10 + CAP);
    assertThat(items().succeeded()).isEqualTo(31);
    assertThat(submitted).hasSize(31);
    assertThat(items().inFlight().size()).isEqualTo(CAP);
  }

  @Test
  void vanished_isBroughtBackByALookAtAll() {
    vanished.add(running.get(CAP - 1).id());
    heard(orchestrator, end(10));
    assertThat(submitted).doesNotContainAnyElementsOf(vanished);
    pass(Decider.FRESH);
    heard(orchestrator, end(10));
    assertThat(submitted).containsAll(vanished);
  }

  @Test
  void vanishedAndHeardOf_isBroughtBackAtOnce() {
    Set<UUID> ended = end(1);
    vanished.addAll(ended);
    heard(orchestrator, ended);
    assertThat(submitted).containsExactlyElementsOf(ended);
  }

  @Test
  void firstTickOfAProcess_looksAtAll() {
    end(20);
    Orchestrator other = process();
    heard(other, end(1));
    assertThat(looked).hasSize(CAP);
    assertThat(items().succeeded()).isEqualTo(21);

    looked.clear();
    heard(other, end(1));
    assertThat(looked).as("the next goes by what it hears").hasSize(1);
  }

  @Test
  void muchEndedHere_looksAtAll() {
    end(20);
    heard(orchestrator, end(CAP / Decider.MUCH));
    assertThat(looked).hasSize(CAP);
    assertThat(items().succeeded()).isEqualTo(20 + CAP / Decider.MUCH);
  }

  @Test
  void askedOrOverdue_looksAtAll() {
    orchestrator.tick(run, Occasion.ASKED);
    assertThat(looked).hasSize(CAP);
    looked.clear();
    orchestrator.tick(run, Occasion.OVERDUE);
    assertThat(looked).hasSize(CAP);
  }

  @Test
  void ending_looksAtAll() {
    orchestrator.edit(run, any -> true, found -> RunEdits.cancel(found.progress()));
    heard(orchestrator, end(1));
    assertThat(looked).hasSizeGreaterThanOrEqualTo(CAP);
  }

  /** No further job is heard of, and no sweep takes place; all the same the tick comes. */
  @Test
  void endedUnheard_isFoundThoughNothingMoreIsHeard() {
    Orchestrator plain = new Orchestrator(store, new RunReader(store), 1 << 20);
    try (TickScheduler scheduler = new TickScheduler(plain, most -> List.of())) {
      plain.tick(run, Occasion.OVERDUE);
      end(20);
      end(10).forEach(id -> scheduler.ended(StepJobId.parse(id).orElseThrow()));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> items().succeeded(), done -> done == 30);
    }
  }
}
