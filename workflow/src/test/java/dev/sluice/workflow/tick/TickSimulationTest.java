package dev.sluice.workflow.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
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
        new Play(new Random(seed)).play();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static final class Play {
    private final Random random;
    private final World world;
    private final int cap;
    private final int perTick;
    private final Map<StepJobId, Integer> submissions = new HashMap<>();
    private final Set<StepJobId> ended = new HashSet<>();

    Play(Random random) {
      this.random = random;
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
          default -> step.task("t");
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
      }
      assertThat(world.progress.state()).isEqualTo(RunState.SUCCEEDED);
      assertThat(world.unfinished()).isEmpty();
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
          world.unfinished().stream().filter(job -> job.kind() != StepJobId.Kind.TIMER).count();
      assertThat(counted).isLessThanOrEqualTo(cap);
      for (StepJobId job : world.submitted) {
        for (int before : world.graph.dependencies(job.step())) {
          assertThat(world.progress.steps().get(before).state().finished()).isTrue();
        }
      }
      assertThat(new HashSet<>(world.submitted)).hasSameSizeAs(world.submitted);
    }

    private void endSome() {
      List<StepJobId> open = new ArrayList<>(world.unfinished());
      for (StepJobId job : open) {
        if (random.nextInt(3) == 0) {
          assertThat(ended.add(job)).as("it ran twice").isTrue();
          world.end(job, JobState.SUCCEEDED);
        }
      }
    }
  }
}
