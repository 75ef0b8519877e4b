package dev.sluice.throttle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.object.CephServer;
import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Setting;
import dev.sluice.throttle.Throttle;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Transfers to and from a real Ceph, behind a proxy that fails on purpose. */
@Timeout(120)
class S3TransferIT {
  private static final String BUCKET = CephServer.BUCKET;
  private static final int MEGABYTE = 1 << 20;

  @RegisterExtension private static final CephServer CEPH = new CephServer();

  @TempDir private Path directory;

  private final Throttle throttle = Throttle.of("s3", 3);
  private final Retry retry =
      S3Retry.from(new dev.sluice.throttle.Environment(Map.of()))
          .baseDelay(Duration.ofMillis(10))
          .build();
  private FailingProxy proxy;
  private S3Client client;
  private S3Client direct;
  private S3Transfer transfer;
  private String key;
  private Path file;
  private Path copy;

  @BeforeEach
  void open(TestInfo test) throws IOException {
    proxy = new FailingProxy(CEPH.endpoint());
    client = client(proxy.endpoint());
    direct = client(CEPH.endpoint());
    transfer = S3Transfer.of(client, throttle, retry, settings(5, 2, 3, 2));
    key = "transfers/" + test.getTestMethod().orElseThrow().getName();
    file = directory.resolve("file");
    copy = directory.resolve("copy");
  }

  private static S3Client client(URI endpoint) {
    return S3Transfer.clientBuilder()
        .endpointOverride(endpoint)
        .credentialsProvider(CEPH.credentials())
        .region(Region.US_EAST_1)
        .forcePathStyle(true)
        .build();
  }

  private static TransferSettings settings(int up, int queue, int down, int concurrency) {
    return new TransferSettings(
        new Setting(up, "test"),
        new Setting(queue, "test"),
        new Setting(down, "test"),
        new Setting(concurrency, "test"));
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    direct.close();
    proxy.close();
  }

  @Test
  void smallFile_goesInOneRequestAndComesBack() throws Exception {
    write(100_000);
    Transferred sent =
        transfer.upload(
            file, BUCKET, key, o -> o.contentType("text/plain").metadata("colour", "blue"));
    Transferred got = transfer.download(BUCKET, key, copy);
    assertThat(copy).hasSameBinaryContentAs(file);
    assertThat(got).usingRecursiveComparison().ignoringFields("took").isEqualTo(sent);
    assertThat(got.checksum()).hasValueSatisfying(sum -> assertThat(sum).startsWith("crc32c:"));
    assertThat(transfer.head(BUCKET, key).contentType()).isEqualTo("text/plain");
    assertThat(transfer.head(BUCKET, key).metadata()).containsEntry("colour", "blue");
    assertThat(throttle.stats()).containsOnlyKeys("s3_put", "s3_head", "s3_download");
  }

  @Test
  void upload_withALabel_countsUnderItWhateverItsSize() throws Exception {
    write(100_000);
    transfer.upload(file, BUCKET, key, o -> o.label("thumbnails"));
    assertThat(throttle.stats()).containsOnlyKeys("thumbnails");
    write(6 * MEGABYTE);
    transfer.upload(file, BUCKET, key, o -> o.label("thumbnails"));
    assertThat(throttle.stats()).containsOnlyKeys("thumbnails", "s3_head");
  }

  /** The SDK signs a stream of its own over plain http, and left it open. */
  @Test
  void upload_leavesNoFileOpen() throws Exception {
    write(6 * MEGABYTE);
    transfer.upload(file, BUCKET, key);
    write(1000);
    transfer.upload(file, BUCKET, key);
    try (Stream<Path> handles = Files.list(Path.of("/proc/self/fd"))) {
      assertThat(handles.filter(handle -> isOpen(handle, file))).isEmpty();
    }
  }

  private static boolean isOpen(Path handle, Path file) {
    try {
      return Files.readSymbolicLink(handle).equals(file.toRealPath());
    } catch (IOException e) {
      return false; // One that was closed meanwhile.
    }
  }

  @Test
  void emptyFile_goesAndComesBack() throws Exception {
    write(0);
    transfer.upload(file, BUCKET, key);
    List<Long> told = new ArrayList<>();
    TransferProgress progress = (done, all) -> told.addAll(List.of(done, all));
    assertThat(transfer.download(BUCKET, key, copy, progress).bytes()).isZero();
    assertThat(copy).isEmptyFile();
    assertThat(told).containsExactly(0L, 0L);
  }

  /** It was 0600, whatever the umask, and a name of more than 240 letters was refused. */
  @Test
  void download_makesAFileLikeAnyOther() throws Exception {
    write(10);
    transfer.upload(file, BUCKET, key);
    Path longest = directory.resolve("n".repeat(255));
    transfer.download(BUCKET, key, longest);
    assertThat(Files.getPosixFilePermissions(longest))
        .isEqualTo(Files.getPosixFilePermissions(Files.createFile(directory.resolve("any"))));
  }

  @Test
  void largeFile_goesInPartsAndTellsItsProgress() throws Exception {
    write(23 * MEGABYTE + 17);
    List<Long> up = Collections.synchronizedList(new ArrayList<>());
    List<Long> down = Collections.synchronizedList(new ArrayList<>());
    transfer.upload(file, BUCKET, key, o -> o.progress((done, all) -> up.add(done)));
    List<TransferStep> steps = new ArrayList<>();
    transfer.onStep(steps::add);
    Transferred got = transfer.download(BUCKET, key, copy, (done, all) -> down.add(done));
    assertThat(steps)
        .containsExactly(new TransferStep("s3_download", "s3://%s/%s".formatted(BUCKET, key), got));
    assertThat(got.bytes()).isEqualTo(Files.size(file));
    assertThat(got.parts()).isEqualTo(8);
    assertThat(got.took()).isPositive();
    assertThat(steps.get(0).toString()).contains("bytes=%d parts=8".formatted(got.bytes()));
    assertThat(copy).hasSameBinaryContentAs(file);
    assertThat(up).isSorted().hasSize(5).endsWith(Files.size(file));
    assertThat(down).isSorted().endsWith(Files.size(file));
    assertThat(count(ProxiedRequest::isUploadPart)).isEqualTo(5);
    assertThat(count(ProxiedRequest::isDownload)).isEqualTo(8);
    assertThat(proxy.mostParts()).isLessThanOrEqualTo(2);
    assertThat(throttle.stats()).containsOnlyKeys("s3_upload", "s3_head", "s3_download");
    assertThat(throttle.inFlight()).isZero();
  }

  @Test
  void uploadedPart_thatFails_isSentAgainAlone() throws Exception {
    write(12 * MEGABYTE);
    once(request -> request.target().contains("partNumber=2"), ProxyFault.BREAK_REQUEST);
    transfer.upload(file, BUCKET, key);
    transfer.download(BUCKET, key, copy);
    assertThat(copy).hasSameBinaryContentAs(file);
    assertThat(count(request -> request.target().contains("partNumber=2"))).isEqualTo(2);
    assertThat(count(ProxiedRequest::isUploadPart)).isEqualTo(4);
    assertThat(retry.stats("s3_upload").retrySuccessAfterAttempt()).isEqualTo(1);
  }

  @Test
  void downloadedPart_thatBreaksOff_isResumedWhereItBroke() throws Exception {
    write(7 * MEGABYTE);
    transfer.upload(file, BUCKET, key);
    once(request -> request.range().orElse("").startsWith("bytes=0-"), ProxyFault.BREAK_REPLY);
    List<Long> progress = Collections.synchronizedList(new ArrayList<>());
    transfer.download(BUCKET, key, copy, (done, all) -> progress.add(done));
    assertThat(copy).hasSameBinaryContentAs(file);
    assertThat(progress).isSorted().endsWith(Files.size(file));
    assertThat(proxy.requests().stream().flatMap(request -> request.range().stream()))
        .as("the first part, then its second half")
        .contains("bytes=0-3145727", "bytes=1572864-3145727");
  }

  @Test
  void part_thatMayNotBeWritten_endsTheUploadAtOnceAndLeavesNothing() throws Exception {
    write(40 * MEGABYTE);
    proxy.plan(
        request -> request.target().contains("partNumber=2") ? ProxyFault.DENY : ProxyFault.NONE);
    assertThatThrownBy(() -> transfer.upload(file, BUCKET, key))
        .isInstanceOfSatisfying(S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(403));
    assertThat(count(request -> request.target().contains("partNumber=2"))).isEqualTo(1);
    assertThat(count(ProxiedRequest::isUploadPart)).as("of eight").isLessThan(8);
    assertNothingIsLeft();
  }

  @Test
  void upload_interrupted_leavesNothing() throws Exception {
    write(40 * MEGABYTE);
    CountDownLatch partsCame = new CountDownLatch(2);
    proxy.slow(Duration.ZERO, 4 * MEGABYTE);
    proxy.plan(
        request -> {
          if (request.isUploadPart()) {
            partsCame.countDown();
          }
          return ProxyFault.NONE;
        });
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread uploader =
        new Thread(
            () -> {
              try {
                transfer.upload(file, BUCKET, key);
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    uploader.start();
    partsCame.await();
    uploader.interrupt();
    uploader.join();
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertNothingIsLeft();
  }

  /** The request to abort passes the throttle by: nobody knows when that is opened again. */
  @Test
  void upload_interruptedWhileTheThrottleIsHeld_endsAndLeavesNothing() throws Exception {
    write(40 * MEGABYTE);
    CountDownLatch held = new CountDownLatch(1);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread uploader =
        new Thread(
            () -> {
              try {
                transfer.upload(
                    file,
                    BUCKET,
                    key,
                    o ->
                        o.progress(
                            (done, all) -> {
                              throttle.resize(0);
                              held.countDown();
                            }));
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    uploader.start();
    held.await();
    uploader.interrupt();
    uploader.join();
    throttle.resize(3);
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertNothingIsLeft();
  }

  @Test
  void upload_whosePartsAreNotJoinedAtFirst_arrives() throws Exception {
    write(12 * MEGABYTE);
    once(ProxiedRequest::isJoin, ProxyFault.ERROR_IN_BODY);
    transfer.upload(file, BUCKET, key);
    transfer.download(BUCKET, key, copy);
    assertThat(copy).hasSameBinaryContentAs(file);
    assertThat(count(ProxiedRequest::isJoin)).isEqualTo(2);
  }

  @Test
  void upload_whoseLastAnswerIsLost_hasArrived() throws Exception {
    write(12 * MEGABYTE);
    once(ProxiedRequest::isJoin, ProxyFault.LOSE_REPLY);
    transfer.upload(file, BUCKET, key);
    transfer.download(BUCKET, key, copy);
    assertThat(copy).hasSameBinaryContentAs(file);
    assertThat(count(ProxiedRequest::isJoin)).isEqualTo(2);
  }

  @Test
  void server_thatAsksForTime_getsItWithoutAPermitHeld() throws Exception {
    write(1_000);
    once(request -> request.method().equals("PUT"), ProxyFault.SLOW_DOWN);
    long start = System.nanoTime();
    transfer.upload(file, BUCKET, key);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(throttle.stats("s3_put").latency().sum()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void download_failingForever_givesUpAndLeavesNoFile() throws Exception {
    write(4 * MEGABYTE);
    transfer.upload(file, BUCKET, key);
    proxy.plan(request -> request.isDownload() ? ProxyFault.ERROR : ProxyFault.NONE);
    Files.writeString(copy, "what was there before");
    assertThatThrownBy(() -> transfer.download(BUCKET, key, copy)).isInstanceOf(S3Exception.class);
    assertThat(retry.stats("s3_download").retryExhausted()).isPositive();
    assertThat(copy).hasContent("what was there before");
    assertThat(directory).isDirectoryNotContaining(path -> path.toString().endsWith(".part"));
  }

  @Test
  void download_ofNoSuchObject_saysSo() {
    assertThatThrownBy(() -> transfer.download(BUCKET, key, copy))
        .isInstanceOf(NoSuchKeyException.class);
    assertThat(copy).doesNotExist();
  }

  @Test
  void download_ofAnObjectThatIsReplacedMeanwhile_mixesNothing() throws Exception {
    write(9 * MEGABYTE);
    transfer.upload(file, BUCKET, key);
    AtomicInteger came = new AtomicInteger();
    proxy.plan(
        request -> {
          if (request.isDownload() && came.incrementAndGet() == 3) {
            direct.putObject(r -> r.bucket(BUCKET).key(key), RequestBody.fromString("other"));
          }
          return ProxyFault.NONE;
        });
    assertThatThrownBy(() -> transfer.download(BUCKET, key, copy))
        .isInstanceOfSatisfying(S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(412));
    assertThat(copy).doesNotExist();
  }

  @Test
  void download_ofADamagedObject_isRefused() throws Exception {
    client.putObject(
        r -> r.bucket(BUCKET).key(key).metadata(Map.of(S3Transfer.CHECKSUM_METADATA, "00000000")),
        RequestBody.fromString("damaged"));
    assertThatThrownBy(() -> transfer.download(BUCKET, key, copy))
        .isInstanceOf(IntegrityException.class)
        .hasMessageContaining("CRC-32C of s3://" + BUCKET + "/" + key);
    assertThat(copy).doesNotExist();
  }

  @Test
  void download_ofAnObjectThatOthersPut_isComparedByItsTag() throws Exception {
    client.putObject(r -> r.bucket(BUCKET).key(key), RequestBody.fromString("plain"));
    assertThat(transfer.download(BUCKET, key, copy).checksum()).contains("md5:" + md5("plain"));
    assertThat(copy).hasContent("plain");
  }

  @Test
  void file_thatChangesMeanwhile_isNotUploaded() throws Exception {
    write(12 * MEGABYTE);
    AtomicInteger parts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                transfer.upload(
                    file,
                    BUCKET,
                    key,
                    o ->
                        o.progress(
                            (done, all) -> {
                              if (parts.incrementAndGet() == 3) {
                                append();
                              }
                            })))
        .isInstanceOf(IntegrityException.class)
        .hasMessageContaining("changed while it was uploaded");
    assertNothingIsLeft();
  }

  @Test
  void file_thatIsCutMeanwhile_isNotUploaded() throws Exception {
    write(12 * MEGABYTE);
    once(
        request -> {
          boolean part = request.isUploadPart();
          if (part) {
            write(1);
          }
          return part;
        },
        ProxyFault.ERROR);
    assertThatThrownBy(() -> transfer.upload(file, BUCKET, key))
        .isInstanceOf(IntegrityException.class)
        .hasMessageContaining("changed while it was uploaded");
    assertNothingIsLeft();
  }

  @Test
  void client_thatRepeatsByItself_isRefused() {
    try (S3Client impatient =
        S3Client.builder()
            .region(Region.US_EAST_1)
            .httpClientBuilder(software.amazon.awssdk.http.apache5.Apache5HttpClient.builder())
            .credentialsProvider(CEPH.credentials())
            .build()) {
      assertThatThrownBy(() -> S3Transfer.of(impatient, throttle, retry, transfer.settings()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("S3Transfer.clientBuilder()");
    }
  }

  private void assertNothingIsLeft() {
    assertThat(direct.listMultipartUploads(r -> r.bucket(BUCKET)).uploads())
        .as("uploads of " + key)
        .noneMatch(upload -> upload.key().equals(key));
    assertThatThrownBy(() -> transfer.head(BUCKET, key)).isInstanceOf(NoSuchKeyException.class);
    assertThat(throttle.inFlight()).isZero();
  }

  private void once(Predicate<ProxiedRequest> which, ProxyFault fault) {
    AtomicInteger came = new AtomicInteger();
    proxy.plan(
        request -> which.test(request) && came.getAndIncrement() == 0 ? fault : ProxyFault.NONE);
  }

  private long count(Predicate<ProxiedRequest> which) {
    return proxy.requests().stream().filter(which).count();
  }

  private void write(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    try {
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void append() {
    try {
      Files.writeString(file, "more", java.nio.file.StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String md5(String text) throws Exception {
    return java.util.HexFormat.of()
        .formatHex(java.security.MessageDigest.getInstance("MD5").digest(text.getBytes()));
  }
}
