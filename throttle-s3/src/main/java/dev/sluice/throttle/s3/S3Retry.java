package dev.sluice.throttle.s3;

import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Retry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;

/**
 * What to do when a bucket does not answer as it should. Tried again is what says nothing about the
 * request itself: a connection that broke, a server in trouble or overloaded, bytes that were
 * damaged on the way. Not tried again is what would only fail again: no credentials, no permission,
 * no such bucket, a condition that does not hold, a request that makes no sense. A server that asks
 * for time with {@code Retry-After} gets it.
 */
public final class S3Retry {
  private static final int SERVER_ERROR = 500;
  private static final int NOT_IMPLEMENTED = 501;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int REQUEST_TIMEOUT = 408;

  /**
   * Codes that come with a status of 4xx, although another try may succeed, or with 200: a server
   * that takes long to join parts says that it is at work first, and in the body how that ended.
   */
  private static final Set<String> PASSING =
      Set.of(
          "BadDigest",
          "IncompleteBody",
          "InternalError",
          "OperationAborted",
          "RequestTimeout",
          "RequestTimeoutException",
          "ServiceUnavailable",
          "SlowDown",
          "Throttling",
          "ThrottlingException");

  private S3Retry() {}

  /** As {@code RETRY_ATTEMPTS} and {@code RETRY_BASE_DELAY_MS} want it. */
  public static Retry fromEnvironment() {
    return from(Environment.system()).build();
  }

  /** The same from these variables, with more to say. */
  public static Retry.Builder from(Environment environment) {
    return Retry.from(environment).retryIf(S3Retry::isRetryable).retryAfter(S3Retry::retryAfter);
  }

  /** Whether another try may succeed. */
  public static boolean isRetryable(Exception failure) {
    if (failure instanceof AwsServiceException answer) {
      int status = answer.statusCode();
      return (status >= SERVER_ERROR && status != NOT_IMPLEMENTED)
          || status == TOO_MANY_REQUESTS
          || status == REQUEST_TIMEOUT
          || (answer.awsErrorDetails() != null
              && PASSING.contains(String.valueOf(answer.awsErrorDetails().errorCode())));
    }
    if (failure instanceof AbortedException) {
      return false; // An interrupt, in the SDK's clothes.
    }
    if (failure instanceof SdkClientException) {
      // Also thrown where credentials or a region are missing; then no connection is the cause.
      return failure instanceof ApiCallTimeoutException
          || failure instanceof ApiCallAttemptTimeoutException
          || causedByConnection(failure);
    }
    // The SDK throws what it meets in the body of an answer as it is.
    return failure instanceof BrokenBodyException
        || (failure instanceof UncheckedIOException && causedByConnection(failure));
  }

  private static boolean causedByConnection(Throwable failure) {
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException) {
        // A file of ours is no connection.
        return !(cause instanceof FileSystemException || cause instanceof IntegrityException);
      }
    }
    return false;
  }

  /** How long the server asks to be left alone: seconds, or until a date. */
  public static Optional<Duration> retryAfter(Exception failure) {
    if (!(failure instanceof AwsServiceException answer)
        || answer.awsErrorDetails() == null
        || answer.awsErrorDetails().sdkHttpResponse() == null) {
      return Optional.empty();
    }
    return answer
        .awsErrorDetails()
        .sdkHttpResponse()
        .firstMatchingHeader("Retry-After")
        .flatMap(text -> parse(text.strip(), Instant.now()));
  }

  static Optional<Duration> parse(String text, Instant now) {
    if (text.matches("[0-9]{1,9}")) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }
    try {
      Instant until = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration left = Duration.between(now, until);
      return Optional.of(left.isNegative() ? Duration.ZERO : left);
    } catch (DateTimeParseException neither) {
      return Optional.empty(); // A header that makes no sense asks for nothing.
    }
  }
}
