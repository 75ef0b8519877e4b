package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.PermanentFailure;
import dev.sluice.RetryableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;

  @Test
  void failure_isToldWithTheLastWords() {
    assertThatThrownBy(() -> sh("seq 1 100000; echo 'no such codec' >&2; exit 3"))
        .isInstanceOf(RetryableException.class)
        .hasMessageContainingAll("sh ended with exit code 3", "99999", "100000\nno such codec")
        .hasMessageNotContaining("99950");
  }

  @Test
  void output_muchOfIt_isRead() throws Exception {
    sh("seq 1 1000000; touch done");
    assertThat(directory.resolve("done")).exists();
  }

  @Test
  void input_isEmpty() throws Exception {
    sh("cat; touch done");
    assertThat(directory.resolve("done")).exists();
  }

  @Test
  void program_thatIsNotThere_failsForGoodWithARemedy() {
    assertThatThrownBy(() -> Program.run(directory, List.of("no-such-program-here")))
        .isInstanceOf(PermanentFailure.class)
        .hasMessageContainingAll("no-such-program-here is not installed", "apt-get install");
  }

  /** A shell, its child, and the child of that; all of them ignore polite requests. */
  @Test
  void interrupt_killsTheProgramAndItsChildrenBeforeItGoesOn() throws Exception {
    FutureTask<Void> work =
        new FutureTask<>(
            () -> {
              sh(
                  "trap '' TERM INT; echo $$ > a; sh -c 'echo $$ > b; sleep 1000 & echo $! > c; wait'; true");
              return null;
            });
    Thread thread = new Thread(work);
    thread.start();
    await()
        .atMost(PATIENCE)
        .until(
            () -> Files.exists(directory.resolve("c")) && Files.size(directory.resolve("c")) > 0);
    List<ProcessHandle> tree = List.of(process("a"), process("b"), process("c"));
    thread.interrupt();
    assertThatThrownBy(work::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(tree).noneMatch(ProcessHandle::isAlive);
  }

  private ProcessHandle process(String file) throws Exception {
    long id = Long.parseLong(Files.readString(directory.resolve(file)).strip());
    return ProcessHandle.of(id).orElseThrow();
  }

  private void sh(String script) throws Exception {
    Program.run(directory, List.of("sh", "-c", script));
  }
}
