package dev.sluice.workflow.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.RetryPolicy;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.tick.StepJobId.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random workflows under orchestrators that crash at any line, race each other and lose jobs: no
 * cap is passed, nothing starts before its time, and everything ends.
 */
class TickSimulationTest {
  private static final int WORLDS = 2_000;

  @Test
  void randomWorkflows_crashesAndRaces_keepEveryPromise() {
    for (int seed = 0; seed < WORLDS; seed++) {
      try {
        new Play(new Random(seed), seed % 2 == 1).play();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static final class Play {
    private final Random random;
    private final boolean rough;
    private final World world;
    private final int cap;
    private final int perTick;
    private final Map<StepJobId, Integer> submissions = new HashMap<>();
    private final Set<StepJobId> ended = new HashSet<>();
    private final List<Integer> completed = new ArrayList<>();
    private final List<Integer> undone = new ArrayList<>();
    private final Set<StepJobId> removed = new HashSet<>();

    /**
     * A play.
     *
     * @param rough whether jobs fail and vanish too, some cannot be submitted, and somebody calls
     *     the run off
     */
    Play(Random random, boolean rough) {
      this.random = random;
      this.rough = rough;
      this.cap = random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(5);
      this.perTick = random.nextInt(3) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(4);
      this.world = new World(definition());
    }

    private WorkflowDefinition definition() {
      WorkflowDefinition.Builder workflow = WorkflowDefinition.named("w");
      if (cap < Integer.MAX_VALUE) {
        workflow.maxConcurrentSteps(cap);
      }
      if (perTick < Integer.MAX_VALUE) {
        workflow.maxStepsPerTick(perTick);
      }
      int steps = 1 + random.nextInt(12);
      for (int i = 0; i < steps; i++) {
        StepDefinition.Builder step = StepDefinition.named("s" + i).priority(random.nextInt(2));
        switch (random.nextInt(6)) {
          case 0 -> step.task("t").over(Refs.input(""));
          case 1 -> step.sleep(Duration.ofSeconds(1));
          case 2 -> step.task("t").compensateWith("undo");
          case 3 -> step.task("t").retry(RetryPolicy.exponential().maxAttempts(2).build());
          default -> step.task("t");
        }
        if (rough) {
          step.onFailure(OnFailure.values()[random.nextInt(OnFailure.values().length)]);
        }
        for (int before = 0; before < i; before++) {
          if (random.nextInt(4) == 0) {
            step.dependsOn("s" + before);
          }
        }
        workflow.step(step);
      }
      return workflow.build();
    }

    void play() {
      for (int i = 0; i < world.graph.definition().steps().size(); i++) {
        world.sizes.put(i, random.nextInt(15));
        if (rough && random.nextInt(12) == 0) {
          Kind kind = random.nextBoolean() ? Kind.STEP : Kind.COMPENSATION;
          world.faults.put(new StepJobId(world.run, kind, i, 1, 0), "it is too large");
        }
      }
      for (int turn = 0; world.progress.isLive(); turn++) {
        assertThat(turn).as("it goes on for ever").isLessThan(3_000);
        switch (random.nextInt(6)) {
          case 0 -> crashAfterWriting();
          case 1 -> race();
          case 2 -> crashWhileSubmitting();
          default -> tick(world.plan());
        }
        check();
        endSome();
        if (rough) {
          meddle();
        }
      }
      if (!rough) {
        assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
      }
      assertThat(world.progress.steps()).allMatch(step -> step.state().finished());
      assertThat(stillWanted()).as("what was left behind").isEmpty();
      if (!undone.isEmpty()) {
        List<Integer> reverse = new ArrayList<>(completed);
        Collections.reverse(reverse);
        reverse.retainAll(undone);
        assertThat(undone).isEqualTo(reverse);
      }
    }

    /** Timers of a run that has ended may be left to run out; nothing comes of it. */
    private List<StepJobId> stillWanted() {
      return world.unfinished().stream().filter(job -> job.kind() != Kind.TIMER).toList();
    }

    private void meddle() {
      if (world.progress.state() == RunState.PAUSED && random.nextInt(4) == 0) {
        world.progress = RunEdits.resume(world.graph, world.progress);
      }
      boolean mayCancel =
          world.progress.isLive() && world.progress.ending() != RunProgress.Ending.COMPENSATE;
      if (mayCancel && random.nextInt(60) == 0) {
        world.progress = RunEdits.cancel(world.progress);
      }
      List<StepJobId> open = world.unfinished();
      if (!open.isEmpty() && random.nextInt(20) == 0) {
        StepJobId victim = open.get(random.nextInt(open.size()));
        world.jobs.remove(victim.id());
        removed.add(victim);
      }
    }

    private void tick(Plan plan) {
      assertThat(plan.figures().started()).isLessThanOrEqualTo(perTick);
      world.write(plan);
      plan.submit().forEach(job -> submissions.merge(job, 1, Integer::sum));
      world.carryOut(plan);
    }

    private void crashAfterWriting() {
      world.write(world.plan());
    }

    private void crashWhileSubmitting() {
      Plan plan = world.plan();
      world.write(plan);
      List<StepJobId> some = plan.submit().subList(0, random.nextInt(plan.submit().size() + 1));
      world.carryOut(
          new Plan(plan.next(), some, List.of(), plan.children(), plan.needs(), plan.figures()));
    }

    /** Two read the same; one is written, the other begins anew. */
    private void race() {
      Plan slow = world.plan();
      Plan fast = world.plan();
      world.write(fast);
      assertThat(fast.next()).isEqualTo(slow.next());
      tick(world.plan());
      world.carryOut(fast);
    }

    private void check() {
      long counted =
          world.unfinished().stream()
              .filter(job -> job.kind() == Kind.STEP || job.kind() == Kind.ITEM)
              .count();
      assertThat(counted).isLessThanOrEqualTo(cap);
      for (StepJobId job : world.submitted) {
        if (job.kind() == Kind.COMPENSATION) {
          continue;
        }
        for (int before : world.graph.dependencies(job.step())) {
          boolean over = world.progress.steps().get(before).state().finished();
          // Whoever resumes a run tries again what failed, and what came after has begun already.
          assertThat(over || rough).isTrue();
        }
      }
      List<StepJobId> kept = new ArrayList<>(world.submitted);
      kept.removeAll(removed);
      assertThat(kept).as("submitted once").doesNotHaveDuplicates();
    }

    private JobState how(StepJobId job) {
      boolean badly = rough && job.kind() != Kind.TIMER && random.nextInt(10) == 0;
      return !badly
          ? JobState.SUCCEEDED
          : random.nextBoolean() ? JobState.FAILED : JobState.CANCELLED;
    }

    private void endSome() {
      List<StepJobId> open = new ArrayList<>(world.unfinished());
      for (StepJobId job : open) {
        if (random.nextInt(3) == 0) {
          assertThat(ended.add(job)).as("it ran twice").isTrue();
          JobState how = how(job);
          world.end(job, how);
          if (how == JobState.SUCCEEDED && job.kind() == Kind.STEP) {
            completed.add(job.step());
          } else if (job.kind() == Kind.COMPENSATION) {
            undone.add(job.step());
          }
        }
      }
    }
  }
}
