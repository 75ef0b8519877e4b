package dev.sluice.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The processes of the server in one directory, found without the help of the code under test. */
record ServerProcesses(Path directory) {

  ProcessHandle postmaster() throws IOException {
    String pid = Files.readAllLines(directory.resolve("data/postmaster.pid")).get(0).strip();
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  ProcessHandle supervisor() throws IOException {
    return postmaster().parent().orElseThrow();
  }

  /** Supervisor, watch, postmaster and every backend. */
  List<ProcessHandle> all() throws IOException {
    ProcessHandle supervisor = supervisor();
    return Stream.concat(Stream.of(supervisor), supervisor.descendants()).toList();
  }

  /** Processes that work in the data directory: the postmaster and its children. */
  List<Long> alive() {
    List<Long> pids = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      Path data = directory.toRealPath().resolve("data");
      for (Path process : processes) {
        if (worksIn(process, data)) {
          pids.add(Long.parseLong(process.getFileName().toString()));
        }
      }
      return pids;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean worksIn(Path process, Path data) {
    try {
      return Files.readSymbolicLink(process.resolve("cwd")).equals(data);
    } catch (IOException gone) {
      return false;
    }
  }
}
