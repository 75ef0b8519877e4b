package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;

class S3ObjectStoreTest extends ObjectStoreContract {
  static final AwsCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "secret"));

  private FaultyS3Server server;

  @Override
  ObjectStore open() {
    if (server == null) {
      server = new FaultyS3Server();
    }
    return open(server.url("some/prefix"), Duration.ofSeconds(10));
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  static S3ObjectStore open(ObjectStoreUrl.Bucket url, Duration timeout) {
    return S3ObjectStore.open(url, CREDENTIALS, timeout);
  }

  @ParameterizedTest
  @EnumSource(names = {"SLOW_DOWN", "ERROR_AFTERWARDS", "LOSE_REQUEST", "LOSE_REPLY", "LATE"})
  void put_withoutAnAnswerThatDecides_isUnknown_andIsSentOnce(S3Fault fault) {
    try (ObjectStore store = open()) {
      server.next("PUT", fault);

      assertThatThrownBy(() -> store.putIfAbsent("a/b", Bodies.plain("")))
          .isInstanceOf(UnknownOutcomeException.class)
          .hasMessageContaining("a/b")
          .hasMessageContaining(FaultyS3Server.BUCKET);
      assertThat(server.received("PUT")).isEqualTo(1);
    }
  }

  @Test
  void put_thatHangs_isUnknownAfterTheTimeout() {
    try (ObjectStore store = open(server.url(""), Duration.ofMillis(300))) {
      server.next("PUT", S3Fault.HANG);

      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("")))
          .isInstanceOf(UnknownOutcomeException.class);
    }
  }

  @Test
  void put_toASlowServer_isWaitedFor() {
    try (ObjectStore store = open()) {
      server.latency(Duration.ofMillis(100));
      long before = System.nanoTime();

      assertThat(store.putIfAbsent("a", Bodies.plain(""))).isInstanceOf(Stored.class);
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isGreaterThanOrEqualTo(Duration.ofMillis(100));
    }
  }

  @Test
  void put_conflict_isLostForNow() {
    try (ObjectStore store = open()) {
      server.next("PUT", S3Fault.CONFLICT);

      assertThat(store.putIfAbsent("a", Bodies.plain(""))).isEqualTo(new Lost(Reason.BUSY));
    }
  }

  @Test
  void put_toAServerThatIsDown_isKnownNotToHaveHappened() {
    try (ObjectStore store = open()) {
      server.close();

      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("")))
          .isExactlyInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining(server.endpoint());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SLOW_DOWN", "LOSE_REQUEST", "LOSE_REPLY"})
  void get_withoutAnAnswer_isUnavailable(S3Fault fault) {
    try (ObjectStore store = open()) {
      server.next("GET", fault);

      assertThatThrownBy(() -> store.get("a"))
          .isExactlyInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'a'");
    }
  }

  @Test
  void interruptedThread_getsUnknownAndStaysInterrupted() {
    try (ObjectStore store = open()) {
      Thread.currentThread().interrupt();

      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("")))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void missingBucket_isNamed() {
    ObjectStoreUrl.Bucket missing = url("s3://no-such-bucket/x?endpoint=" + server.endpoint());
    try (ObjectStore store = open(missing, S3ObjectStore.DEFAULT_TIMEOUT)) {
      assertThatThrownBy(() -> store.get("a"))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("There is no bucket 'no-such-bucket'");
      assertThatThrownBy(() -> store.putIfMatch("a", Bodies.plain(""), "tag"))
          .isInstanceOf(StoreIncompatibleException.class);
      assertThatThrownBy(() -> store.listAll("")).isInstanceOf(StoreIncompatibleException.class);
    }
  }

  @Test
  void wrongRegion_namesTheRightOne() {
    ObjectStoreUrl.Bucket elsewhere =
        url("s3://" + FaultyS3Server.BUCKET + "?region=eu-north-1&endpoint=" + server.endpoint());
    try (ObjectStore store = open(elsewhere, S3ObjectStore.DEFAULT_TIMEOUT)) {
      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("")))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("region=us-east-1");
    }
  }

  @Test
  void deniedCredentials_sayWhatToGrant() {
    try (ObjectStore store = open()) {
      server.next("PUT", S3Fault.DENY);

      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("")))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("s3:PutObject")
          .hasMessageContaining(FaultyS3Server.BUCKET);
    }
  }

  @Test
  void noCredentials_sayWhatToSet() {
    AwsCredentialsProvider none =
        AwsCredentialsProviderChain.of(SystemPropertyCredentialsProvider.create());

    assertThatThrownBy(
            () -> S3ObjectStore.open(server.url(""), none, S3ObjectStore.DEFAULT_TIMEOUT))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("AWS_ACCESS_KEY_ID");
  }

  @Test
  void serverThatWantsBareTags_isUnderstoodInThatForm() {
    try (FaultyS3Server old = new FaultyS3Server(new S3Objects().wantingBareTags());
        S3ObjectStore quoted = open(old.url(""), S3ObjectStore.DEFAULT_TIMEOUT)) {
      String tag = ((Stored) quoted.putIfAbsent("a", Bodies.plain("1"))).tag();

      assertThat(quoted.putIfMatch("a", Bodies.plain("2"), tag)).isInstanceOf(Lost.class);
      assertThat(quoted.with(S3ObjectStore.TagForm.BARE).putIfMatch("a", Bodies.plain("2"), tag))
          .isInstanceOf(Stored.class);
    }
  }

  @Test
  void deleteAll_thatFailsForOneKey_namesItAndDeletesTheOthers() {
    try (FaultyS3Server clinging = new FaultyS3Server(new S3Objects().clingingTo("d/1"));
        ObjectStore store = open(clinging.url(""), S3ObjectStore.DEFAULT_TIMEOUT)) {
      store.putIfAbsent("d/1", Bodies.plain(""));
      store.putIfAbsent("d/2", Bodies.plain(""));

      assertThatThrownBy(() -> store.deleteAll(List.of("d/1", "d/2")))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'d/1'");
      assertThat(store.listAll("").stream().map(ListedObject::key)).containsExactly("d/1");
    }
  }

  private static ObjectStoreUrl.Bucket url(String text) {
    return (ObjectStoreUrl.Bucket) ObjectStoreUrl.parse(text);
  }
}
