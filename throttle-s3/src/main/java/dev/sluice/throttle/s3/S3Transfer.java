package dev.sluice.throttle.s3;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.Throttles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/**
 * Moves files to and from a bucket: in parts that are under way side by side, in little memory
 * whatever the size, and compared by length and checksum when they are there.
 *
 * <pre>{@code
 * S3Transfer transfer = S3Transfer.of(S3Transfer.clientBuilder().build(), throttles);
 * transfer.upload(video, "bucket", "films/cat.mp4");
 * transfer.download("bucket", "films/cat.mp4", copy);
 * }</pre>
 *
 * <p>Every request takes a place in the s3 throttle, under one of the labels {@code s3_head},
 * {@code s3_put}, {@code s3_upload} and {@code s3_download}, or your own. A part that fails is
 * tried again by itself, as {@link S3Retry} says, and holds no place while it waits for that. A
 * transfer that cannot be finished leaves nothing: its parts are aborted, its half of a file
 * removed.
 *
 * <p>Thread-safe. Work runs on threads of its own; the caller waits, and can be interrupted.
 */
public final class S3Transfer {
  /** The metadata of an object that holds the CRC-32C of the whole, in hexadecimal. */
  public static final String CHECKSUM_METADATA = "sluice-crc32c";

  /**
   * More than any throttle is likely to allow, so that no request waits for a connection while it
   * holds a place: the throttle is the bound, and a pool keeps no more open than are in use.
   */
  private static final int MAX_CONNECTIONS = 10_000;

  private static final Logger log = LoggerFactory.getLogger(S3Transfer.class);

  private final S3Calls calls;
  private final TransferSettings settings;
  private final List<Consumer<? super TransferStep>> listeners = new CopyOnWriteArrayList<>();

  private S3Transfer(S3Calls calls, TransferSettings settings) {
    this.calls = calls;
    this.settings = settings;
  }

  /** Transfers under the s3 throttle of these, as the environment of this process wants them. */
  public static S3Transfer of(S3Client client, Throttles throttles) {
    return of(client, throttles, Environment.system());
  }

  /**
   * Transfers under the s3 throttle of these, as these variables want them.
   *
   * @throws dev.sluice.throttle.InvalidSettingException if one of them has a value that cannot be
   *     used
   */
  public static S3Transfer of(S3Client client, Throttles throttles, Environment environment) {
    return of(
        client,
        throttles.s3(),
        S3Retry.from(environment).build(),
        TransferSettings.from(environment, throttles.cpu()));
  }

  /**
   * Transfers with everything said.
   *
   * @throws IllegalArgumentException if the client repeats requests by itself: it would sleep while
   *     it holds a place in the throttle
   */
  public static S3Transfer of(
      S3Client client, Throttle throttle, Retry retry, TransferSettings settings) {
    int attempts =
        client
            .serviceClientConfiguration()
            .overrideConfiguration()
            .retryStrategy()
            .map(strategy -> strategy.maxAttempts())
            .orElse(Integer.MAX_VALUE);
    if (attempts > 1) {
      throw new IllegalArgumentException(
          "The S3 client repeats requests by itself, and would hold a permit while it sleeps. Build it from S3Transfer.clientBuilder(), or with retryStrategy(AwsRetryStrategy.doNotRetry()).");
    }
    return new S3Transfer(new S3Calls(client, throttle, retry), settings);
  }

  /**
   * A client fit for transfers: it leaves retries to them, streams bodies, and asks nothing of
   * servers that only some of them know. Region, credentials and endpoint are found as usual, or
   * can be set.
   */
  public static S3ClientBuilder clientBuilder() {
    return S3Client.builder()
        .overrideConfiguration(o -> o.retryStrategy(AwsRetryStrategy.doNotRetry()))
        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
        .serviceConfiguration(
            S3Configuration.builder()
                .chunkedEncodingEnabled(false)
                .expectContinueEnabled(false)
                .build())
        .httpClientBuilder(
            Apache5HttpClient.builder()
                .maxConnections(MAX_CONNECTIONS)
                .expectContinueEnabled(false));
  }

  /** How requests are tried again, for its figures. */
  public Retry retry() {
    return calls.retry();
  }

  /** How files are cut. */
  public TransferSettings settings() {
    return settings;
  }

  /**
   * Tells about every file that has been moved from now on, on the thread that asked for it, before
   * the call returns. What the listener throws is logged, and changes nothing.
   */
  public void onStep(Consumer<? super TransferStep> listener) {
    listeners.add(listener);
  }

  private Transferred done(String name, String bucket, String key, Transferred transferred) {
    TransferStep step = new TransferStep(name, "s3://" + bucket + "/" + key, transferred);
    log.info("{}", step);
    for (Consumer<? super TransferStep> listener : listeners) {
      try {
        listener.accept(step);
      } catch (RuntimeException e) {
        log.error("A listener to transfers failed; the transfer is done.", e);
      }
    }
    return transferred;
  }

  /** What the bucket knows of an object. */
  public HeadObjectResponse head(String bucket, String key) throws InterruptedException {
    return calls.call(
        S3Calls.HEAD, () -> calls.client().headObject(r -> r.bucket(bucket).key(key)));
  }

  /** {@link #upload(Path, String, String, Consumer)} with nothing more to say. */
  public Transferred upload(Path file, String bucket, String key)
      throws IOException, InterruptedException {
    return upload(file, bucket, key, options -> {});
  }

  /**
   * Uploads a file: in one request if it is no larger than a part, otherwise in parts.
   *
   * @throws IntegrityException if the file changed meanwhile, or the object is not what was sent
   * @throws IOException if the file cannot be read
   * @throws software.amazon.awssdk.core.exception.SdkException if the bucket refuses it, or fails
   *     too often
   */
  public Transferred upload(Path file, String bucket, String key, Consumer<UploadOptions> more)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    UploadOptions options = new UploadOptions();
    more.accept(options);
    MultipartUpload.Stamp stamp = MultipartUpload.Stamp.of(file);
    List<Slice> slices = Slice.cut(stamp.length(), settings.uploadPartBytes(stamp.length()));
    Checksums.Crc crc = Checksums.crc32c(file, slices);
    String etag =
        slices.size() > 1
            ? new MultipartUpload(calls, file, bucket, key, options)
                .run(slices, settings.uploadQueueSize().value(), stamp, crc)
            : put(file, bucket, key, options, crc, stamp);
    return done(
        TransferStep.UPLOAD,
        bucket,
        key,
        new Transferred(
            stamp.length(),
            Math.max(1, slices.size()),
            Duration.ofNanos(System.nanoTime() - began),
            etag,
            Optional.of("crc32c:" + crc.whole())));
  }

  private String put(
      Path file,
      String bucket,
      String key,
      UploadOptions options,
      Checksums.Crc crc,
      MultipartUpload.Stamp stamp)
      throws IOException, InterruptedException {
    Slice whole = new Slice(1, 0, stamp.length());
    String md5 = Checksums.contentMd5(file, whole, crc);
    stamp.requireSame(file);
    PutObjectResponse response =
        calls.send(
            options.label().orElse(S3Calls.PUT),
            () -> {
              try (SliceBody body = new SliceBody(file, whole)) {
                return calls
                    .client()
                    .putObject(
                        request ->
                            request
                                .bucket(bucket)
                                .key(key)
                                .contentMD5(md5)
                                .contentType(options.contentType().orElse(null))
                                .metadata(options.metadataWith(crc.whole())),
                        whole.length() == 0 ? RequestBody.empty() : body.asRequest());
              }
            });
    new Meter(options.progress(), stamp.length()).add(stamp.length());
    return response.eTag();
  }

  /** {@link #download(String, String, Path, TransferProgress)} that nobody listens to. */
  public Transferred download(String bucket, String key, Path file)
      throws IOException, InterruptedException {
    return download(bucket, key, file, TransferProgress.NONE);
  }

  /**
   * Downloads an object into a file, in ranges. The file is there when all of it is: until then it
   * grows beside it under another name.
   *
   * @throws IntegrityException if what came is not what the bucket says it has
   * @throws IOException if the file cannot be written
   * @throws software.amazon.awssdk.core.exception.SdkException if the bucket has no such object,
   *     has replaced it meanwhile, or fails too often
   */
  public Transferred download(String bucket, String key, Path file, TransferProgress progress)
      throws IOException, InterruptedException {
    Path directory = file.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory)) {
      throw new NoSuchFileException(
          directory.toString(), null, "there is no such directory to download into");
    }
    long began = System.nanoTime();
    HeadObjectResponse head = head(bucket, key);
    List<Slice> slices = Slice.cut(head.contentLength(), settings.downloadPartBytes());
    Path growing = directory.resolve("." + UUID.randomUUID() + ".part");
    try {
      try (FileChannel channel = FileChannel.open(growing, CREATE_NEW, WRITE)) {
        new RangedDownload(calls, bucket, key, head, channel, progress)
            .run(slices, settings.downloadConcurrency().value());
      }
      Optional<String> checksum = compare(growing, head, "s3://" + bucket + "/" + key);
      Files.move(
          growing, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return done(
          TransferStep.DOWNLOAD,
          bucket,
          key,
          new Transferred(
              head.contentLength(),
              slices.size(),
              Duration.ofNanos(System.nanoTime() - began),
              head.eTag(),
              checksum));
    } finally {
      Files.deleteIfExists(growing);
    }
  }

  /** Which checksum the file and the object agree in; empty if the object tells none. */
  private static Optional<String> compare(Path file, HeadObjectResponse head, String object)
      throws IOException, InterruptedException {
    requireEqual(object, "length", head.contentLength(), Files.size(file));
    String crc32c = head.metadata().get(CHECKSUM_METADATA);
    if (crc32c != null) {
      requireEqual(object, "CRC-32C", crc32c, Checksums.crc32c(file));
      return Optional.of("crc32c:" + crc32c);
    }
    String tag = head.eTag().replace("\"", "");
    // An MD5, unless the object came in parts or is encrypted with keys of its own.
    boolean plain = head.ssekmsKeyId() == null && head.sseCustomerAlgorithm() == null;
    if (plain && tag.matches("[0-9a-f]{32}")) {
      requireEqual(object, "MD5", tag, Checksums.md5Hex(file));
      return Optional.of("md5:" + tag);
    }
    return Optional.empty();
  }

  private static void requireEqual(String object, String what, Object there, Object here)
      throws IntegrityException {
    if (!there.equals(here)) {
      throw new IntegrityException(
          "The %s of %s is %s, that of what came is %s. Download it again; if it stays so, the object is damaged."
              .formatted(what, object, there, here));
    }
  }
}
