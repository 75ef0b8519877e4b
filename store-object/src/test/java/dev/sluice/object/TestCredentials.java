package dev.sluice.object;

import java.util.Map;

/** The keys of the servers that tests start, where the SDK looks for keys. */
public final class TestCredentials {
  static final String ACCESS_KEY = "sluice-access-key";
  static final String SECRET_KEY = "sluice-secret-key";

  private TestCredentials() {}

  /** Lets other processes use them, unless this one was given others. */
  public static Map<String, String> environment() {
    return System.getenv("AWS_ACCESS_KEY_ID") == null
        ? Map.of("AWS_ACCESS_KEY_ID", ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        : Map.of();
  }

  /** Lets this JVM use them. */
  public static void use() {
    System.setProperty("aws.accessKeyId", ACCESS_KEY);
    System.setProperty("aws.secretAccessKey", SECRET_KEY);
  }
}
