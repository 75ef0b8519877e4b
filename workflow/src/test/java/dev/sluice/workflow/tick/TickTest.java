package dev.sluice.workflow.tick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.RetryPolicy;
import dev.sluice.workflow.Caps;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.tick.Sight.ChildSight;
import dev.sluice.workflow.tick.StepJobId.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TickTest {
  private static StepDefinition.Builder call(String name, String... after) {
    return StepDefinition.named(name).task("t").dependsOn(after);
  }

  private static StepDefinition.Builder each(String name, String... after) {
    return call(name, after).over(Refs.input(""));
  }

  private static WorkflowDefinition.Builder workflow() {
    return WorkflowDefinition.named("w");
  }

  private static World chain() {
    return new World(workflow().step(call("a")).step(call("b", "a")).step(call("c", "b")).build());
  }

  @Test
  void chain_oneAfterTheOther_succeeds() {
    World world = chain();
    for (String step : List.of("a", "b", "c")) {
      world.settle();
      assertThat(world.running()).containsExactly(step);
      assertThat(world.progress.state()).isEqualTo(RunState.RUNNING);
      world.end(step, JobState.SUCCEEDED);
    }
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.submitted).hasSize(3);
  }

  @Test
  void nothingNew_nothingChanges() {
    World world = chain();
    world.settle();
    RunProgress before = world.progress;
    Plan plan = world.tick();
    assertThat(plan.next()).isEqualTo(before);
    assertThat(plan.submit()).isEmpty();
    assertThat(plan.figures().inFlight()).isEqualTo(1);
  }

  @Test
  void startedWithoutJob_isSubmittedAgainAndCounts() {
    World world =
        new World(workflow().maxConcurrentSteps(1).step(call("a")).step(call("b")).build());
    world.write(world.plan());

    Plan again = world.tick();
    assertThat(again.submit()).containsExactly(new StepJobId(world.run, Kind.STEP, 0, 1, 0));
    assertThat(again.figures().inFlight()).isEqualTo(1);
    assertThat(world.state("b")).isEqualTo(StepState.PENDING);

    world.jobs.clear();
    assertThat(world.tick().submit()).as("removed behind its back").hasSize(1);
  }

  @Test
  void caps_inFlightAndPerTick_hold() {
    WorkflowDefinition.Builder wide = workflow().maxConcurrentSteps(10).maxStepsPerTick(4);
    for (int i = 0; i < 25; i++) {
      wide.step(call("s" + i));
    }
    World world = new World(wide.build());
    Plan first = world.tick();
    assertThat(first.submit()).hasSize(4);
    assertThat(first.figures().again()).isTrue();
    assertThat(first.figures().deferred()).isEqualTo(21);
    assertThat(world.tick().figures().again()).isTrue();
    Plan third = world.tick();
    assertThat(third.submit()).hasSize(2);
    assertThat(third.figures().again()).as("the cap is reached; only an end helps").isFalse();
    assertThat(world.tick().submit()).isEmpty();

    world.end("s0", JobState.SUCCEEDED);
    world.end("s3", JobState.SUCCEEDED);
    assertThat(world.tick().submit()).hasSize(2);
  }

  @Test
  void capLowered_nothingStartsUntilBelow_andZeroHolds() {
    WorkflowDefinition.Builder wide = workflow().maxConcurrentSteps(3);
    for (int i = 0; i < 6; i++) {
      wide.step(call("s" + i));
    }
    World world = new World(wide.build());
    world.settle();
    world.progress = world.progress.with(Caps.NONE.maxConcurrentSteps(1));
    world.end("s0", JobState.SUCCEEDED);
    world.end("s1", JobState.SUCCEEDED);
    assertThat(world.tick().submit()).isEmpty();
    world.end("s2", JobState.SUCCEEDED);
    assertThat(world.tick().submit()).hasSize(1);

    world.progress = world.progress.with(Caps.NONE.maxConcurrentSteps(0));
    world.end("s3", JobState.SUCCEEDED);
    Plan held = world.tick();
    assertThat(held.submit()).isEmpty();
    assertThat(held.figures().deferred()).isEqualTo(2);
    assertThat(held.figures().again()).isFalse();
    assertThat(world.progress.state()).isEqualTo(RunState.RUNNING);
    world.progress = world.progress.with(Caps.NONE);
    assertThat(world.tick().submit()).hasSize(2);
  }

  @Test
  void order_priorityThenLongestPath() {
    World world =
        new World(
            workflow()
                .maxConcurrentSteps(1)
                .step(call("short"))
                .step(call("long"))
                .step(call("middle", "long"))
                .step(call("end", "middle"))
                .step(call("urgent").priority(5))
                .build());
    for (String step : List.of("urgent", "long", "middle", "short", "end")) {
      world.settle();
      assertThat(world.running()).containsExactly(step);
      world.end(step, JobState.SUCCEEDED);
    }
  }

  @Test
  void failure_failsTheRun_callsOffWhatIsInFlight_skipsTheRest() {
    World world =
        new World(workflow().step(call("a")).step(call("b")).step(call("c", "a", "b")).build());
    world.settle();
    world.end("a", JobState.FAILED);
    world.settle();
    assertThat(world.jobs.get(world.latest("b").id()).ended()).contains(JobState.CANCELLED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.progress.message()).contains("step 'a' failed: bad luck");
    assertThat(world.state("b")).isEqualTo(StepState.CANCELLED);
    assertThat(world.state("c")).isEqualTo(StepState.SKIPPED);
  }

  @Test
  void failure_stepRetry_isAnotherJobWithinTheCap() {
    World world =
        new World(
            workflow()
                .maxConcurrentSteps(1)
                .step(call("a").retry(RetryPolicy.exponential().maxAttempts(2).build()))
                .build());
    world.settle();
    world.end("a", JobState.FAILED);
    world.settle();
    assertThat(world.submitted).extracting(StepJobId::attempt).containsExactly(1, 2);
    world.end("a", JobState.FAILED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
  }

  @Test
  void failure_continue_dependentsRun() {
    World world =
        new World(
            workflow().step(call("a").onFailure(OnFailure.CONTINUE)).step(call("b", "a")).build());
    world.settle();
    world.end("a", JobState.FAILED);
    world.settle();
    assertThat(world.running()).containsExactly("b");
    world.end("b", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.state("a")).isEqualTo(StepState.FAILED);
  }

  @Test
  void failure_pause_resumeTriesAgain() {
    World world =
        new World(
            workflow()
                .step(call("a").onFailure(OnFailure.PAUSE_WORKFLOW))
                .step(call("b"))
                .step(call("c", "a"))
                .build());
    world.settle();
    world.end("a", JobState.FAILED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.PAUSED);
    world.end("b", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.state("b")).isEqualTo(StepState.SUCCEEDED);

    world.progress = RunEdits.resume(world.graph, world.progress);
    world.settle();
    assertThat(world.latest("a").attempt()).isEqualTo(2);
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.running()).containsExactly("c");
  }

  @Test
  void compensate_reverseOrderOfCompletion_pastTheCap() {
    World world =
        new World(
            workflow()
                .maxConcurrentSteps(3)
                .step(call("a").compensateWith("undo"))
                .step(call("b").compensateWith("undo"))
                .step(call("c").compensateWith("undo"))
                .step(call("d", "a", "b", "c").onFailure(OnFailure.COMPENSATE))
                .build());
    world.settle();
    world.end("b", JobState.SUCCEEDED);
    world.end("c", JobState.SUCCEEDED);
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    world.progress = world.progress.with(Caps.NONE.maxConcurrentSteps(0));
    world.end("d", JobState.FAILED);
    for (String step : List.of("a", "c", "b")) {
      world.settle();
      assertThat(world.progress.state()).isEqualTo(RunState.COMPENSATING);
      assertThat(world.unfinished()).hasSize(1);
      assertThat(world.unfinished().get(0))
          .isEqualTo(new StepJobId(world.run, Kind.COMPENSATION, world.graph.indexOf(step), 1, 0));
      world.jobs.remove(world.unfinished().get(0).id());
      world.settle();
      world.end(world.latest(step), step.equals("c") ? JobState.FAILED : JobState.SUCCEEDED);
    }
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.progress.message().orElseThrow())
        .isEqualTo("step 'd' failed: bad luck; not undone: step 'c': bad luck");
    assertThatThrownBy(() -> RunEdits.retry(world.graph, world.progress))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("undone");
  }

  @Test
  void compensate_waitsForWhatIsInFlight_andUndoesItToo() {
    World world =
        new World(
            workflow()
                .step(call("a").compensateWith("undo"))
                .step(call("b").onFailure(OnFailure.COMPENSATE))
                .build());
    world.settle();
    world.end("b", JobState.FAILED);
    world.settle();
    assertThat(world.unfinished()).extracting(StepJobId::kind).containsExactly(Kind.STEP);
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.unfinished()).extracting(StepJobId::kind).containsExactly(Kind.COMPENSATION);
  }

  @Test
  void cancel_drains_thenRetryTakesUpAgain() {
    World world =
        new World(workflow().step(call("a")).step(call("b", "a")).step(each("m")).build());
    world.sizes.put(2, 5);
    world.settle();
    world.progress = RunEdits.cancel(world.progress);
    world.settle();
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.CANCELLED);
    assertThat(world.unfinished()).isEmpty();
    assertThat(world.state("b")).isEqualTo(StepState.CANCELLED);

    world.progress = RunEdits.retry(world.graph, world.progress);
    world.settle();
    assertThat(world.unfinished()).hasSize(6);
    while (world.progress.isLive()) {
      world.unfinished().forEach(job -> world.end(job, JobState.SUCCEEDED));
      world.settle();
    }
    assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void sleepAndSignal_holdNoPlace() {
    World world =
        new World(
            workflow()
                .maxConcurrentSteps(1)
                .step(StepDefinition.named("sleep").sleep(Duration.ofHours(1)))
                .step(StepDefinition.named("ask").signal("answer", Duration.ofDays(1)))
                .step(StepDefinition.named("listen").signal("word"))
                .step(call("work"))
                .step(call("after", "sleep", "ask", "listen", "work"))
                .build());
    world.settle();
    assertThat(world.running()).hasSize(4);
    assertThat(world.progress.state()).isEqualTo(RunState.RUNNING);
    world.end("work", JobState.SUCCEEDED);
    world.end("sleep", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.WAITING_SIGNAL);

    world.progress = RunEdits.signal(world.progress, "answer", TextNode.valueOf("yes"));
    world.progress = RunEdits.signal(world.progress, "word", TextNode.valueOf("go"));
    Plan plan = world.tick();
    assertThat(plan.cancel()).extracting(StepJobId::kind).containsExactly(Kind.TIMER);
    assertThat(world.running()).containsExactly("after");
    assertThat(world.progress.steps().get(1).extra())
        .isEqualTo(new StepProgress.Value(TextNode.valueOf("yes")));
  }

  @Test
  void signal_beforeItsStep_isKept_andTimeoutFails() {
    World world =
        new World(
            workflow()
                .step(call("a"))
                .step(StepDefinition.named("ask").signal("answer").dependsOn("a"))
                .step(
                    StepDefinition.named("late")
                        .signal("never", Duration.ofSeconds(1))
                        .dependsOn("ask"))
                .build());
    world.settle();
    world.progress = RunEdits.signal(world.progress, "answer", TextNode.valueOf("early"));
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.running()).containsExactly("late");
    world.end("late", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.progress.message().orElseThrow()).contains("'never' did not come in time");
  }

  @Test
  void child_createdOnceAndAgainIfMissing_itsEndIsTheSteps() {
    World world =
        new World(
            workflow()
                .maxConcurrentSteps(1)
                .step(StepDefinition.named("child").workflow("other"))
                .step(call("a"))
                .build());
    Plan first = world.plan();
    world.write(first);
    UUID child = first.children().create().get(0);
    assertThat(world.plan().children().create()).containsValue(child);
    world.settle();
    assertThat(world.running()).containsExactly("child", "a");
    world.children.put(
        child,
        new ChildSight(
            true, RunState.SUCCEEDED, Optional.of(TextNode.valueOf("out")), Optional.empty()));
    world.settle();
    assertThat(world.state("child")).isEqualTo(StepState.SUCCEEDED);
    assertThat(world.progress.steps().get(0).extra())
        .isEqualTo(new StepProgress.Value(TextNode.valueOf("out")));
  }

  @Test
  void child_idTakenByAnother_drawsAnother() {
    World world =
        new World(workflow().step(StepDefinition.named("child").workflow("other")).build());
    UUID first = world.tick().children().create().get(0);
    world.children.put(
        first, new ChildSight(false, RunState.RUNNING, Optional.empty(), Optional.empty()));
    UUID second = world.tick().children().create().get(0);
    assertThat(second).isNotEqualTo(first);
  }

  @Test
  void map_cursorAndInFlight_nothingGrowsWithWhatIsDone() {
    World world = new World(workflow().maxConcurrentSteps(10).step(each("m")).build());
    assertThat(world.plan().needs().sizes()).containsExactly(0);
    world.sizes.put(0, 5_000);
    int longest = 0;
    while (world.progress.isLive()) {
      world.settle();
      assertThat(world.unfinished().size()).isLessThanOrEqualTo(10);
      assertThat(Tick.watched(world.graph, world.run, world.progress)).hasSizeLessThanOrEqualTo(10);
      longest = Math.max(longest, ProgressJson.write(world.progress).length());
      world.unfinished().stream().limit(4).forEach(job -> world.end(job, JobState.SUCCEEDED));
      world.submitted.removeIf(job -> !world.isUnfinished(job));
    }
    assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.jobs).hasSize(5_000);
    assertThat(longest).isLessThan(400);
  }

  @Test
  void map_itemFails_stopsDrainsAndFails_retryRepeatsOnlyThat() {
    World world = new World(workflow().maxConcurrentSteps(2).step(each("m")).build());
    world.sizes.put(0, 5);
    world.settle();
    world.end(world.submitted.get(0), JobState.FAILED);
    world.settle();
    assertThat(world.submitted).as("nothing more starts").hasSize(2);
    world.end(world.submitted.get(1), JobState.SUCCEEDED);
    world.settle();
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.progress.message().orElseThrow())
        .isEqualTo("step 'm' failed: 1 of 5 elements failed; element 0: bad luck");

    world.progress = RunEdits.retry(world.graph, world.progress);
    while (world.progress.isLive()) {
      world.settle();
      world.unfinished().forEach(job -> world.end(job, JobState.SUCCEEDED));
    }
    assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.submitted).hasSize(6);
    assertThat(world.submitted.get(2)).isEqualTo(new StepJobId(world.run, Kind.ITEM, 0, 2, 0));
  }

  @Test
  void map_continue_goesThroughAll_thenFailsAlone() {
    World world =
        new World(
            workflow()
                .step(each("m").onFailure(OnFailure.CONTINUE))
                .step(call("after", "m"))
                .build());
    world.sizes.put(0, 4);
    world.settle();
    assertThat(world.submitted).hasSize(4);
    world.submitted.forEach(
        job -> world.end(job, job.item() == 2 ? JobState.CANCELLED : JobState.SUCCEEDED));
    world.settle();
    assertThat(world.state("m")).isEqualTo(StepState.FAILED);
    assertThat(world.running()).containsExactly("after");
  }

  @Test
  void map_empty_succeedsAtOnce() {
    World world = new World(workflow().step(each("m")).step(call("after", "m")).build());
    world.sizes.put(0, 0);
    world.settle();
    assertThat(world.running()).containsExactly("after");
  }

  @Test
  void fault_jobThatCannotBeSubmitted_failsItsStep() {
    World world = new World(workflow().step(call("a")).step(each("m")).build());
    world.sizes.put(1, 3);
    world.faults.put(new StepJobId(world.run, Kind.ITEM, 1, 1, 1), "too large");
    world.settle();
    world.unfinished().forEach(job -> world.end(job, JobState.SUCCEEDED));
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.progress.message().orElseThrow()).contains("element 1: too large");
  }

  @Test
  void fault_compensationThatCannotBeSubmitted_isToldAndTheNextIsUndone() {
    World world =
        new World(
            workflow()
                .step(call("a").compensateWith("undo"))
                .step(call("b", "a").compensateWith("undo"))
                .step(call("c", "b").onFailure(OnFailure.COMPENSATE))
                .build());
    world.faults.put(new StepJobId(world.run, Kind.COMPENSATION, 1, 1, 0), "its input is gone");
    for (String step : List.of("a", "b")) {
      world.settle();
      world.end(step, JobState.SUCCEEDED);
    }
    world.settle();
    world.end("c", JobState.FAILED);
    world.settle();
    assertThat(world.unfinished())
        .containsExactly(new StepJobId(world.run, Kind.COMPENSATION, 0, 1, 0));
    world.end(world.unfinished().get(0), JobState.SUCCEEDED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.progress.message().orElseThrow()).contains("step 'b': its input is gone");
  }

  @Test
  void fault_inTheFirstTick_compensates() {
    World world =
        new World(
            workflow()
                .step(call("a").priority(1).compensateWith("undo"))
                .step(call("b").onFailure(OnFailure.COMPENSATE))
                .build());
    world.faults.put(new StepJobId(world.run, Kind.STEP, 1, 1, 0), "its input is too large");
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.COMPENSATING);
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    assertThat(world.progress.state()).isEqualTo(RunState.FAILED);
    assertThat(world.submitted)
        .extracting(StepJobId::kind)
        .containsExactly(Kind.STEP, Kind.COMPENSATION);
  }

  @Test
  void child_thatCannotBegin_failsItsStep() {
    World world =
        new World(
            workflow()
                .step(StepDefinition.named("a").workflow("other").onFailure(OnFailure.CONTINUE))
                .step(call("b", "a"))
                .build());
    world.obstacles.put(0, "its input is gone");
    world.settle();
    assertThat(world.state("a")).isEqualTo(StepState.FAILED);
    assertThat(world.children).isEmpty();
    assertThat(world.running()).containsExactly("b");
  }

  @Test
  void adoption_whatHasStartedMustStay_restMayChange() {
    World world = chain();
    world.settle();
    world.end("a", JobState.SUCCEEDED);
    world.settle();
    WorkflowDefinition old = world.graph.definition();
    WorkflowDefinition changed =
        workflow()
            .step(call("new"))
            .step(call("b", "a"))
            .step(call("a"))
            .step(call("d", "b", "new"))
            .build();
    assertThat(Adoption.obstacle(old, changed, world.progress)).isEmpty();
    World next = new World(changed);
    next.progress = Adoption.adopt(old, changed, world.progress);
    next.jobs.putAll(world.jobs);
    next.settle();
    assertThat(next.running()).containsExactly("new", "b");
    assertThat(next.submitted).extracting(StepJobId::step).containsExactly(3);

    WorkflowDefinition gone = workflow().step(call("a")).build();
    assertThat(Adoption.obstacle(old, gone, world.progress).orElseThrow()).contains("step 'b'");
    WorkflowDefinition other =
        workflow().step(StepDefinition.named("a").task("u")).step(call("b", "a")).build();
    assertThat(Adoption.obstacle(old, other, world.progress).orElseThrow())
        .contains("step 'a'")
        .contains("something else");
  }

  @Test
  void ids_readBack() {
    StepJobId id = new StepJobId(StepJobId.run(1L << 47, 4_095), Kind.ITEM, 65_535, 4_095, 9_999);
    assertThat(StepJobId.parse(id.id())).contains(id);
    assertThat(StepJobId.parse(id.run())).isEmpty();
    assertThat(StepJobId.isRun(id.run())).isTrue();
    assertThat(StepJobId.isRun(id.id())).isFalse();
    assertThat(StepJobId.parse(UUID.randomUUID())).isEmpty();
  }
}
