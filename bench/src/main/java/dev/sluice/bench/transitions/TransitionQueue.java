package dev.sluice.bench.transitions;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The obvious queue in a bucket: an object for each job, and an entry in an index for each state it
 * can be found in. Every transition of every job is written by itself.
 *
 * <pre>
 *   submit     put task, put ready entry
 *   claim      get task, replace task, put lease entry, delete ready entry     (and a share of a list)
 *   complete   get task, replace task, delete lease entry
 * </pre>
 *
 * <p>It does what such a queue has to, and no more: a claim is decided by a compare-and-set of the
 * task, the entries only lead there, and a completion first reads whether it is still wanted.
 * Leases are not renewed, nobody looks for dead workers, and there are no limits. So it is as fast
 * as that layout gets. Thread-safe.
 */
public final class TransitionQueue implements AutoCloseable {
  private static final String TASKS = "tasks/";
  private static final String READY = "ready/";
  private static final String LEASES = "leases/";
  private static final int LOST_RACE = 412;
  private static final int GONE = 404;

  private final S3Client client;
  private final String bucket;
  private final Map<String, LongAdder> requests = new ConcurrentHashMap<>();

  /**
   * The queue in a bucket.
   *
   * @param connections how many requests may be under way at once
   */
  public TransitionQueue(String endpoint, String bucket, int connections) {
    this.bucket = bucket;
    this.client =
        S3Client.builder()
            .region(Region.US_EAST_1)
            .endpointOverride(URI.create(endpoint))
            .serviceConfiguration(
                S3Configuration.builder()
                    .pathStyleAccessEnabled(true)
                    .chunkedEncodingEnabled(false)
                    .build())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .httpClient(Apache5HttpClient.builder().maxConnections(connections).build())
            .build();
  }

  /** A job in a worker's hands. */
  public record Claim(String id) {}

  private record Task(String state, String tag) {}

  /** Stores a job. */
  public void submit(String id) {
    put(TASKS + id, "ready", Optional.empty());
    put(READY + id, "", Optional.empty());
  }

  /** The ids of jobs that are ready, or were a moment ago; up to a thousand. */
  public List<String> ready() {
    count("LIST");
    return client.listObjectsV2(request -> request.bucket(bucket).prefix(READY)).contents().stream()
        .map(S3Object::key)
        .map(key -> key.substring(READY.length()))
        .toList();
  }

  /** Takes a job for a worker, if nobody else has. */
  public Optional<Claim> claim(String id, String worker) {
    Optional<Task> task = task(id).filter(found -> found.state.equals("ready"));
    if (task.isEmpty() || !put(TASKS + id, "running by " + worker, Optional.of(task.get().tag))) {
      return Optional.empty();
    }
    put(LEASES + id, worker, Optional.empty());
    delete(READY + id);
    return Optional.of(new Claim(id));
  }

  /** Ends a job; whether it was still its worker's. */
  public boolean complete(Claim claim, String worker) {
    Optional<Task> task =
        task(claim.id).filter(found -> found.state.equals("running by " + worker));
    boolean ended =
        task.isPresent() && put(TASKS + claim.id, "succeeded", Optional.of(task.get().tag));
    delete(LEASES + claim.id);
    return ended;
  }

  /** How many requests were sent so far, by what they are billed as. */
  public Map<String, Long> requests() {
    Map<String, Long> counted = new TreeMap<>();
    requests.forEach((kind, count) -> counted.put(kind, count.sum()));
    return counted;
  }

  @Override
  public void close() {
    client.close();
  }

  private Optional<Task> task(String id) {
    count("GET");
    try {
      var found = client.getObjectAsBytes(request -> request.bucket(bucket).key(TASKS + id));
      return Optional.of(new Task(found.asUtf8String(), found.response().eTag()));
    } catch (S3Exception e) {
      if (e.statusCode() == GONE) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private boolean put(String key, String body, Optional<String> tag) {
    count("PUT");
    try {
      client.putObject(
          request -> {
            request.bucket(bucket).key(key);
            tag.ifPresent(request::ifMatch);
          },
          RequestBody.fromString(body));
      return true;
    } catch (S3Exception e) {
      if (e.statusCode() == LOST_RACE) {
        return false;
      }
      throw e;
    }
  }

  private void delete(String key) {
    count("DELETE");
    client.deleteObject(request -> request.bucket(bucket).key(key));
  }

  private void count(String kind) {
    requests.computeIfAbsent(kind, any -> new LongAdder()).increment();
  }
}
