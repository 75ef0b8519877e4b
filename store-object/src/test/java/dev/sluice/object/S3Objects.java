package dev.sluice.object;

import java.io.ByteArrayInputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.NodeList;

/**
 * The bucket of a {@link FaultyS3Server}: an atomic map. As in a real bucket, a tag is a hash of
 * the content, times are in whole seconds, and requests for another region are sent away.
 */
final class S3Objects {
  private static final String REGION = "us-east-1";
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final ConcurrentSkipListMap<String, StoredObject> byKey =
      new ConcurrentSkipListMap<>(ObjectKeys.ORDER);
  private volatile boolean wantsBareTags;
  private volatile boolean keepsVersions;
  private volatile boolean takesAnyTags;
  private volatile double blindReplaces;
  private volatile double blindCreates;
  private volatile String clungTo = "";

  /** Understands a tag in a condition only without quotes, as old versions of Ceph do. */
  S3Objects wantingBareTags() {
    wantsBareTags = true;
    return this;
  }

  /** Says with every object which version it is. */
  S3Objects keepingVersions() {
    keepsVersions = true;
    return this;
  }

  /** Fails to delete this key when it comes in a list of keys. */
  S3Objects clingingTo(String key) {
    clungTo = key;
    return this;
  }

  /**
   * Replaces an object under its tag in two steps in this share of the cases: looks at the tag, and
   * writes a moment later without looking again, as S3Proxy does. It takes tags in any form.
   */
  S3Objects losingUpdates(double share) {
    takesAnyTags = true;
    blindReplaces = share;
    return this;
  }

  /** Creates an object in two steps in this share of the cases, as S3Mock does. */
  S3Objects lettingSeveralCreate(double share) {
    blindCreates = share;
    return this;
  }

  boolean hasObjectBelow(String prefix) {
    String first = byKey.ceilingKey(prefix);
    return first != null && first.startsWith(prefix);
  }

  S3Answer carryOut(S3Request request) {
    if (!request.bucket().equals(FaultyS3Server.BUCKET)) {
      return S3Answer.error(404, "NoSuchBucket");
    }
    if (!request.region().equals(REGION)) {
      return S3Answer.error(301, "PermanentRedirect", Map.of("x-amz-bucket-region", REGION));
    }
    return switch (request.method() + (request.key().isEmpty() ? " bucket" : "")) {
      case "PUT" -> put(request);
      case "GET", "HEAD" -> get(request);
      case "DELETE" -> delete(request);
      case "GET bucket" -> list(request.query());
      case "POST bucket" -> deleteAll(request);
      default -> S3Answer.error(501, "NotImplemented");
    };
  }

  private S3Answer put(S3Request request) {
    double blind = request.header("if-match").isPresent() ? blindReplaces : blindCreates;
    return ThreadLocalRandom.current().nextDouble() < blind
        ? putInTwoSteps(request)
        : putAtOnce(request);
  }

  private S3Answer putInTwoSteps(S3Request request) {
    S3Answer objection = verdict(request, byKey.get(request.key()));
    if (objection != null) {
      return objection;
    }
    LockSupport.parkNanos(MOMENT.toNanos());
    StoredObject after = object(request.body());
    byKey.put(request.key(), after);
    return S3Answer.of(200, headers(after));
  }

  private S3Answer putAtOnce(S3Request request) {
    AtomicReference<S3Answer> answer = new AtomicReference<>();
    byKey.compute(
        request.key(),
        (key, before) -> {
          StoredObject after = object(request.body());
          answer.set(verdict(request, before));
          if (answer.get() == null) {
            answer.set(S3Answer.of(200, headers(after)));
            return after;
          }
          return before;
        });
    return answer.get();
  }

  /** What speaks against the put, or null. */
  private S3Answer verdict(S3Request request, StoredObject before) {
    if (request.header("if-none-match").isPresent() && before != null) {
      return S3Answer.error(412, "PreconditionFailed");
    }
    String wanted = request.header("if-match").orElse(null);
    if (wanted == null) {
      return null;
    }
    if (before == null) {
      return S3Answer.error(404, "NoSuchKey");
    }
    if (takesAnyTags) {
      wanted = "\"" + wanted.replace("\"", "") + "\"";
    }
    String tag = wantsBareTags ? before.tag() : "\"" + before.tag() + "\"";
    return wanted.equals(tag) ? null : S3Answer.error(412, "PreconditionFailed");
  }

  private S3Answer get(S3Request request) {
    StoredObject found = byKey.get(request.key());
    return found == null
        ? S3Answer.error(404, "NoSuchKey")
        : new S3Answer(200, headers(found), found.body());
  }

  private S3Answer delete(S3Request request) {
    byKey.remove(request.key());
    return S3Answer.of(204, Map.of());
  }

  private S3Answer deleteAll(S3Request request) {
    try {
      NodeList keys =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new ByteArrayInputStream(request.body()))
              .getElementsByTagName("Key");
      String failures = "";
      for (int i = 0; i < keys.getLength(); i++) {
        String key = keys.item(i).getTextContent();
        if (key.equals(clungTo)) {
          failures = "<Error><Key>" + key + "</Key><Code>InternalError</Code></Error>";
        } else {
          byKey.remove(key);
        }
      }
      return S3Answer.xml("<DeleteResult>" + failures + "</DeleteResult>");
    } catch (Exception malformed) {
      return S3Answer.error(400, "MalformedXML");
    }
  }

  private S3Answer list(Map<String, String> query) {
    String prefix = query.getOrDefault("prefix", "");
    int limit = Integer.parseInt(query.getOrDefault("max-keys", "1000"));
    String after = query.getOrDefault("start-after", "");
    boolean within = after.compareTo(prefix) >= 0;
    StringBuilder contents = new StringBuilder();
    int count = 0;
    boolean more = false;
    for (var entry : byKey.tailMap(within ? after : prefix, !within).entrySet()) {
      if (!entry.getKey().startsWith(prefix)) {
        break;
      }
      if (count == limit) {
        more = true;
        break;
      }
      count++;
      contents.append(
          "<Contents><Key>%s</Key><ETag>&quot;%s&quot;</ETag><Size>%d</Size><LastModified>%s</LastModified></Contents>"
              .formatted(
                  URLEncoder.encode(entry.getKey(), StandardCharsets.UTF_8),
                  entry.getValue().tag(),
                  entry.getValue().body().length,
                  entry.getValue().modifiedAt()));
    }
    return S3Answer.xml(
        "<ListBucketResult><EncodingType>url</EncodingType><KeyCount>%d</KeyCount><IsTruncated>%s</IsTruncated>%s</ListBucketResult>"
            .formatted(count, more, contents));
  }

  private Map<String, String> headers(StoredObject object) {
    Map<String, String> headers = new HashMap<>();
    headers.put("ETag", "\"" + object.tag() + "\"");
    headers.put(
        "Last-Modified",
        DateTimeFormatter.RFC_1123_DATE_TIME.format(object.modifiedAt().atZone(ZoneOffset.UTC)));
    if (keepsVersions) {
      headers.put("x-amz-version-id", "v-" + object.tag());
    }
    return headers;
  }

  private static StoredObject object(byte[] body) {
    try {
      String tag = HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(body));
      Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
      return new StoredObject(body, tag, now, now);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
