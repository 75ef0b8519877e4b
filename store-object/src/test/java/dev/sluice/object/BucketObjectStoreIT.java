package dev.sluice.object;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Any bucket you name, with the SDK's usual search for credentials. Each test writes below a prefix
 * of its own and removes it.
 */
@EnabledIfEnvironmentVariable(named = BucketObjectStoreIT.URL_VARIABLE, matches = "s3://.+")
class BucketObjectStoreIT extends BucketContract {
  static final String URL_VARIABLE = "SLUICE_TEST_S3_URL";

  @Override
  S3ObjectStore connect(String below) {
    var url = (ObjectStoreUrl.Bucket) ObjectStoreUrl.parse(System.getenv(URL_VARIABLE));
    String prefix = url.prefix().isEmpty() ? below : url.prefix() + "/" + below;
    return S3ObjectStore.open(
        new ObjectStoreUrl.Bucket(
            url.bucket(), prefix, url.endpoint(), url.region(), url.pathStyle()));
  }
}
