package dev.sluice.throttle.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

class S3RetryTest {
  @ParameterizedTest
  @CsvSource({
    "500, InternalError, true",
    "502, BadGateway, true",
    "503, SlowDown, true",
    "503, ServiceUnavailable, true",
    "501, NotImplemented, false",
    "429, TooManyRequests, true",
    "408, RequestTimeout, true",
    "400, RequestTimeout, true",
    "400, BadDigest, true",
    "400, IncompleteBody, true",
    "200, InternalError, true",
    "200, ServiceUnavailable, true",
    "200, SlowDown, true",
    "200, AccessDenied, false",
    "400, RequestTimeoutException, true",
    "409, OperationAborted, true",
    "400, InvalidArgument, false",
    "400, EntityTooSmall, false",
    "400, ExpiredToken, false",
    "401, Unauthorized, false",
    "403, AccessDenied, false",
    "403, SignatureDoesNotMatch, false",
    "403, InvalidAccessKeyId, false",
    "404, NoSuchBucket, false",
    "404, NoSuchKey, false",
    "409, BucketNotEmpty, false",
    "412, PreconditionFailed, false",
    "416, InvalidRange, false"
  })
  void answer_withStatusAndCode_isTriedAgainOrNot(int status, String code, boolean again) {
    assertThat(S3Retry.isRetryable(answer(status, code, null))).isEqualTo(again);
  }

  @Test
  void noAnswer_isTriedAgainIfTheConnectionIsToBlame() {
    assertThat(S3Retry.isRetryable(client(new SocketException("reset")))).isTrue();
    assertThat(S3Retry.isRetryable(ApiCallTimeoutException.create(1))).isTrue();
    assertThat(S3Retry.isRetryable(new BrokenBodyException("half", null))).isTrue();
    IOException silence = new SocketTimeoutException("Read timed out");
    assertThat(S3Retry.isRetryable(new UncheckedIOException(silence))).isTrue();
    IOException noFile = new NoSuchFileException("/gone");
    assertThat(S3Retry.isRetryable(new UncheckedIOException(noFile))).as("our file").isFalse();
    assertThat(S3Retry.isRetryable(client(noFile))).as("our file").isFalse();
    assertThat(S3Retry.isRetryable(client(new IntegrityException("cut")))).isFalse();
    assertThat(S3Retry.isRetryable(client(null))).as("no credentials").isFalse();
    assertThat(S3Retry.isRetryable(AbortedException.create("interrupted"))).isFalse();
    assertThat(S3Retry.isRetryable(new FileSystemException("/full"))).as("our disk").isFalse();
    assertThat(S3Retry.isRetryable(new IllegalArgumentException())).isFalse();
  }

  @Test
  void retryAfter_inSecondsOrUntilADate_isUnderstood() {
    Instant now = Instant.parse("2030-01-01T00:00:00Z");
    assertThat(S3Retry.retryAfter(answer(503, "SlowDown", "7"))).contains(Duration.ofSeconds(7));
    assertThat(S3Retry.retryAfter(answer(503, "SlowDown", null))).isEmpty();
    assertThat(S3Retry.retryAfter(new IOException())).isEmpty();
    assertThat(S3Retry.parse("Tue, 1 Jan 2030 00:00:09 GMT", now)).contains(Duration.ofSeconds(9));
    assertThat(S3Retry.parse("Mon, 31 Dec 2029 00:00:00 GMT", now)).contains(Duration.ZERO);
    assertThat(S3Retry.parse("soon", now)).isEmpty();
    assertThat(S3Retry.parse("-1", now)).isEmpty();
  }

  private static SdkClientException client(Throwable cause) {
    return SdkClientException.create("no answer", cause);
  }

  private static Exception answer(int status, String code, String retryAfter) {
    SdkHttpResponse.Builder response = SdkHttpResponse.builder().statusCode(status);
    if (retryAfter != null) {
      response.putHeader("Retry-After", retryAfter);
    }
    return S3Exception.builder()
        .statusCode(status)
        .awsErrorDetails(
            AwsErrorDetails.builder().errorCode(code).sdkHttpResponse(response.build()).build())
        .build();
  }
}
