package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.object.CephServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AwsCredentials;

/** The one command, as a newcomer types it. */
class RunIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** Enough for a program to print where its threads are. */
  private static final Duration DUMP = Duration.ofSeconds(5);

  @RegisterExtension private static final CephServer CEPH = new CephServer();

  @TempDir private Path directory;
  private Path temporary;
  private Path output;
  private Process run;

  @BeforeEach
  void open() throws IOException {
    temporary = Files.createDirectory(directory.resolve("tmp"));
    output = directory.resolve("output");
  }

  @AfterEach
  void close() {
    run.descendants().forEach(ProcessHandle::destroyForcibly);
    run.destroyForcibly();
  }

  @Test
  void run_aVideo_showsWhoRanWhenAndLeavesNothing() throws Exception {
    start("--videos", "1", "--seconds", "2", "--svg", "chart.svg");
    assertThat(run.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    String said = Files.readString(output);
    assertThat(run.exitValue()).as(said).isZero();
    assertThat(said)
        .contains("greedy-1 is number 1 of the catalogue")
        .containsPattern("disk_ffmpeg_hls +1 of 1 +\\| *A.*\\|");
    assertThat(directory.resolve("chart.svg")).content().contains("disk_ffmpeg_hls, 1 of 1");
    // Ceph ends when the program has.
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(temporary).isEmptyDirectory());
  }

  @Test
  void run_interrupted_takesItsProgramsAlongAndLeavesNothing() throws Exception {
    start("--videos", "1", "--seconds", "4", "--bucket", "interrupted");
    await().atMost(PATIENCE).until(this::holdsAProgram);
    List<ProcessHandle> programs = programs();
    send("INT", run.toHandle());
    boolean ended = run.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(ended).as(() -> ended ? "" : whatItDoes()).isTrue();
    assertThat(run.exitValue()).as(Files.readString(output)).isEqualTo(130);
    assertThat(programs).noneMatch(ProcessHandle::isAlive);
    assertThat(temporary).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({
    "--videos=0, '', 2, --videos and --seconds take whole numbers from 1.",
    "--svg=/no/such/directory/x.svg, '', 2, /no/such/directory/x.svg cannot be written",
    "--compare, DISK_CONCURRENCY=2, 2, Unset it.",
    "--videos=1, YTDLP_CONNECTIONS=0, 1, YTDLP_CONNECTIONS",
    "--videos=1, GREEDY_PER_JOB=abc, 1, GREEDY_PER_JOB",
    "--videos=1, S3_UPLOAD_PART_SIZE_MB=6000, 1, S3_UPLOAD_PART_SIZE_MB"
  })
  void run_withWhatCannotBe_saysSoBeforeItStartsAnything(
      String option, String variable, int exitCode, String words) throws Exception {
    String[] parts = variable.split("=");
    start(parts.length == 2 ? Map.of(parts[0], parts[1]) : Map.of(), option);
    assertThat(run.waitFor()).isEqualTo(exitCode);
    assertThat(output).content().contains(words).doesNotContain("starting Ceph", "\tat ");
  }

  /** Stops the program that transcodes, so that it cannot end by itself. */
  private boolean holdsAProgram() throws Exception {
    if (!Files.readString(output).contains("disk_ffmpeg_merge") || programs().isEmpty()) {
      return false;
    }
    ProcessHandle program = programs().get(0);
    send("STOP", program);
    return program.isAlive();
  }

  /** What it has said, and then where each of its threads is. */
  private String whatItDoes() {
    try {
      send("QUIT", run.toHandle());
      run.waitFor(DUMP.toMillis(), TimeUnit.MILLISECONDS);
      return Files.readString(output);
    } catch (Exception e) {
      return "what it does could not be read: " + e;
    }
  }

  private static void send(String signal, ProcessHandle process) throws Exception {
    new ProcessBuilder("kill", "-s", signal, String.valueOf(process.pid())).start().waitFor();
  }

  private List<ProcessHandle> programs() {
    return run.descendants()
        .filter(process -> process.info().command().orElse("").endsWith("ffmpeg"))
        .toList();
  }

  private void start(String... options) throws IOException {
    start(Map.of(), options);
  }

  private void start(Map<String, String> variables, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of("run").toAbsolutePath().toString());
    command.addAll(List.of(options));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    AwsCredentials keys = CEPH.credentials().resolveCredentials();
    builder.environment().put("AWS_ACCESS_KEY_ID", keys.accessKeyId());
    builder.environment().put("AWS_SECRET_ACCESS_KEY", keys.secretAccessKey());
    builder.environment().put("AWS_REGION", "us-east-1");
    builder.environment().put("AWS_ENDPOINT_URL_S3", CEPH.endpoint().toString());
    builder.environment().put("TMPDIR", temporary.toString());
    builder.environment().put("SLUICE_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary);
    builder.environment().remove("GREEDY_PER_JOB");
    builder.environment().putAll(variables);
    run = builder.start();
  }
}
