package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.Job;
import dev.sluice.JobContext;
import dev.sluice.JobRequest;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.TaskName;
import dev.sluice.Worker;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The groups that a task declares for a payload hold whoever submitted the job: what a submitter
 * leaves out or has wrong, the worker that claims the job puts right before it starts.
 */
abstract class DeclaredGroupsContract extends ContractTopic {
  private static final String NAME = "print_invoice";
  private static final Group ACME = Group.of(NAME).dimension("tenant", "acme");

  record Invoice(String tenant, String region) {}

  DeclaredGroupsContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private static Task<Invoice> perTenant(int limit) {
    return Task.named(NAME, Invoice.class)
        .maxConcurrentPer("tenant", Invoice::tenant, limit)
        .build();
  }

  /** Submits as whoever knows the task's name alone does. */
  private List<UUID> submitRaw(String task, String payload, int count, Group... groups) {
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(
          new NewJob(
              new NewJob.Identity(UUID.randomUUID(), false, Optional.empty()),
              task,
              new NewJob.Place(SubmitOptions.DEFAULT_QUEUE, 0),
              new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
              new NewJob.Concurrency(
                  List.of(groups), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
              payload));
    }
    store.submit(jobs);
    return jobs.stream().map(job -> job.identity().id()).toList();
  }

  /** Of each key, so many handlers go on only once they are at it together. */
  private <T> void startWorkers(
      int count, Task<T> task, OverlapMeter meter, int together, Function<T, String> key) {
    for (int i = 0; i < count; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (payload, context) -> {
                    try (OverlapMeter.Run run =
                        meter.beginWithOthers(key.apply(payload), together, PATIENCE)) {
                      TimeUnit.MILLISECONDS.sleep(5);
                    }
                  })
              .start());
    }
  }

  @Test
  void submittedByNameAlone_dimensionHolds() {
    OverlapMeter meter = new OverlapMeter();
    List<UUID> jobs = new ArrayList<>(submitRaw(NAME, "{\"tenant\":\"acme\"}", 60));
    jobs.addAll(submitRaw(NAME, "{\"tenant\":\"globex\"}", 60));

    startWorkers(3, perTenant(2), meter, 2, Invoice::tenant);

    awaitCount(JobState.SUCCEEDED, 120);
    assertThat(meter.peak("acme")).as("of acme at once").isEqualTo(2);
    assertThat(meter.peak("globex")).as("of globex at once").isEqualTo(2);
    for (UUID id : jobs) {
      assertThat(job(id).progress().attempt()).as("filing anew uses no attempt").isEqualTo(1);
    }
    assertThat(job(jobs.get(0)).spec().groups()).containsExactly(Group.of(NAME), ACME);
  }

  @Test
  void submittedIntoAnotherValue_isFiledUnderWhatTheTaskSays() {
    Group wrong = Group.of(NAME).dimension("tenant", "nobody");
    Group extra = Group.of("heavy");
    UUID id = submitRaw(NAME, "{\"tenant\":\"acme\"}", 1, extra, wrong).get(0);

    closing(worker().handle(perTenant(2), (invoice, context) -> {}).start());

    awaitState(id, JobState.SUCCEEDED);
    assertThat(job(id).spec().groups())
        .as("the value is replaced, the group of the submit side stays")
        .containsExactlyInAnyOrder(Group.of(NAME), extra, ACME);
  }

  /**
   * The job is submitted last and due first, so that neither the time of its submit nor that of its
   * filing gives it its place. It says itself when it is due: a store that knows the time to the
   * second only may date jobs of two processes in another order than they were submitted in.
   */
  @Test
  void filedAnew_keepsItsPlaceInLine() {
    Set<UUID> started = Collections.synchronizedSet(new LinkedHashSet<>());
    Invoice ofAcme = new Invoice("acme", "eu");
    sluice.submitAll(perTenant(1), Collections.nCopies(12, ofAcme));
    Instant due = storeTime().minus(Duration.ofMinutes(1)).truncatedTo(ChronoUnit.SECONDS);
    Task<Invoice> withoutTenant = Task.named(NAME, Invoice.class).build();
    UUID misfiled = sluice.submit(withoutTenant, ofAcme, o -> o.runAt(due)).id();

    closing(
        worker()
            .concurrency(2) // one thread for those of acme, and one to file the other job anew
            .handle(
                perTenant(1),
                (invoice, context) -> {
                  started.add(context.jobId());
                  await().until(() -> job(misfiled).spec().groups().contains(ACME));
                  TimeUnit.MILLISECONDS.sleep(150); // too long for jobs to be fetched ahead
                })
            .start());

    awaitCount(JobState.SUCCEEDED, 13);
    assertThat(job(misfiled).spec().schedule().runAt()).as("its place on record").isEqualTo(due);
    assertThat(List.copyOf(started).indexOf(misfiled))
        .as("only the one passes it that had the slot of acme before it was filed anew")
        .isLessThanOrEqualTo(1);
    assertThat(job(misfiled).progress().attempt()).isEqualTo(1);
  }

  @Test
  void twoVersionsOfTheCode_theGroupsOfBothHold() {
    Task<Invoice> old =
        Task.named(NAME, Invoice.class)
            .maxConcurrentPer("tenant", Invoice::tenant, 2)
            .maxConcurrentPer("desk", invoice -> "front", 50)
            .build();
    Task<Invoice> next =
        Task.named(NAME, Invoice.class)
            .maxConcurrentPer("tenant", Invoice::tenant, 2)
            .maxConcurrentPer("desk", invoice -> "back", 50)
            .maxConcurrentPer("region", Invoice::region, 1)
            .build();
    OverlapMeter meter = new OverlapMeter();
    List<UUID> jobs = submitRaw(NAME, "{\"tenant\":\"acme\",\"region\":\"eu\"}", 40);

    startWorkers(1, old, meter, 1, Invoice::tenant);
    startWorkers(1, next, meter, 1, Invoice::tenant);

    awaitCount(JobState.SUCCEEDED, 40);
    assertThat(jobs).allMatch(id -> job(id).progress().attempt() == 1);
    assertThat(meter.peak("acme")).as("of acme at once").isLessThanOrEqualTo(2);
  }

  @Test
  void dimensionThatNeverSaysTheSame_failsTheJobWithTheReason() {
    AtomicInteger calls = new AtomicInteger();
    Task<Invoice> fickle =
        Task.named(NAME, Invoice.class)
            .maxConcurrentPer("tenant", invoice -> "t" + calls.incrementAndGet(), 2)
            .build();
    UUID id = submitRaw(NAME, "{\"tenant\":\"acme\"}", 1).get(0);

    closing(worker().handle(fickle, (invoice, context) -> {}).start());

    awaitState(id, JobState.FAILED);
    assertThat(job(id).failures()).hasSize(1);
    assertThat(job(id).failures().get(0).message()).contains("filed anew", NAME + "/tenant=t");
  }

  @TaskName("process_user")
  record ProcessUser(int user) implements Job {
    @Override
    public String concurrencyKey() {
      return "user-" + user;
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(1);
    }

    @Override
    public void run(JobContext context) {}
  }

  /** The next version of the class. */
  @TaskName("process_user")
  record ProcessUserFaster(int user) implements Job {
    @Override
    public String concurrencyKey() {
      return "user-" + user;
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(user == 99 ? 2 : 3);
    }

    @Override
    public void run(JobContext context) {}
  }

  @Test
  void classStyle_keyAndLimitHoldWhoeverSubmits() {
    Task<ProcessUser> task = Task.of(ProcessUser.class);
    ProcessUser user = new ProcessUser(7);
    sluice.submitEach(
        IntStream.range(0, 20)
            .mapToObj(i -> new JobRequest<>(task, user, SubmitOptions.DEFAULTS))
            .toList());
    sluice.submit(task, user);
    sluice.submitAll(task, Collections.nCopies(20, user));
    submitRaw("process_user", "{\"user\":7}", 20);
    OverlapMeter meter = new OverlapMeter();

    startWorkers(3, task, meter, 1, job -> job.concurrencyKey());

    awaitCount(JobState.SUCCEEDED, 61);
    assertThat(meter.peak("user-7")).as("of user-7 at once").isEqualTo(1);
  }

  /** The version of the class before {@link ProcessUser}. */
  @TaskName("process_user")
  record ProcessUserCrowded(int user) implements Job {
    @Override
    public String concurrencyKey() {
      return "user-" + user;
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(10);
    }

    @Override
    public void run(JobContext context) {}
  }

  @Test
  void classStyle_codeThatSaysLess_holdsFromItsFirstClaim() {
    sluice.submitAll(
        Task.of(ProcessUserCrowded.class), Collections.nCopies(30, new ProcessUserCrowded(7)));
    assertThat(limit(Group.of("process_user").key("user-7"))).as("by the submitter").hasValue(10);
    OverlapMeter meter = new OverlapMeter();

    startWorkers(1, Task.of(ProcessUser.class), meter, 1, job -> job.concurrencyKey());

    awaitCount(JobState.SUCCEEDED, 30);
    assertThat(meter.peak("user-7")).as("of user-7 at once").isEqualTo(1);
  }

  @Test
  void classStyle_limitFollowsTheCode() {
    Group user = Group.of("process_user").key("user-7");
    Group special = Group.of("process_user").key("user-99");
    Worker old = closing(worker(anotherProcess()).handle(ProcessUser.class).start());
    awaitState(sluice.submit(new ProcessUser(7)).id(), JobState.SUCCEEDED);
    assertThat(limit(user)).as("of the old code").hasValue(1);

    closing(worker(anotherProcess()).handle(ProcessUserFaster.class).start());
    List<UUID> both = new ArrayList<>();
    await()
        .untilAsserted(
            () -> {
              both.add(sluice.submit(new ProcessUser(8)).id());
              assertThat(
                      sluice
                          .concurrency()
                          .status(Group.of("process_user").anyKey())
                          .origin()
                          .declared())
                  .as("as soon as the new code has met a job")
                  .containsKeys(1, 3);
            });
    both.forEach(id -> awaitState(id, JobState.SUCCEEDED));
    assertThat(limit(user)).as("the lowest, while both run").hasValue(1);

    old.close();
    awaitState(sluice.submit(new ProcessUser(7)).id(), JobState.SUCCEEDED);
    awaitState(sluice.submit(new ProcessUser(99)).id(), JobState.SUCCEEDED);
    assertThat(limit(user)).as("the new number").hasValue(3);
    assertThat(limit(special)).as("a key may have a number of its own").hasValue(2);
  }

  private OptionalInt limit(Group group) {
    return sluice.concurrency().status(group).limit();
  }
}
