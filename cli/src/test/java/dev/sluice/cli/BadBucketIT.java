package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.object.TestCredentials;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buckets and directories that cannot be used: one line that says what to do. */
class BadBucketIT {
  @TempDir Path directory;

  @BeforeAll
  static void useKeys() {
    TestCredentials.use();
  }

  private static void assertRefused(Run run, String... words) {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("sluice: ").hasLineCount(1).contains(words);
  }

  @ParameterizedTest
  @CsvSource({
    "404, NoSuchBucket, There is no bucket 'jobs-here', Create it",
    "301, PermanentRedirect, is in another region, Write region=eu-north-1",
    "400, AuthorizationHeaderMalformed, is in another region, Write region=eu-north-1",
    "403, AccessDenied, AccessDenied, Grant s3:GetObject",
    "403, InvalidAccessKeyId, credentials are wrong, Check AWS_ACCESS_KEY_ID",
    "403, SignatureDoesNotMatch, credentials are wrong, AWS_SECRET_ACCESS_KEY",
    "403, RequestTimeTooSkewed, RequestTimeTooSkewed, Set this machine's clock"
  })
  void bucket_thatRefuses_saysWhyAndWhatToDo(int status, String code, String why, String remedy)
      throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          byte[] body =
              "<Error><Code>%s</Code></Error>".formatted(code).getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("x-amz-bucket-region", "eu-north-1");
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      String store = "s3://jobs-here/x?endpoint=http://127.0.0.1:" + server.getAddress().getPort();
      for (String[] command :
          List.of(
              new String[] {"submit", "t"},
              new String[] {"queues", "list"},
              new String[] {"worker", "--exec", "t=true"})) {
        assertRefused(Run.of(with(store, command)), why, remedy, "jobs-here");
      }
      Run doctor = Run.of("--store", store, "doctor");
      assertThat(doctor.exitCode()).isEqualTo(ExitCode.NEGATIVE);
      assertThat(doctor.out()).contains("BAD", why, remedy, "One thing is wrong.");
    } finally {
      server.stop(0);
    }
  }

  private static String[] with(String store, String... command) {
    String[] all = new String[command.length + 2];
    all[0] = "--store";
    all[1] = store;
    System.arraycopy(command, 0, all, 2, command.length);
    return all;
  }

  @Test
  void bucket_nobodyListens_saysWhere() {
    assertRefused(
        Run.of("--store", "s3://jobs-here?endpoint=http://127.0.0.1:1", "queues", "list"),
        "127.0.0.1:1",
        "Is the server up");
  }

  @ParameterizedTest
  @CsvSource({
    "s3://a, The bucket 'a'",
    "s3://jobs?colour=red, known are",
    "s3:jobs, of no known form",
    "s3://jobs?endpoint=localhost, Write endpoint=https://host:port",
    "file:, names no directory",
    "file://host/x, must be local"
  })
  void url_malformed_isAMistake(String store, String message) {
    for (String command : List.of("doctor", "jobs list")) {
      Run run = Run.of(with(store, command.split(" ")));
      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).contains(message).hasLineCount(1);
    }
  }

  @Test
  void directory_belowAFile_saysSo() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    assertRefused(
        Run.of("--store", "file:" + file.resolve("data"), "queues", "list"), file.toString());
  }

  @Test
  void directory_usedBySomethingElse_isRefusedByName() throws Exception {
    String store = "file:" + directory.resolve("data");
    assertThat(Run.of("--store", store, "submit", "t").exitCode()).isZero();
    try (var files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String content = Files.readString(file);
        if (content.contains("\"dialect\"")) {
          Files.writeString(file, content.replaceFirst("(?s)\\{.*", "something else"));
        }
      }
    }
    assertRefused(Run.of("--store", store, "queues", "list"), "'probe.json'", "delete the object");
  }
}
