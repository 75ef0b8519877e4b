package dev.sluice.object;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A Ceph object gateway that the integration tests of a module share, started with the first test
 * class that needs it and stopped after the last. It also stops if this JVM is killed, for then its
 * standard input ends.
 */
public final class CephServer implements BeforeAllCallback {
  /** The bucket of all tests. */
  public static final String BUCKET = "sluice-tests";

  private static final AwsBasicCredentials KEYS =
      AwsBasicCredentials.create(TestCredentials.ACCESS_KEY, TestCredentials.SECRET_KEY);
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(CephServer.class);

  private volatile Running running;

  @Override
  public void beforeAll(ExtensionContext context) {
    running =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent("server", key -> Running.start(), Running.class);
  }

  /** The keys of its user. */
  public AwsCredentialsProvider credentials() {
    return StaticCredentialsProvider.create(KEYS);
  }

  /** Where it listens. */
  public URI endpoint() {
    return running.endpoint;
  }

  /** The URL of its bucket, with this prefix. */
  ObjectStoreUrl.Bucket url(String prefix) {
    return new ObjectStoreUrl.Bucket(BUCKET, prefix, running.endpoint, null, true);
  }

  private record Running(Process script, URI endpoint) implements AutoCloseable {
    static Running start() {
      int port = freePort();
      try {
        Process script =
            new ProcessBuilder(
                    findScript().toString(),
                    Path.of("target", "ceph").toAbsolutePath().toString(),
                    Integer.toString(freePort()),
                    Integer.toString(port),
                    KEYS.accessKeyId(),
                    KEYS.secretAccessKey())
                .redirectError(Redirect.INHERIT)
                .start();
        BufferedReader output = script.inputReader(StandardCharsets.UTF_8);
        if (!"ready".equals(output.readLine())) {
          throw new IllegalStateException(
              "Ceph did not start. Does this machine have ceph-mon, ceph-osd and radosgw? ./check installs them.");
        }
        Running running = new Running(script, URI.create("http://127.0.0.1:" + port));
        running.createBucket();
        return running;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void createBucket() {
      try (S3Client client =
          S3Client.builder()
              .endpointOverride(endpoint)
              .forcePathStyle(true)
              .region(Region.US_EAST_1)
              .credentialsProvider(StaticCredentialsProvider.create(KEYS))
              .httpClientBuilder(Apache5HttpClient.builder())
              .build()) {
        client.createBucket(request -> request.bucket(BUCKET));
      }
    }

    @Override
    public void close() throws Exception {
      script.getOutputStream().close();
      if (!script.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("start-ceph, process " + script.pid() + ", does not end");
      }
    }

    /** Tests run in the directory of their module, or in that of the whole project. */
    private static Path findScript() {
      Path root = Path.of("").toAbsolutePath();
      while (!Files.exists(root.resolve("mvnw"))) {
        root = root.getParent();
      }
      return root.resolve(Path.of("store-object", "src", "test", "ceph", "start-ceph"));
    }

    private static int freePort() {
      try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        return any.getLocalPort();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
