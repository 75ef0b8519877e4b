package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.Sluice;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice top} on a pseudo-terminal, which {@code script} of util-linux makes. */
class TopIT {
  private static final String ENTER = "\u001b[?1049h";
  private static final String LEAVE = "\u001b[?1049l";

  @TempDir private Path directory;
  private Sluice sluice;
  private Process terminal;

  @BeforeEach
  void fill() {
    sluice = Sluice.open(store());
    for (String name : new String[] {"alpha", "beta"}) {
      sluice.concurrency().setLimit(name, 2);
      sluice
          .concurrency()
          .tryAcquire(
              Group.of(name), OptionalInt.empty(), "holder-of-" + name, "w", Duration.ofMinutes(5));
    }
  }

  @AfterEach
  void end() {
    terminal.descendants().forEach(ProcessHandle::destroyForcibly);
    terminal.destroyForcibly();
    sluice.close();
  }

  private String store() {
    return "file:" + directory.resolve("data");
  }

  private void start(int rows, int columns) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String command =
        "stty rows %d cols %d; echo $$ >%s; tty >%s; exec %s -XX:TieredStopAtLevel=1 -jar %s --store %s top --every 200ms"
            .formatted(
                rows,
                columns,
                directory.resolve("pid"),
                directory.resolve("tty"),
                java,
                Path.of("target", "sluice.jar").toAbsolutePath(),
                store());
    ProcessBuilder builder =
        new ProcessBuilder("script", "-qefc", command, directory.resolve("screen").toString())
            .redirectOutput(directory.resolve("out").toFile())
            .redirectErrorStream(true);
    builder.environment().put("TERM", "xterm-256color");
    builder.environment().put("LC_ALL", "C.UTF-8");
    terminal = builder.start();
  }

  private String screen() throws IOException {
    Path screen = directory.resolve("screen");
    return Files.exists(screen)
        ? new String(Files.readAllBytes(screen), StandardCharsets.UTF_8)
        : "";
  }

  /** What was drawn last: everything from the last time the cursor went to the corner. */
  private String frame() throws IOException {
    String screen = screen();
    return screen
        .substring(Math.max(0, screen.lastIndexOf("\u001b[H")))
        .replaceAll("\u001b\\[[0-9;?]*[A-Za-z]|\r", "");
  }

  private void awaitFrame(String... texts) {
    await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(frame()).contains(texts));
  }

  private void type(String keys) throws IOException {
    OutputStream input = terminal.getOutputStream();
    input.write(keys.getBytes(StandardCharsets.US_ASCII));
    input.flush();
  }

  private void assertRestored() throws Exception {
    assertThat(terminal.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(screen().lastIndexOf(LEAVE)).isGreaterThan(screen().lastIndexOf(ENTER));
    assertThat(screen().substring(screen().lastIndexOf(LEAVE))).doesNotContain("\u001b[H");
    assertThat(screen()).contains("\u001b[?25l").containsPattern("\u001b\\[\\?(12;)?25h");
  }

  @Test
  void top_keysAndChanges_areShownAndQQuits() throws Exception {
    start(30, 110);
    awaitFrame("sluice top", "WAIT P95", "alpha", "beta", "slots of ", "holder-of-", "q quits");
    awaitFrame(">  alpha");
    // An arrow of which the rest comes late.
    type("\u001b");
    sluice.concurrency().setLimit("beta", 7);
    awaitFrame("     7  ");
    type("[B");
    awaitFrame(">  beta", "slots of beta", "holder-of-beta");
    type("q");
    assertRestored();
    assertThat(terminal.exitValue()).isZero();
  }

  @Test
  void top_narrowTerminalThatGrows_fits() throws Exception {
    start(10, 40);
    awaitFrame("alpha", "ACTIVE");
    assertThat(frame().lines()).hasSizeLessThanOrEqualTo(10).allMatch(line -> line.length() <= 40);
    assertThat(frame()).doesNotContain("WAITING");
    String tty = Files.readString(directory.resolve("tty")).strip();
    new ProcessBuilder("stty", "-F", tty, "rows", "30", "cols", "110").start().waitFor();
    awaitFrame("WAIT P95", "slots of alpha");
    type("q");
    assertRestored();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void top_signal_restoresTheTerminal(String signal) throws Exception {
    start(24, 80);
    awaitFrame("alpha");
    String pid = Files.readString(directory.resolve("pid")).strip();
    new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).start().waitFor();
    assertRestored();
    assertThat(terminal.exitValue()).isZero();
  }

  @Test
  void top_ctrlC_quits() throws Exception {
    start(24, 80);
    awaitFrame("alpha");
    type("\u0003");
    assertRestored();
    assertThat(terminal.exitValue()).isZero();
  }
}
