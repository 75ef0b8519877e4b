package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceTest {
  @TempDir private Path root;
  private Workspace workspace;

  @BeforeEach
  void open() {
    workspace = new Workspace(root);
  }

  @Test
  void produce_again_findsWhatIsThere() throws Exception {
    workspace.produce("v", "a", draft -> Files.writeString(draft.resolve("f"), "first"));
    Path found =
        workspace.produce(
            "v",
            "a",
            draft -> {
              throw new IOException("not called");
            });
    assertThat(found.resolve("f")).hasContent("first");
  }

  /** Two attempts at once, for a worker lost its lease: the second to finish changes nothing. */
  @Test
  void produce_overtakenByAnotherAttempt_takesWhatThatMade() throws Exception {
    Path made =
        workspace.produce(
            "v",
            "a",
            slow -> {
              Files.writeString(slow.resolve("f"), "slow");
              workspace.produce("v", "a", quick -> Files.writeString(quick.resolve("f"), "quick"));
            });
    assertThat(made.resolve("f")).hasContent("quick");
    assertThat(root.resolve("v")).isDirectoryContaining(made::equals);
    assertThat(Files.list(root.resolve("v"))).hasSize(1);
  }

  @Test
  void produce_thatFails_leavesNoDraft() {
    assertThatThrownBy(
            () ->
                workspace.produce(
                    "v",
                    "a",
                    draft -> {
                      Files.writeString(draft.resolve("half"), "");
                      throw new IOException("broken");
                    }))
        .hasMessage("broken");
    assertThat(root.resolve("v")).isEmptyDirectory();
  }

  /** A worker that lost its lease and the one that followed it. */
  @Test
  void discard_byTwoAtATime_isDone() throws Exception {
    ExecutorService both = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 50; round++) {
        for (String step : List.of("a", "b", "c")) {
          workspace.produce("v", step, draft -> Files.writeString(draft.resolve("f"), step));
        }
        Callable<Void> discard =
            () -> {
              workspace.discard("v");
              return null;
            };
        for (Future<Void> done : both.invokeAll(List.of(discard, discard))) {
          done.get();
        }
        assertThat(root).isEmptyDirectory();
      }
    } finally {
      both.shutdownNow();
    }
  }

  @Test
  void discard_ofWhatIsNotThere_isDone() throws Exception {
    workspace.produce("v", "a", draft -> {});
    workspace.discard("v");
    workspace.discard("v");
    assertThat(root).isEmptyDirectory();
  }
}
