package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands on a real store. */
class StoreCommandsIT {
  private static Run sluice(String... args) {
    return Run.of(TestStore.with(StoreCommandsIT.class, args));
  }

  private static String newTask() {
    return "task-" + UUID.randomUUID();
  }

  @Test
  void submit_oneJob_printsItsIdAndShowsIt() {
    String task = newTask();
    Run submitted = sluice("submit", task, "--payload", "{\"who\": \"Łukasz 🚀\"}", "--key", "k");
    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    String id = submitted.out().strip();
    assertThat(UUID.fromString(id)).isNotNull();
    Run shown = sluice("jobs", "show", id);
    assertThat(shown.out()).contains(id, task, "ready", task + "/k", "Łukasz 🚀");
    assertThat(sluice("--json", "jobs", "show", id).out())
        .contains("\"state\":\"ready\"", "\"payload\":{\"who\":");
    assertThat(sluice("jobs", "list", "--task", task, "--state", "ready").out()).contains(id);
  }

  @Test
  void doctor_storeInUse_showsServerSchemaAndJobs() {
    // Of its own: jobs of other tests may have been due for long.
    String[] store = {"--store", TestStore.url(), "--schema", "cli_doctor_" + System.nanoTime()};
    assertThat(Run.of(plus(store, "submit", newTask())).exitCode()).isZero();
    Run doctor = Run.of(plus(store, "doctor"));
    assertThat(doctor.exitCode()).as(doctor.err()).isZero();
    assertThat(doctor.out())
        .contains("PostgreSQL", "a query takes", "as this Sluice knows it", " ready")
        .endsWith("Everything is as it should be.\n");
    assertThat(Run.of(plus(store, "--json", "doctor")).out())
        .contains("\"healthy\":true", "\"query_median_ms\":", "\"alerts\":[]");
  }

  private static String[] plus(String[] args, String... more) {
    return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void submit_badPayload_submitsNothing() {
    String task = newTask();
    assertThat(sluice("submit", task, "--payload", "{oops}").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(sluice("jobs", "list", "--task", task).err()).contains("No jobs match");
  }

  @Test
  void submit_groupFullAndReject_isRejected() {
    String group = newTask();
    String[] args = {"submit", "t", "--group", group, "--limit", "1", "--on-limit", "reject"};
    assertThat(sluice(args).exitCode()).isZero();
    Run second = sluice(args);
    assertThat(second.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(second.err()).contains("ConcurrencyLimitReached", group, "limit of 1");
  }

  @Test
  void submit_perDimension_isInItsGroup() {
    String task = newTask();
    String id =
        sluice("submit", task, "--per", "tenant=acme", "--per", "region=eu=1").out().strip();
    assertThat(sluice("jobs", "show", id).out())
        .contains(task + "/tenant=acme", task + "/region=eu%3D1");
    assertThat(sluice("submit", task, "--per", "tenant").err())
        .contains("--per", "'tenant'", "DIMENSION=VALUE");
  }

  @Test
  void submit_byNameWithAPointerOnRecord_isRejectedInItsGroup() {
    String task = newTask();
    Run set = sluice("concurrency", "set", task + "/tenant=*", "--limit", "2", "--pointer", "/id");
    assertThat(set.exitCode()).as(set.err()).isZero();
    assertThat(sluice("concurrency", "status", task + "/tenant=*").out()).contains("pointer  /id");

    Run run =
        sluice("submit", task, "--payload", "{\"id\":7}", "--count", "3", "--on-limit", "reject");

    assertThat(run.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(run.lines()).hasSize(2);
    assertThat(run.err()).contains("ConcurrencyLimitReached", task + "/tenant=7", "limit of 2");
  }

  @Test
  void concurrencySet_pointerMistakes_sayTheRemedy() {
    String task = newTask();
    assertThat(sluice("concurrency", "set", task, "--limit", "2", "--pointer", "/id").err())
        .contains("'" + task + "'", task + "/tenant=*");
    assertThat(sluice("concurrency", "set", task + "/t=*", "--limit", "2", "--pointer", "id").err())
        .contains("'id'", "slash");
    assertThat(sluice("concurrency", "set", task + "/t=*", "--remove", "--pointer", "/id").err())
        .contains("--pointer goes with --limit");
  }

  @Test
  void submit_sameDedupeKey_isADuplicate() {
    String task = newTask();
    Run first = sluice("submit", task, "--dedupe-key", "once");
    Run second = sluice("submit", task, "--dedupe-key", "once");
    assertThat(second.exitCode()).isZero();
    assertThat(second.out()).isEqualTo(first.out());
    assertThat(second.err()).contains("duplicate");
  }

  @Test
  void jobs_cancelAndRetry_changeTheState() {
    String id = sluice("submit", newTask()).out().strip();
    assertThat(sluice("jobs", "retry", id).exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(sluice("jobs", "cancel", id).out()).contains("cancelled");
    Run again = sluice("jobs", "cancel", id);
    assertThat(again.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(again.err()).contains("is cancelled");
    assertThat(sluice("jobs", "retry", id).out()).contains("ready again");
  }

  @Test
  void jobs_unknownId_saysSo() {
    Run run = sluice("jobs", "show", UUID.randomUUID().toString());
    assertThat(run.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(run.err()).contains("There is no job");
  }

  @Test
  void jobs_longList_goesOnAtTheCursor() {
    String task = newTask();
    assertThat(sluice("submit", task, "--count", "5").lines()).hasSize(5).doesNotHaveDuplicates();
    Run first = sluice("jobs", "list", "--task", task, "--limit", "3");
    assertThat(first.lines()).hasSize(4);
    String cursor = first.err().replaceAll("(?s).*--cursor (\\S+).*", "$1");
    Run rest = sluice("jobs", "list", "--task", task, "--limit", "3", "--cursor", cursor);
    assertThat(rest.lines()).hasSize(3);
  }

  @Test
  void queues_pausedAndResumed_areListed() {
    String queue = newTask();
    assertThat(sluice("queues", "pause", queue).exitCode()).isZero();
    assertThat(sluice("queues", "list").out()).contains(queue, "paused");
    assertThat(sluice("--json", "queues", "list").lines())
        .anyMatch(line -> line.contains(queue) && line.contains("\"paused\":true"));
    assertThat(sluice("queues", "resume", queue).exitCode()).isZero();
    assertThat(sluice("--json", "queues", "pause", queue).lines())
        .containsExactly("{\"name\":\"" + queue + "\",\"paused\":true}");
    assertThat(sluice("--json", "queues", "resume", queue).lines())
        .containsExactly("{\"name\":\"" + queue + "\",\"paused\":false}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "50%", "k=v", "*", "it's \"quoted\"", "żółć", "🚀🚀", "日本", "a b"})
  void concurrency_anyName_isSetShownAndRemoved(String name) {
    String group = Group.of(name).toString();
    assertThat(sluice("concurrency", "set", group, "--limit", "3").out())
        .contains("'" + group + "': 3, set by an operator");
    assertThat(sluice("concurrency", "status").out()).contains(group);
    assertThat(sluice("concurrency", "status", group).out()).contains(group, "3, set by");
    assertThat(sluice("concurrency", "set", group, "--remove").out()).contains("no limit");
  }

  @Test
  void concurrency_family_holdsForEach() {
    String task = newTask();
    Run set = sluice("concurrency", "set", task + "/tenant=*", "--limit", "2");
    assertThat(set.out()).contains("2 for each");
    assertThat(sluice("--json", "concurrency", "status", task + "/tenant=acme").out())
        .contains("\"limit\":2", "\"inherited_from\":\"" + task + "/tenant=*\"");
  }

  @Test
  void release_heldSlot_needsForceAndSaysWhoHoldsIt() {
    Group group = Group.of(newTask());
    String[] store = TestStore.with(StoreCommandsIT.class);
    try (Sluice sluice = Sluice.open(SluiceOptions.url(store[1]).schema(store[3]))) {
      SlotLease lease =
          sluice
              .concurrency()
              .tryAcquire(group, OptionalInt.of(2), "ada", "pc-7", Duration.ofMinutes(5))
              .orElseThrow();
      String slot = String.valueOf(lease.slot());

      assertThat(sluice("concurrency", "status", group.toString()).out())
          .contains("ada", "pc-7", "LEASE LEFT");
      Run refused = sluice("concurrency", "release", group.toString(), slot);
      assertThat(refused.exitCode()).isEqualTo(ExitCode.NEGATIVE);
      assertThat(refused.err()).contains("ada", "pc-7", "--force");
      assertThat(sluice.concurrency().status(group).active()).isEqualTo(1);

      Run forced = sluice("concurrency", "release", group.toString(), slot, "--force");
      assertThat(forced.exitCode()).isZero();
      assertThat(forced.out()).contains("is free", "ada");
      assertThat(sluice.concurrency().status(group).active()).isZero();
      assertThat(sluice("concurrency", "release", group.toString(), slot, "--force").exitCode())
          .isEqualTo(ExitCode.NEGATIVE);
    }
  }
}
