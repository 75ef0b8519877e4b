package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Sorts what the SDK throws, by status and code, into what a caller would act on differently. */
final class S3Errors {
  private static final Set<Integer> REDIRECTS = Set.of(301, 307);
  private static final Set<String> WRONG_REGION =
      Set.of("AuthorizationHeaderMalformed", "IllegalLocationConstraintException");
  private static final Set<String> WRONG_KEYS =
      Set.of("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken");
  private static final Set<String> LATER =
      Set.of("RequestTimeout", "SlowDown", "TooManyRequests", "Throttling", "OperationAborted");

  private final ObjectStoreUrl.Bucket url;

  S3Errors(ObjectStoreUrl.Bucket url) {
    this.url = url;
  }

  /**
   * A request that reads, or may be repeated, and failed.
   *
   * @param what what was attempted, as in "Reading the object 'x'"
   */
  SluiceException failed(String what, SdkException e) {
    return e instanceof S3Exception answer ? refused(what, answer) : unanswered(what, e);
  }

  /** A conditional put that neither stored nor lost. */
  SluiceException putFailed(String key, SdkException e) {
    String what = "Writing the object '" + key + "'";
    boolean undecided = e instanceof S3Exception answer ? answer.statusCode() >= 500 : !wasKept(e);
    SluiceException failure = failed(what, e);
    return undecided
        ? new UnknownOutcomeException(failure.getMessage() + " It may have been stored.", e)
        : failure;
  }

  /** A request to delete that succeeded for some keys only. */
  SluiceException notDeleted(String what, List<S3Error> failures) {
    S3Error first = failures.get(0);
    String message =
        "%s in %s failed for %d of them, first for '%s': %s (%s)."
            .formatted(what, url, failures.size(), first.key(), first.code(), first.message());
    return failures.stream().anyMatch(failure -> "AccessDenied".equals(failure.code()))
        ? new StoreIncompatibleException(
            "%s Grant s3:DeleteObject on the bucket '%s'.".formatted(message, url.bucket()))
        : new StoreUnavailableException(message + " Trying again may help.");
  }

  static String codeOf(S3Exception e) {
    return Optional.ofNullable(e.awsErrorDetails()).map(AwsErrorDetails::errorCode).orElse("");
  }

  private SluiceException refused(String what, S3Exception e) {
    String code = codeOf(e);
    int status = e.statusCode();
    String answer = "%s in %s failed: %d %s".formatted(what, url, status, detail(e));
    if (code.equals("NoSuchBucket")) {
      return new StoreIncompatibleException(
          "%s. There is no bucket '%s'. Create it, or name another in the store's URL."
              .formatted(answer, url.bucket()),
          e);
    }
    if (REDIRECTS.contains(status) || WRONG_REGION.contains(code)) {
      String region = header(e, "x-amz-bucket-region").orElse("its region");
      return new StoreIncompatibleException(
          "%s. The bucket '%s' is in another region. Write region=%s in the store's URL."
              .formatted(answer, url.bucket(), region),
          e);
    }
    if (code.equals("RequestTimeTooSkewed")) {
      return new StoreIncompatibleException(answer + ". Set this machine's clock.", e);
    }
    if (WRONG_KEYS.contains(code) || status == 401) {
      return new StoreIncompatibleException(
          answer
              + ". The credentials are wrong or have expired. Check AWS_ACCESS_KEY_ID,"
              + " AWS_SECRET_ACCESS_KEY or the profile.",
          e);
    }
    if (status == 403) {
      return new StoreIncompatibleException(
          "%s. Grant s3:GetObject, s3:PutObject, s3:DeleteObject on, and s3:ListBucket of, the bucket '%s'."
              .formatted(answer, url.bucket()),
          e);
    }
    if (status >= 500 || status == 408 || status == 429 || LATER.contains(code)) {
      return new StoreUnavailableException(answer + ". Trying again may help.", e);
    }
    return new StoreIncompatibleException(
        answer + ". Does the server speak S3, at this endpoint and in this style?", e);
  }

  private SluiceException unanswered(String what, SdkException e) {
    if (e instanceof AbortedException) {
      Thread.currentThread().interrupt();
      return new StoreUnavailableException("%s in %s was interrupted.".formatted(what, url), e);
    }
    if (hasNoCredentials(e)) {
      return noCredentials(e);
    }
    return new StoreUnavailableException(
        "%s in %s got no answer: %s. Is the server up, and the endpoint right?"
            .formatted(what, url, innermost(e)),
        e);
  }

  StoreIncompatibleException noCredentials(SdkException e) {
    return new StoreIncompatibleException(
        "No credentials were found for %s. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile or a role."
            .formatted(url),
        e);
  }

  /** Whether the request cannot have left this machine. */
  private static boolean wasKept(SdkException e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof ConnectException
          || t instanceof UnknownHostException
          || t instanceof NoRouteToHostException) {
        return true;
      }
    }
    return hasNoCredentials(e);
  }

  private static boolean hasNoCredentials(SdkException e) {
    return e instanceof SdkClientException
        && String.valueOf(e.getMessage()).startsWith("Unable to load credentials");
  }

  private static Optional<String> header(S3Exception e, String name) {
    return Optional.ofNullable(e.awsErrorDetails())
        .map(AwsErrorDetails::sdkHttpResponse)
        .flatMap(response -> response.firstMatchingHeader(name));
  }

  private static String detail(S3Exception e) {
    String message =
        Optional.ofNullable(e.awsErrorDetails()).map(AwsErrorDetails::errorMessage).orElse("");
    String code = codeOf(e);
    return message.isBlank() || message.equals(code) ? code : code + " (" + message + ")";
  }

  private static String innermost(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }
}
