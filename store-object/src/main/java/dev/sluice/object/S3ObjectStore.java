package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.ObjectStoreUrl.Bucket;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Objects in a bucket, through the SDK of AWS.
 *
 * <p>Whether conditional puts are atomic is up to the server; {@link StoreProbe} finds out. What
 * this class sees to is that the answer means what it says:
 *
 * <ul>
 *   <li>Neither the SDK nor the HTTP client repeats a request by itself. A create that was repeated
 *       behind our back would meet its own first try and be told that it lost.
 *   <li>412, 409, and 404 for a replacement, say that nothing was stored. An answer of 500 or more
 *       says nothing at all, though some servers give it to the loser of a race; neither does a
 *       time-out. Only a request that found no connection is known not to have arrived.
 *   <li>Time is that of the server's {@code Date} header, on every answer.
 *   <li>Checksums that only newer servers know, and bodies in signed chunks, are not sent.
 * </ul>
 */
final class S3ObjectStore implements ObjectStore {
  static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** What one request to delete may hold. */
  static final int MAX_DELETES = 1_000;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final int MAX_CONNECTIONS = 64;

  private final S3Client client;
  private final Bucket url;
  private final String root;
  private final TagForm tagForm;
  private final S3Errors errors;

  /** How a tag is written into the condition of a put. */
  enum TagForm {
    /** As HTTP wants it. */
    QUOTED("\""),
    /** As Ceph before version 17 wants it. */
    BARE("");

    private final String quote;

    TagForm(String quote) {
      this.quote = quote;
    }
  }

  private S3ObjectStore(S3Client client, Bucket url, TagForm tagForm) {
    this.client = client;
    this.url = url;
    this.root = url.prefix().isEmpty() ? "" : url.prefix() + "/";
    this.tagForm = tagForm;
    this.errors = new S3Errors(url);
  }

  /**
   * The store in this bucket, with the SDK's usual search for credentials.
   *
   * @throws StoreIncompatibleException if there are no credentials, or no region
   */
  static S3ObjectStore open(Bucket url) {
    return open(url, DefaultCredentialsProvider.builder().build(), DEFAULT_TIMEOUT);
  }

  /**
   * The store in this bucket.
   *
   * @param timeout after which a request counts as unanswered
   */
  static S3ObjectStore open(Bucket url, AwsCredentialsProvider credentials, Duration timeout) {
    try {
      credentials.resolveCredentials();
    } catch (SdkException e) {
      throw new S3Errors(url).noCredentials(e);
    }
    S3Client client =
        S3Client.builder()
            .credentialsProvider(credentials)
            .region(region(url))
            .applyMutation(
                builder -> {
                  if (url.endpoint() != null) {
                    builder.endpointOverride(url.endpoint());
                  }
                })
            .forcePathStyle(url.pathStyle())
            .serviceConfiguration(
                S3Configuration.builder()
                    .chunkedEncodingEnabled(false)
                    .expectContinueEnabled(false)
                    .build())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .overrideConfiguration(
                o -> o.retryStrategy(AwsRetryStrategy.doNotRetry()).apiCallTimeout(timeout))
            .httpClientBuilder(
                Apache5HttpClient.builder()
                    .maxConnections(MAX_CONNECTIONS)
                    .connectionTimeout(
                        timeout.compareTo(CONNECT_TIMEOUT) < 0 ? timeout : CONNECT_TIMEOUT)
                    .socketTimeout(timeout)
                    .expectContinueEnabled(false))
            .build();
    return new S3ObjectStore(client, url, TagForm.QUOTED);
  }

  /** The same store, on the same connections, with tags written in this form. */
  S3ObjectStore with(TagForm form) {
    return new S3ObjectStore(client, url, form);
  }

  @Override
  public boolean isPaidFor() {
    return true;
  }

  @Override
  public Optional<StoredObject> get(String key) {
    String full = fullKey(key);
    try {
      ResponseBytes<GetObjectResponse> read =
          client.getObjectAsBytes(request -> request.bucket(url.bucket()).key(full));
      GetObjectResponse head = read.response();
      return Optional.of(
          new StoredObject(
              read.asByteArrayUnsafe(), bare(head.eTag()), head.lastModified(), timeOf(head)));
    } catch (NoSuchKeyException absent) {
      return Optional.empty();
    } catch (SdkException e) {
      throw errors.failed("Reading the object '" + key + "'", e);
    }
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    return put(key, body, request -> request.ifNoneMatch("*"));
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    return put(key, body, request -> request.ifMatch(tagForm.quote + tag + tagForm.quote));
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    ListObjectsV2Response page =
        orTranslate(
            "Listing the objects under '" + prefix + "'",
            () ->
                client.listObjectsV2(
                    request ->
                        request
                            .bucket(url.bucket())
                            .prefix(root + prefix)
                            .startAfter(after.isEmpty() ? null : root + after)
                            .maxKeys(Math.min(limit, MAX_PAGE))
                            .encodingType(EncodingType.URL)));
    List<ListedObject> objects =
        page.contents().stream()
            .map(
                object ->
                    new ListedObject(
                        object.key().substring(root.length()),
                        bare(object.eTag()),
                        object.size(),
                        object.lastModified()))
            .toList();
    return new ObjectPage(objects, !page.isTruncated());
  }

  @Override
  public void delete(String key) {
    String full = fullKey(key);
    orTranslate(
        "Deleting the object '" + key + "'",
        () -> client.deleteObject(request -> request.bucket(url.bucket()).key(full)));
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    List<ObjectIdentifier> all =
        keys.stream().map(key -> ObjectIdentifier.builder().key(fullKey(key)).build()).toList();
    for (int from = 0; from < all.size(); from += MAX_DELETES) {
      deleteAtOnce(all.subList(from, Math.min(from + MAX_DELETES, all.size())));
    }
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public String toString() {
    return url.toString();
  }

  /**
   * What the bucket does to this object that makes it unfit, or empty: a bucket that keeps versions
   * never gets smaller, and some servers let several writers win in it.
   */
  Optional<String> objectionTo(String key) {
    String full = fullKey(key);
    String version =
        orTranslate(
                "Reading the object '" + key + "'",
                () -> client.headObject(request -> request.bucket(url.bucket()).key(full)))
            .versionId();
    return version == null || version.isEmpty() || version.equals("null")
        ? Optional.empty()
        : Optional.of(
            "it keeps versions of its objects; suspend versioning, or name another bucket");
  }

  private PutResult put(String key, ObjectBody body, Consumer<PutObjectRequest.Builder> condition) {
    PutObjectRequest.Builder request =
        PutObjectRequest.builder().bucket(url.bucket()).key(fullKey(key));
    condition.accept(request);
    try {
      PutObjectResponse answer =
          client.putObject(request.build(), RequestBody.fromBytes(body.bytes()));
      return new Stored(bare(answer.eTag()), timeOf(answer));
    } catch (S3Exception e) {
      return reasonOf(e).<PutResult>map(Lost::new).orElseThrow(() -> errors.putFailed(key, e));
    } catch (SdkException e) {
      throw errors.putFailed(key, e);
    }
  }

  private static Optional<Reason> reasonOf(S3Exception e) {
    return switch (e.statusCode()) {
      case 412 -> Optional.of(Reason.CHANGED);
      case 409 -> Optional.of(Reason.BUSY);
      case 404 ->
          S3Errors.codeOf(e).equals("NoSuchBucket") ? Optional.empty() : Optional.of(Reason.ABSENT);
      default -> Optional.empty();
    };
  }

  private void deleteAtOnce(List<ObjectIdentifier> keys) {
    String what = "Deleting %d objects".formatted(keys.size());
    DeleteObjectsResponse answer =
        orTranslate(
            what,
            () ->
                client.deleteObjects(
                    request ->
                        request
                            .bucket(url.bucket())
                            .delete(delete -> delete.objects(keys).quiet(true))));
    if (!answer.errors().isEmpty()) {
      throw errors.notDeleted(what, answer.errors());
    }
  }

  private <T> T orTranslate(String what, Supplier<T> request) {
    try {
      return request.get();
    } catch (SdkException e) {
      throw errors.failed(what, e);
    }
  }

  private String fullKey(String key) {
    return root + ObjectKeys.requireValid(key);
  }

  private static String bare(String tag) {
    return tag.replace("\"", "");
  }

  private Instant timeOf(SdkResponse answer) {
    Optional<String> date = answer.sdkHttpResponse().firstMatchingHeader("Date");
    try {
      return DateTimeFormatter.RFC_1123_DATE_TIME.parse(date.orElse(""), Instant::from);
    } catch (DateTimeException e) {
      throw new StoreIncompatibleException(
          "The server of %s does not say what time it is: its Date header is '%s'. Leases need it; use another server, or a proxy that adds the header."
              .formatted(url, date.orElse("missing")),
          e);
    }
  }

  private static Region region(Bucket url) {
    if (url.region() != null) {
      return Region.of(url.region());
    }
    if (url.endpoint() != null) {
      return Region.US_EAST_1;
    }
    try {
      return DefaultAwsRegionProviderChain.builder().build().getRegion();
    } catch (SdkClientException e) {
      throw new StoreIncompatibleException(
          "No region was found for %s. Write region=name in the store's URL, or set AWS_REGION."
              .formatted(url),
          e);
    }
  }
}
