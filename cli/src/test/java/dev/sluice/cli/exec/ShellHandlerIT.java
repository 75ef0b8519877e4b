package dev.sluice.cli.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.LeaseLostException;
import dev.sluice.RetryableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real commands, with real watchdogs, ended in every way there is. */
class ShellHandlerIT {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final JsonNode NOTHING = NullNode.instance;

  @TempDir private Path directory;

  private static String run(String command, JsonNode payload) throws Exception {
    return new ShellHandler(command, LEASE, Set.of()).handle(payload, new LeasedContext(LEASE));
  }

  @Test
  void handle_exitCodeZero_returnsWhatWasPrinted() throws Exception {
    JsonNode payload = JsonNodeFactory.instance.objectNode().put("who", "Ada\n\"Łukasz\" 🚀");
    assertThat(run("cat; echo done", payload)).isEqualTo(payload + "\ndone");
  }

  @Test
  void handle_largePayload_arrivesWhole() throws Exception {
    JsonNode payload = JsonNodeFactory.instance.textNode("x".repeat(900_000));
    assertThat(run("wc -c", payload)).isEqualTo("900003");
  }

  @Test
  void handle_environment_tellsTheJobApart() throws Exception {
    LeasedContext context = new LeasedContext(LEASE);
    String printed =
        new ShellHandler(
                "echo $SLUICE_JOB_ID $SLUICE_TASK $SLUICE_ATTEMPT $SLUICE_FENCING_TOKEN",
                LEASE,
                Set.of())
            .handle(NOTHING, context);
    assertThat(printed).isEqualTo(context.jobId() + " grüße/🚀 2 7");
  }

  @Test
  void handle_otherExitCode_failsWithTheEndOfStandardError() {
    assertThatThrownBy(() -> run("seq 1 5000 >&2; echo out of paper >&2; exit 3", NOTHING))
        .isInstanceOf(RetryableException.class)
        .hasMessageStartingWith("The command ended with exit code 3: …")
        .hasMessageEndingWith("5000\nout of paper")
        // What is longer would lose its end on record.
        .satisfies(e -> assertThat(e.getMessage()).hasSizeBetween(900, 1_000));
  }

  @Test
  void handle_commandKilledBySignal_saysWhich() {
    assertThatThrownBy(() -> run("kill -SEGV $$", NOTHING)).hasMessageContaining("signal 11");
  }

  @Test
  void handle_unknownCommand_fails() {
    assertThatThrownBy(() -> run("no-such-program-here", NOTHING))
        .hasMessageContaining("exit code 127")
        .hasMessageContaining("no-such-program-here");
  }

  @Test
  void handle_endlessOutput_isCutAndSaysSo() throws Exception {
    String result = run("head -c 300000 /dev/zero | tr '\\0' x", NOTHING);
    assertThat(result).startsWith("xxx").endsWith("… (cut: 300,000 bytes were printed)");
    assertThat(result.length()).isLessThan(66_000);
  }

  @Test
  void handle_processLeftInTheBackground_endsWithTheCommand() throws Exception {
    Path beats = directory.resolve("beats");
    run("(while :; do echo x >>" + beats + "; sleep 0.05; done) & sleep 0.3", NOTHING);
    assertStandsStill(beats);
  }

  @Test
  void handle_interrupted_letsTheCommandEndInOrder() throws Exception {
    Path note = directory.resolve("note");
    Path trapped = directory.resolve("trapped");
    Running running =
        start(
            "trap 'echo tidied >%s; exit 0' TERM; touch %s; while :; do sleep 0.05; done"
                .formatted(note, trapped));
    await().until(() -> Files.exists(trapped));
    running.interrupt();
    assertThatThrownBy(running::join).hasCauseInstanceOf(InterruptedException.class);
    assertThat(note).hasContent("tidied");
  }

  @Test
  void handle_interrupted_waitsForTheWholeGroupToEndInOrder() throws Exception {
    Path note = directory.resolve("note");
    Path trapped = directory.resolve("trapped");
    Path script = directory.resolve("script");
    Files.writeString(
        script,
        "trap 'sleep 1; echo cleaned up >%s; exit 0' TERM\ntouch %s\nwhile :; do sleep 0.05; done"
            .formatted(note, trapped));
    // The shell around the script has no trap and dies at once.
    Running running = start("sh " + script + "; echo over");
    await().until(() -> Files.exists(trapped));
    running.interrupt();
    long start = System.nanoTime();
    assertThatThrownBy(running::join).hasCauseInstanceOf(InterruptedException.class);
    assertThat(note).hasContent("cleaned up");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isLessThan(ShellHandler.TERMINATION_GRACE);
  }

  @Test
  void handle_childDeafToTerm_isKilledAfterTheGrace() throws Exception {
    Path beats = directory.resolve("beats");
    Path script = directory.resolve("script");
    Files.writeString(script, "trap '' TERM\nwhile :; do echo x >>" + beats + "; sleep 0.05; done");
    Running running = start("sh " + script + "; echo over");
    await().until(() -> Files.exists(beats));
    long start = System.nanoTime();
    running.context.cancelled = true;
    assertThatThrownBy(running::join).hasCauseInstanceOf(InterruptedException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(ShellHandler.TERMINATION_GRACE, ShellHandler.TERMINATION_GRACE.plusSeconds(3));
    assertStandsStill(beats);
  }

  @Test
  void handle_cancelledAndDeafToTerm_isKilledWithItsChildren() throws Exception {
    Path beats = directory.resolve("beats");
    Running running = start("trap '' TERM; while :; do echo x >>" + beats + "; sleep 0.05; done");
    await().until(() -> Files.exists(beats));
    long start = System.nanoTime();
    running.context.cancelled = true;
    assertThatThrownBy(running::join).hasCauseInstanceOf(InterruptedException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(ShellHandler.TERMINATION_GRACE, ShellHandler.TERMINATION_GRACE.plusSeconds(3));
    assertStandsStill(beats);
  }

  @Test
  void handle_leaseRunsOut_endsTheCommandAtOnce() throws Exception {
    Path beats = directory.resolve("beats");
    Running running =
        start(
            "trap '' TERM; while :; do echo x >>" + beats + "; sleep 0.05; done",
            Duration.ofSeconds(1));
    long start = System.nanoTime();
    assertThatThrownBy(running::join).hasCauseInstanceOf(LeaseLostException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
    assertStandsStill(beats);
  }

  @Test
  void handle_watchdogKilled_endsTheUnwatchedCommand() throws Exception {
    Path beats = directory.resolve("beats");
    Path self = directory.resolve("pid");
    Running running =
        start("echo $$ >" + self + "; while :; do echo x >>" + beats + "; sleep 0.05; done");
    await().until(() -> Files.exists(beats));
    String group = Files.readString(self).strip();
    ProcessHandle watchdog =
        ProcessHandle.allProcesses()
            .filter(p -> commandLine(p).contains("sluice-watchdog " + group + " "))
            .findFirst()
            .orElseThrow();
    watchdog.destroyForcibly();
    assertThatThrownBy(running::join).hasMessageContaining("watchdog is gone");
    assertStandsStill(beats);
  }

  @Test
  void workerKilled_endsTheCommandAtOnce() throws Exception {
    Path beats = directory.resolve("beats");
    Process worker = worker(Duration.ofSeconds(30), beats);
    await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(beats));
    worker.destroyForcibly().waitFor();
    await()
        .pollDelay(Duration.ofMillis(200))
        .atMost(Duration.ofSeconds(2))
        .until(() -> standsStill(beats));
  }

  @Test
  void workerFrozen_endsTheCommandBeforeTheLeaseIsOver() throws Exception {
    Duration lease = Duration.ofSeconds(3);
    Path beats = directory.resolve("beats");
    Process worker = worker(lease, beats);
    try {
      await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(beats));
      assertThat(worker.isAlive()).isTrue();
      long frozenAt = System.nanoTime();
      signal("STOP", worker.pid());
      await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(lease.plusSeconds(3))
          .until(() -> standsStill(beats));
      // The last renewal was at the freeze at the latest; standsStill itself takes its time.
      assertThat(Duration.ofNanos(System.nanoTime() - frozenAt)).isLessThan(lease.plusMillis(700));
    } finally {
      signal("KILL", worker.pid());
      worker.waitFor(5, TimeUnit.SECONDS);
    }
  }

  private Process worker(Duration lease, Path beats) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            ShellWorker.class.getName(),
            String.valueOf(lease.toMillis()),
            "trap '' TERM HUP; while :; do echo x >>" + beats + "; sleep 0.05; done")
        .inheritIO()
        .start();
  }

  private static void signal(String name, long pid) throws Exception {
    new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).start().waitFor();
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline")).replace('\0', ' ');
    } catch (IOException e) {
      return "";
    }
  }

  private static boolean standsStill(Path beats) throws Exception {
    List<String> before = Files.readAllLines(beats);
    // Several beats of the command: nothing may come in this time.
    Thread.sleep(300);
    return Files.readAllLines(beats).equals(before);
  }

  private static void assertStandsStill(Path beats) throws Exception {
    assertThat(standsStill(beats)).as("the command writes no more").isTrue();
  }

  private Running start(String command) {
    return start(command, LEASE);
  }

  private Running start(String command, Duration lease) {
    return new Running(command, new LeasedContext(lease), lease);
  }

  /** A command on a thread of its own, as in a worker. */
  private static final class Running {
    final LeasedContext context;
    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final Thread thread;

    Running(String command, LeasedContext context, Duration lease) {
      this.context = context;
      this.thread =
          new Thread(
              () -> {
                try {
                  result.complete(
                      new ShellHandler(command, lease, Set.of()).handle(NOTHING, context));
                } catch (Exception e) {
                  result.completeExceptionally(e);
                }
              });
      thread.start();
    }

    void interrupt() {
      thread.interrupt();
    }

    String join() throws Exception {
      return result.get(20, TimeUnit.SECONDS);
    }
  }
}
