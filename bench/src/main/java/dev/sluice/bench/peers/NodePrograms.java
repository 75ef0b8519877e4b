package dev.sluice.bench.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The programs of the peers that run on Node. They come with this class, and are unpacked into a
 * directory where {@code npm ci} installs what they need, once for each lock file.
 */
final class NodePrograms {
  private static final String LOCK = "package-lock.json";
  private static final List<String> FILES =
      List.of("package.json", LOCK, "measure.js", "graphile-worker.js", "pg-boss.js");
  private static final String REMEDY =
      " Install them (apt-get install nodejs npm), or leave these peers out with --only.";

  private final Path directory;
  private final Consumer<String> remarks;
  private boolean installed;

  /**
   * @param remarks hears what takes long
   */
  NodePrograms(Path directory, Consumer<String> remarks) {
    this.directory = directory;
    this.remarks = remarks;
  }

  /** The version that a package is pinned to. */
  String versionOf(String library) {
    try (InputStream manifest = resource("package.json")) {
      return new ObjectMapper().readTree(manifest).at("/dependencies/" + library).asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Unpacks the programs, and installs what they need unless it is there.
   *
   * @throws PeerUnavailableException if Node or npm is missing, or npm fails
   */
  void install() {
    if (installed) {
      return;
    }
    requireTool("node");
    requireTool("npm");
    try {
      Files.createDirectories(directory);
      for (String file : FILES) {
        try (InputStream content = resource(file)) {
          Files.copy(content, directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      Path done = directory.resolve("installed.json");
      if (!Files.exists(done) || Files.mismatch(done, directory.resolve(LOCK)) >= 0) {
        remarks.accept("Installing the peers that run on Node (once, npm ci)...");
        npmCi();
        Files.copy(directory.resolve(LOCK), done, StandardCopyOption.REPLACE_EXISTING);
      }
      installed = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PeerUnavailableException("Interrupted while npm was installing the peers.", e);
    }
  }

  private void npmCi() throws IOException, InterruptedException {
    try {
      new ChildProgram(directory, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
          .run("npm", Map.of());
    } catch (ChildFailedException e) {
      throw new PeerUnavailableException(
          "npm could not install the peers that run on Node: "
              + e.getMessage()
              + ". It needs the registry once; or leave these peers out with --only.",
          e);
    }
  }

  private void requireTool(String tool) {
    try {
      Process process =
          new ProcessBuilder(tool, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (process.waitFor() == 0) {
        return;
      }
      throw new PeerUnavailableException(
          "'" + tool + " --version' fails, and some peers need Node and npm." + REMEDY);
    } catch (IOException e) {
      throw new PeerUnavailableException(
          "There is no '" + tool + "', and some peers need Node and npm." + REMEDY, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PeerUnavailableException("Interrupted while looking for " + tool + ".", e);
    }
  }

  /**
   * Runs a program and returns the last line it printed.
   *
   * @param name what its log is named after
   * @throws ChildFailedException if it dies
   */
  String run(String name, String program, Map<String, String> environment)
      throws IOException, InterruptedException {
    return new ChildProgram(directory, "node", program).run(name, environment);
  }

  private static InputStream resource(String file) throws IOException {
    InputStream content = NodePrograms.class.getResourceAsStream("node/" + file);
    if (content == null) {
      throw new IOException("The build left out " + file + " of the Node programs.");
    }
    return content;
  }
}
