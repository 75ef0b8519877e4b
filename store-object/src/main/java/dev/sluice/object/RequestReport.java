package dev.sluice.object;

import java.util.EnumMap;
import java.util.Map;

/**
 * Requests, bytes and what they would have cost in a bucket, since a meter was made or between two
 * reports.
 *
 * @param byKind one entry for every kind
 */
public record RequestReport(Map<RequestKind, Usage> byKind) {

  /**
   * What was used of one kind.
   *
   * @param requests how many were sent, repeated ones included
   * @param lost how many of them were puts whose condition was not met
   * @param failed how many of them ended in an exception
   * @param bytesSent in bodies
   * @param bytesReceived in bodies
   */
  public record Usage(long requests, long lost, long failed, long bytesSent, long bytesReceived) {
    private Usage minus(Usage other) {
      return new Usage(
          requests - other.requests,
          lost - other.lost,
          failed - other.failed,
          bytesSent - other.bytesSent,
          bytesReceived - other.bytesReceived);
    }
  }

  /** What was used of this kind. */
  public Usage of(RequestKind kind) {
    return byKind.get(kind);
  }

  /** All requests. */
  public long requests() {
    return byKind.values().stream().mapToLong(Usage::requests).sum();
  }

  /** What the requests cost at list prices; traffic and storage are not in it. */
  public double dollars() {
    return byKind.entrySet().stream()
        .mapToDouble(entry -> entry.getKey().dollars(entry.getValue().requests()))
        .sum();
  }

  /** What came after an earlier report of the same meter. */
  public RequestReport since(RequestReport earlier) {
    Map<RequestKind, Usage> difference = new EnumMap<>(RequestKind.class);
    byKind.forEach((kind, usage) -> difference.put(kind, usage.minus(earlier.of(kind))));
    return new RequestReport(difference);
  }
}
