package dev.sluice.object;

/** The keys of the servers that tests start, where the SDK looks for keys. */
final class TestCredentials {
  static final String ACCESS_KEY = "sluice-access-key";
  static final String SECRET_KEY = "sluice-secret-key";

  private TestCredentials() {}

  /** Lets this JVM use them. */
  static void use() {
    System.setProperty("aws.accessKeyId", ACCESS_KEY);
    System.setProperty("aws.secretAccessKey", SECRET_KEY);
  }
}
