package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobRequest;
import dev.sluice.OnLimit;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * How long the number lasts that a submit brings along for a key: as long as a job or a permit of
 * the key is unfinished. It is forgotten with the last of them, and the next submit's number
 * counts.
 */
abstract class SubmitLimitContract extends ContractTopic {
  private static final Task<Integer> WORK = task("work");
  private static final Group KEY = WORK.group().key("k");

  SubmitLimitContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private void submit(Sluice process, int limit) {
    process.submit(WORK, 0, o -> o.concurrencyKey("k").concurrencyLimit(limit));
  }

  private OptionalInt limit() {
    return sluice.concurrency().status(KEY).limit();
  }

  @Test
  void firstNumber_holdsUntilTheLastJobHasFinished() {
    ManualWorker worker = manualWorker(WORK);
    submit(sluice, 1);
    submit(sluice, 5);
    assertThat(limit()).as("the first one's").hasValue(1);

    List<ClaimedJob> first = worker.claimAll("work", 9);
    assertThat(first).hasSize(1);
    worker.succeedAll(first);
    assertThat(limit()).as("while the second is in line").hasValue(1);
    submit(sluice, 7);
    List<ClaimedJob> second = worker.claimAll("work", 9);
    assertThat(second).as("under the first one's number").hasSize(1);
    worker.succeedAll(second);
    worker.succeedAll(worker.claimAll("work", 9));

    assertThat(limit()).as("forgotten with the last job").isEmpty();
    submit(sluice, 2);
    assertThat(limit()).as("the next submit's").hasValue(2);
  }

  @Test
  void numberOfOneProcess_isForgottenByAll() {
    Sluice other = anotherProcess();
    ManualWorker worker = manualWorker(WORK);
    for (int round = 0; round < 2; round++) {
      submit(sluice, 3);
      assertThat(limit()).hasValue(3);
      worker.succeedAll(worker.claimAll("work", 9));
      submit(other, 4);
      assertThat(limit()).hasValue(4);
      worker.succeedAll(worker.claimAll("work", 9));
    }
  }

  @Test
  void jobsOfOtherKeysSubmittedTogether_doNotKeepIt() {
    ManualWorker worker = manualWorker(WORK);
    sluice.submitEach(
        Stream.of("k", "other")
            .map(
                key ->
                    new JobRequest<>(
                        WORK, 0, SubmitOptions.DEFAULTS.concurrencyKey(key).concurrencyLimit(3)))
            .toList());
    List<ClaimedJob> both = worker.claimAll("work", 9);
    worker.succeedAll(
        both.stream().filter(job -> job.bond().limited().contains(KEY.toString())).toList());

    assertThat(limit()).isEmpty();
    submit(sluice, 8);
    assertThat(limit()).hasValue(8);
  }

  @Test
  void permit_keepsIt() {
    ManualWorker worker = manualWorker(WORK);
    SlotLease permit =
        sluice
            .concurrency()
            .tryAcquire(KEY, OptionalInt.of(2), "me", "here", Duration.ofMinutes(1))
            .orElseThrow();
    submit(sluice, 6);
    worker.succeedAll(worker.claimAll("work", 9));
    assertThat(limit()).as("while the permit is held").hasValue(2);

    sluice.concurrency().release(permit);
    assertThat(limit()).isEmpty();
    submit(sluice, 6);
    assertThat(limit()).hasValue(6);
  }

  /** Whether the number of a job that is refused counts is left to the store. */
  @Test
  void forgottenNumber_jobSubmittedAlongWithARejectedOne_isStored() {
    ManualWorker worker = manualWorker(WORK);
    submit(sluice, 1);
    worker.succeedAll(worker.claimAll("work", 9));
    sluice.concurrency().setLimit(WORK.group(), 0);

    List<Submission> answers =
        sluice.submitEach(
            List.of(
                new JobRequest<>(
                    WORK,
                    0,
                    SubmitOptions.DEFAULTS
                        .concurrencyKey("k")
                        .concurrencyLimit(2)
                        .onLimit(OnLimit.REJECT)),
                new JobRequest<>(
                    WORK, 0, SubmitOptions.DEFAULTS.concurrencyKey("k").concurrencyLimit(3))));

    assertThat(answers.get(0)).isInstanceOf(Submission.Rejected.class);
    assertThat(answers.get(1)).isInstanceOf(Submission.Submitted.class);
    assertThat(limit().orElseThrow()).isIn(2, 3);
  }

  @Test
  void forgottenNumber_isNotThatOfJobsWithoutOne() {
    ManualWorker worker = manualWorker(WORK);
    submit(sluice, 1);
    worker.succeedAll(worker.claimAll("work", 9));

    for (int i = 0; i < 5; i++) {
      sluice.submit(WORK, 0, o -> o.concurrencyKey("k"));
    }
    assertThat(limit()).isEmpty();
    assertThat(worker.claimAll("work", 9)).hasSize(5);
  }
}
