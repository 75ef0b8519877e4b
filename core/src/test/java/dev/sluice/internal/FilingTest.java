package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.Job;
import dev.sluice.JobContext;
import dev.sluice.Task;
import dev.sluice.TaskName;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Refiled;
import dev.sluice.spi.JobOutcome.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FilingTest {
  private static final Group TASK = Group.of("print");
  private static final Group ACME = TASK.dimension("tenant", "acme");

  private static final Task<String> PRINT =
      Task.named("print", String.class).maxConcurrentPer("tenant", tenant -> tenant, 2).build();

  private final Filing filing =
      new Filing(new Declarations(List.of()), new WorkerPointers(null, Map.of()));

  private static ClaimedJob job(boolean refiled, List<String> gates, String... others) {
    ClaimedJob.Run run =
        new ClaimedJob.Run(1, true, Optional.empty(), Duration.ZERO, Optional.empty());
    return new ClaimedJob(
        UUID.randomUUID(),
        1,
        "print",
        run,
        new ClaimedJob.Bond(gates, List.of(others), refiled),
        "{}");
  }

  private static ClaimedJob naming(String group) {
    ClaimedJob job = job(false, List.of());
    List<NamedSlot> named = List.of(new NamedSlot(group, 0));
    ClaimedJob.Bond bond = new ClaimedJob.Bond(List.of(), named, List.of(), false, List.of());
    return new ClaimedJob(job.id(), 1, "print", job.run(), bond, "{}");
  }

  private Optional<Verdict> verdict(ClaimedJob job) {
    return filing.obstacle(PRINT, "acme", job, 0).map(Ending::verdict);
  }

  @Test
  void inItsGroups_mayStart() {
    assertThat(verdict(job(false, List.of("print", "print/tenant=acme")))).isEmpty();
  }

  @Test
  void namesASlotOfItsGroup_mayStart() {
    assertThat(verdict(naming("print/tenant=acme"))).isEmpty();
  }

  @Test
  void filedAnew_keepsTheGroupOfASlotItNames() {
    assertThat(verdict(naming("heavy"))).contains(new Refiled(List.of(Group.of("heavy"), ACME)));
  }

  @Test
  void namesASlotUnderTheLimitOfItsClass_mayStart() {
    Task<Print> task = Task.of(Print.class);
    ClaimedJob job = naming("print/k");

    assertThat(filing.obstacle(task, new Print(1), job, 0)).contains(Ending.HANDED_BACK);
    assertThat(filing.obstacle(task, new Print(1), job, 1)).isEmpty();
  }

  @Test
  void withoutAValue_mayStartAnywhere() {
    assertThat(filing.obstacle(PRINT, "", job(false, List.of("print")), 0)).isEmpty();
  }

  @TaskName("print")
  record Print(int limit) implements Job {
    @Override
    public String concurrencyKey() {
      return "k";
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(limit);
    }

    @Override
    public void run(JobContext context) {}
  }

  @Test
  void claimedBeforeTheLimitOfItsClassWasOnRecord_isHandedBack() {
    Task<Print> task = Task.of(Print.class);
    ClaimedJob job = job(false, List.of("print/k"));

    assertThat(filing.obstacle(task, new Print(1), job, 0)).contains(Ending.HANDED_BACK);
    assertThat(filing.obstacle(task, new Print(1), job, 0))
        .as("another of the same claim")
        .contains(Ending.HANDED_BACK);
    assertThat(filing.obstacle(task, new Print(1), job, 1)).isEmpty();
  }

  @Test
  void firstFiling_replacesTheDimensionAndKeepsTheRest() {
    assertThat(verdict(job(false, List.of("print", "print/tenant=b"), "heavy", "print/key")))
        .contains(new Refiled(List.of(Group.of("heavy"), TASK.key("key"), ACME)));
  }

  @Test
  void firstFiling_thatDoesNotFit_failsRatherThanLeaveAGroup() {
    Verdict verdict = verdict(job(false, List.of("d"), "a", "b", "c")).orElseThrow();

    assertThat(verdict).isInstanceOf(Failed.class);
    assertThat(((Failed) verdict).failure().message())
        .contains("'print'", "[print/tenant=acme]", "[a, b, c, d]", "at most 4", "fewer groups");
  }

  @Test
  void laterFiling_addsToWhatIsThere() {
    assertThat(verdict(job(true, List.of("print/tenant=b"))))
        .contains(new Refiled(List.of(ACME, TASK.dimension("tenant", "b"))));
  }

  @Test
  void laterFiling_thatDoesNotFit_fails() {
    Verdict verdict = verdict(job(true, List.of("print/tenant=b"), "x", "y", "z")).orElseThrow();

    assertThat(verdict).isInstanceOf(Failed.class);
    assertThat(((Failed) verdict).failure().message())
        .contains("filed anew before", "'print'", "print/tenant=acme", "print/tenant=b");
  }
}
