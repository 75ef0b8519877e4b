package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged program in a process of its own, with its output in files. */
final class Program implements AutoCloseable {
  private static final Path JAR = Path.of("target", "sluice.jar").toAbsolutePath();

  private final Process process;
  private final Path out;
  private final Path err;

  private Program(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  static Program start(String... args) throws IOException {
    return start(Map.of(), args);
  }

  static Program start(Map<String, String> environment, String... args) throws IOException {
    return start(Path.of(""), environment, args);
  }

  static Program start(Path directory, Map<String, String> environment, String... args)
      throws IOException {
    Path out = Files.createTempFile("sluice", ".out");
    Path err = Files.createTempFile("sluice", ".err");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", JAR.toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toAbsolutePath().toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    // Whoever runs the tests may have a configuration of their own.
    builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
    builder
        .environment()
        .put("XDG_CONFIG_HOME", Path.of("target", "nowhere").toAbsolutePath().toString());
    builder.environment().putAll(environment);
    return new Program(builder.start(), out, err);
  }

  static Run run(String... args) throws Exception {
    try (Program program = start(args)) {
      return program.await();
    }
  }

  Run await() throws Exception {
    assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("the program ends").isTrue();
    return new Run(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8), err());
  }

  String out() throws IOException {
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  String err() throws IOException {
    return Files.readString(err, StandardCharsets.UTF_8);
  }

  void signal(String name) throws Exception {
    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(out);
    Files.deleteIfExists(err);
  }
}
