package dev.sluice.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM that runs {@link ServerUser}. */
final class UserProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader answers;
  private final PrintStream requests;

  private UserProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /** Starts the JVM and returns at once. */
  static UserProcess start(Path directory) throws IOException {
    return start(directory, List.of(), System.getProperty("java.class.path"), Map.of());
  }

  static UserProcess start(
      Path directory, List<String> prefix, String classPath, Map<String, String> environment)
      throws IOException {
    List<String> words = new ArrayList<>(prefix);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath));
    words.addAll(List.of(ServerUser.class.getName(), directory.toString()));
    ProcessBuilder builder = new ProcessBuilder(words).redirectError(Redirect.INHERIT);
    builder.environment().putAll(environment);
    return new UserProcess(builder.start());
  }

  /** Starts the JVM and waits until it has joined the server. */
  static UserProcess joined(Path directory) throws IOException {
    UserProcess user = start(directory);
    user.awaitJoined();
    return user;
  }

  int awaitJoined() {
    String answer = read();
    if (!answer.startsWith("joined ")) {
      throw new AssertionError(answer);
    }
    return Integer.parseInt(answer.substring("joined ".length()));
  }

  String ask(String request) {
    requests.println(request);
    return read();
  }

  /** Ends the JVM as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    requests.close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      kill();
    }
  }

  private String read() {
    try {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        if (line.startsWith("> ")) {
          return line.substring(2);
        }
      }
      return "ended";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
