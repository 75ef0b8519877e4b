package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreIncompatibleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** A real Ceph. The one of Debian 12 wants tags without quotes, and so tests that too. */
class CephObjectStoreIT extends BucketContract {
  @RegisterExtension static final CephServer SERVER = new CephServer();

  @Override
  S3ObjectStore connect(String prefix) {
    return S3ObjectStore.open(
        SERVER.url(prefix), SERVER.credentials(), S3ObjectStore.DEFAULT_TIMEOUT);
  }

  @Test
  void wrongSecret_saysSo() {
    var wrong =
        StaticCredentialsProvider.create(AwsBasicCredentials.create("sluice-access-key", "no"));
    try (ObjectStore store =
        S3ObjectStore.open(SERVER.url("x"), wrong, S3ObjectStore.DEFAULT_TIMEOUT)) {
      assertThatThrownBy(() -> store.get("a"))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("credentials are wrong");
    }
  }

  @Test
  void missingBucket_isNamed() {
    var url =
        new ObjectStoreUrl.Bucket("no-such-bucket", "", SERVER.url("").endpoint(), null, true);
    try (ObjectStore store =
        S3ObjectStore.open(url, SERVER.credentials(), S3ObjectStore.DEFAULT_TIMEOUT)) {
      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("")))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("There is no bucket 'no-such-bucket'");
    }
  }

  @Test
  void probe_isRememberedAndCostsOneRequestTheNextTime() {
    try (ObjectStore first = ObjectStores.open(connect("probe"), new RequestMeter())) {
      RequestMeter meter = new RequestMeter();
      ObjectStores.open(connect("probe"), meter).close();
      assertThat(meter.report().requests()).isEqualTo(1);
    }
  }
}
