package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice tail} beside a real worker. */
class TailIT {
  @TempDir private Path directory;

  private String[] with(String... args) {
    String[] all = new String[args.length + 2];
    all[0] = "--store";
    all[1] = "file:" + directory.resolve("data");
    System.arraycopy(args, 0, all, 2, args.length);
    return all;
  }

  private static void awaitSaid(Program program, String text) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(program.out() + program.err()).contains(text));
  }

  @Test
  void tail_jobsLimitsAndWorkers_areTold() throws Exception {
    // What only reads creates no store.
    assertThat(Run.of(with("concurrency", "set", "other", "--limit", "1")).exitCode()).isZero();
    try (Program all = Program.start(with("tail"));
        Program one = Program.start(with("--json", "tail", "--task", "good"));
        Program group = Program.start(with("--json", "tail", "--group", "bad/k"));
        Program family = Program.start(with("--json", "tail", "--group", "bad/*"))) {
      awaitSaid(all, "Following.");
      awaitSaid(one, "Following.");
      awaitSaid(group, "Following.");
      awaitSaid(family, "Following.");
      try (Program worker =
          Program.start(
              with("worker", "--exec", "good=true", "--exec", "bad=exit 3", "--attempts", "1"))) {
        awaitSaid(all, "worker_started");
        assertThat(Run.of(with("concurrency", "set", "good", "--limit", "5")).exitCode()).isZero();
        String good = Run.of(with("submit", "good")).out().strip();
        String bad = Run.of(with("submit", "bad")).out().strip();
        String keyed = Run.of(with("submit", "bad", "--key", "k")).out().strip();
        awaitSaid(all, "limit_changed   good  none -> 5 at level operator by ");
        awaitSaid(all, "succeeded       " + good + " good");
        awaitSaid(all, "failed          " + bad + " bad");
        awaitSaid(group, keyed);
        awaitSaid(family, keyed);
        worker.signal("TERM");
        awaitSaid(all, "worker_gone");
        assertThat(one.out())
            .contains("\"what\":\"succeeded\",\"job\":\"" + good + "\",\"task\":\"good\"")
            .doesNotContain(bad)
            .doesNotContain("limit_changed");
        assertThat(group.out()).doesNotContain(good).doesNotContain(bad);
        assertThat(family.out()).doesNotContain(good).doesNotContain(bad);
      }
      all.signal("INT");
      assertThat(all.await().exitCode()).isZero();
    }
  }

  @Test
  void tail_storeAwayForAWhile_goesOn() throws Exception {
    assertThat(Run.of(with("concurrency", "set", "some/k", "--limit", "1")).exitCode()).isZero();
    try (Program tail = Program.start(with("tail", "--group", "some/*"))) {
      awaitSaid(tail, "Following.");
      Path data = directory.resolve("data");
      Path aside = directory.resolve("aside");
      Files.move(data, aside);
      Files.createFile(data);
      awaitSaid(tail, "Following goes on when the store answers.");
      Files.delete(data);
      Files.move(aside, data);
      awaitSaid(tail, "The store answers again.");
      assertThat(Run.of(with("concurrency", "set", "some/k", "--limit", "2")).exitCode()).isZero();
      awaitSaid(tail, "some/k  1 -> 2 at level operator");
      tail.signal("INT");
      assertThat(tail.await().exitCode()).isZero();
    }
  }
}
