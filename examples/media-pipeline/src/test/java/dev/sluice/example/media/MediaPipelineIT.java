package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.example.media.Video.Rendition;
import dev.sluice.object.CephServer;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.s3.S3Transfer;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.WorkflowRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.S3Object;

/** The pipeline from end to end: real programs, a real bucket, a real database. */
class MediaPipelineIT {
  private static final int SECONDS = 4;
  private static final int CONNECTIONS = 3;
  private static final int TOGETHER = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<Rendition> RENDITIONS =
      List.of(new Rendition("240p", 240, 300), new Rendition("144p", 144, 150));

  @RegisterExtension private static final CephServer CEPH = new CephServer();

  @TempDir private static Path shared;
  private static EmbeddedPostgres postgres;

  @TempDir private Path directory;
  private final RequestLog requests = new RequestLog(TOGETHER);
  private Origin origin;
  private S3Client direct;
  private String bucket;

  @BeforeAll
  static void openShared() throws Exception {
    postgres = EmbeddedPostgres.join(shared.resolve("postgres"));
    Path clip = Files.createDirectories(shared.resolve("origin").resolve("clip-1"));
    SampleVideo.make(clip, SECONDS);
    Files.createSymbolicLink(clip.resolveSibling("clip-2"), clip);
  }

  @AfterAll
  static void closeShared() {
    postgres.close();
  }

  @BeforeEach
  void open() throws IOException {
    origin = new Origin(shared.resolve("origin"), requests);
    direct = client().build();
    bucket = "media-" + UUID.randomUUID();
  }

  @AfterEach
  void close() {
    direct.close();
    origin.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void videos_goFromTheirOriginToThePlaylist_withinEveryLimit(boolean greedy) throws Exception {
    List<String> ids = List.of("clip-1", "clip-2");
    try (Studio studio = studio(Map.of("GREEDY_PER_JOB", String.valueOf(greedy)))) {
      List<UUID> runs = ids.stream().map(id -> studio.start(video(id, RENDITIONS))).toList();
      assertThat(mostHeavyJobs(studio, runs))
          .as("jobs that have a slot, and so a place on the disk")
          .isBetween(1L, (long) studio.throttles().disk().limit());
      for (UUID run : runs) {
        WorkflowRun ended = studio.await(run);
        assertThat(ended.state()).as(String.valueOf(ended.message())).isEqualTo(RunState.SUCCEEDED);
      }
      for (int i = 0; i < ids.size(); i++) {
        assertFetchedInPieces(ids.get(i));
        assertComplete(studio, ids.get(i), runs.get(i));
      }
      assertThat(studio.throttles().disk().limit())
          .isEqualTo(greedy ? 1 : studio.throttles().cpu().cores());
      assertWithinLimits(studio, ids.size());
    }
    assertThat(directory.resolve("work")).isEmptyDirectory();
  }

  /** How many jobs that share the disk were on record as running at once, until all has ended. */
  private static long mostHeavyJobs(Studio studio, List<UUID> runs) {
    Set<String> heavy =
        Set.of(
            MediaPipeline.FETCH.name(), MediaPipeline.MERGE.name(), MediaPipeline.TRANSCODE.name());
    JobQuery running = JobQuery.ALL.states(JobState.RUNNING);
    AtomicLong most = new AtomicLong();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              long now =
                  studio.jobs().list(running).items().stream()
                      .filter(job -> heavy.contains(job.task()))
                      .count();
              most.accumulateAndGet(now, Math::max);
              return runs.stream().allMatch(studio::hasEnded);
            });
    return most.get();
  }

  /** Several at once, by one yt-dlp, and sound and picture apart: so the merge was one. */
  private void assertFetchedInPieces(String id) {
    assertThat(requests.peak(id)).isBetween(TOGETHER, CONNECTIONS);
    for (String track : List.of("stream0", "stream1")) {
      assertThat(requests.paths()).contains("/" + id + "/init-" + track + ".m4s");
      for (int fragment = 1; fragment <= SECONDS; fragment++) {
        assertThat(requests.paths())
            .contains("/%s/chunk-%s-%05d.m4s".formatted(id, track, fragment));
      }
    }
  }

  /** The bucket has what was sent and what its playlists name, and it can be played to the end. */
  private void assertComplete(Studio studio, String id, UUID run) throws Exception {
    Map<String, String> sent = new TreeMap<>();
    long bytes = 0;
    for (JsonNode upload : studio.result(run, "upload")) {
      sent.put(upload.get("key").asText(), upload.get("checksum").asText());
      bytes += upload.get("bytes").asLong();
    }
    Path copy = directory.resolve("copy");
    assertThat(download(id + "/", copy)).isEqualTo(sent);
    for (Rendition rendition : RENDITIONS) {
      Path playlist = copy.resolve(id).resolve(rendition.name()).resolve("index.m3u8");
      List<String> segments =
          Files.readAllLines(playlist).stream().filter(line -> line.endsWith(".ts")).toList();
      assertThat(segments).hasSize(SECONDS / 2);
      assertThat(segments).allSatisfy(name -> assertThat(playlist.resolveSibling(name)).exists());
    }
    assertPlayable(copy.resolve(id).resolve("master.m3u8"));
    assertThat(recorded(id)).isEqualTo(List.of(id + "/master.m3u8", (long) sent.size(), bytes));
  }

  private static void assertPlayable(Path playlist) throws Exception {
    JsonNode probed =
        new ObjectMapper()
            .readTree(
                output(
                    "ffprobe",
                    "-v",
                    "error",
                    "-of",
                    "json",
                    "-show_format",
                    "-show_streams",
                    playlist.toString()));
    assertThat(probed.at("/format/duration").asDouble()).isCloseTo(SECONDS, within(0.3));
    assertThat(probed.get("streams").findValuesAsText("codec_name"))
        .containsExactlyInAnyOrder("h264", "aac", "h264", "aac");
    assertThat(probed.get("streams").findValues("height").stream().map(JsonNode::asInt))
        .containsExactlyInAnyOrder(240, 144);
    assertThat(
            output(
                "ffmpeg", "-v", "error", "-i", playlist.toString(), "-map", "0", "-f", "null", "-"))
        .as("complaints while it was played")
        .isEmpty();
  }

  /** By what the programs, the S3 client and the transactions noted, not by the throttles. */
  private static void assertWithinLimits(Studio studio, int videos) {
    Timeline timeline = studio.timeline();
    Map<Label, Integer> expected = new HashMap<>();
    expected.put(Label.FETCH, videos);
    expected.put(Label.MERGE, videos);
    expected.put(Label.TRANSCODE, videos * RENDITIONS.size());
    expected.put(Label.UPLOAD, videos * (1 + RENDITIONS.size() * (1 + SECONDS / 2)));
    for (Label label : Label.values()) {
      int limit = label.throttle(studio.throttles()).limit();
      assertThat(timeline.lanes(label::equals).size()).as(label.toString()).isBetween(1, limit);
      assertThat(timeline.spans().stream().filter(span -> span.label() == label))
          .as(label.toString())
          .hasSizeGreaterThanOrEqualTo(expected.getOrDefault(label, videos));
    }
    assertThat(
            timeline.lanes(
                label -> label.throttle(studio.throttles()) == studio.throttles().disk()))
        .as("everything on disk and cores")
        .hasSizeLessThanOrEqualTo(studio.throttles().disk().limit());
  }

  @Test
  void transcoding_thatFails_saysWhyAndLeavesNothing() throws Exception {
    try (Studio studio = studio(Map.of())) {
      UUID run = studio.start(video("clip-1", List.of(new Rendition("odd", 7, 100))));
      WorkflowRun ended = studio.await(run);
      assertThat(ended.state()).isEqualTo(RunState.FAILED);
      assertThat(ended.message().orElseThrow())
          .contains("ffmpeg ended with exit code", "height not divisible by 2");
      assertThat(directory.resolve("work")).isEmptyDirectory();
    }
  }

  @Test
  void run_thatIsCalledOff_takesItsProgramsAlong() throws Exception {
    RequestLog never = new RequestLog(Integer.MAX_VALUE); // so that yt-dlp has to wait
    origin.close();
    origin = new Origin(shared.resolve("origin"), never);
    try (Studio studio = studio(Map.of())) {
      UUID run = studio.start(video("clip-1", RENDITIONS));
      await()
          .atMost(PATIENCE)
          .until(() -> never.paths().stream().anyMatch(p -> p.contains("chunk")));
      List<ProcessHandle> programs =
          ProcessHandle.current().descendants().filter(MediaPipelineIT::isFetch).toList();
      assertThat(programs).isNotEmpty();
      studio.cancel(run);
      assertThat(studio.await(run).state()).isEqualTo(RunState.CANCELLED);
      await().atMost(PATIENCE).until(() -> programs.stream().noneMatch(ProcessHandle::isAlive));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(directory.resolve("work/clip-1")).isEmptyDirectory());
    }
  }

  private static boolean isFetch(ProcessHandle process) {
    return process.info().arguments().map(List::of).orElse(List.of()).stream()
        .anyMatch(argument -> argument.endsWith("clip-1/" + SampleVideo.MANIFEST));
  }

  private Video video(String id, List<Rendition> renditions) {
    return new Video(id, origin.url(id + "/" + SampleVideo.MANIFEST), renditions);
  }

  private Studio studio(Map<String, String> variables) throws Exception {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("YTDLP_CONNECTIONS", String.valueOf(CONNECTIONS));
    environment.put("S3_UPLOAD_CONCURRENCY", "2");
    execute("DROP TABLE IF EXISTS video");
    return new Studio(
        new Studio.Surroundings(
            "embedded:" + postgres.dataDirectory(),
            postgres.dataSource(),
            MediaPipelineIT::client,
            bucket,
            new Workspace(Files.createDirectories(directory.resolve("work")))),
        new Environment(environment),
        span -> {});
  }

  private static S3ClientBuilder client() {
    return S3Transfer.clientBuilder()
        .endpointOverride(CEPH.endpoint())
        .credentialsProvider(CEPH.credentials())
        .region(Region.US_EAST_1)
        .forcePathStyle(true);
  }

  /** Copies every object below a prefix: its key and the checksum of its bytes. */
  private Map<String, String> download(String prefix, Path to) throws IOException {
    Map<String, String> checksums = new TreeMap<>();
    for (S3Object object : direct.listObjectsV2(r -> r.bucket(bucket).prefix(prefix)).contents()) {
      byte[] bytes = direct.getObjectAsBytes(r -> r.bucket(bucket).key(object.key())).asByteArray();
      Path file = to.resolve(object.key());
      Files.createDirectories(file.getParent());
      Files.write(file, bytes);
      CRC32C crc = new CRC32C();
      crc.update(bytes);
      checksums.put(object.key(), "crc32c:%08x".formatted(crc.getValue()));
    }
    return checksums;
  }

  private static List<Object> recorded(String id) throws SQLException {
    try (Connection connection = postgres.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT playlist, files, bytes FROM video WHERE id = '" + id + "'")) {
      assertThat(row.next()).as("a record of " + id).isTrue();
      return List.of(row.getString(1), row.getLong(2), row.getLong(3));
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = postgres.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String output(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes()).strip();
    assertThat(process.waitFor()).as(text).isZero();
    return text;
  }
}
