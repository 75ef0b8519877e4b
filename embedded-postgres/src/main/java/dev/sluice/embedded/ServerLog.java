package dev.sluice.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * What the server prints: one file and, after a megabyte, one older file. Turned over at a start.
 */
record ServerLog(ServerFiles files) {

  static final long TURN_OVER_BYTES = 1 << 20;
  private static final int TAIL_BYTES = 8 << 10;
  private static final int TAIL_LINES = 20;

  void turnOver() {
    try {
      if (Files.exists(files.log()) && Files.size(files.log()) > TURN_OVER_BYTES) {
        Files.move(files.log(), files.oldLog(), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The log " + files.log() + " could not be turned over", e);
    }
  }

  /** The last lines, for an error message; never fails. */
  String tail() {
    try (RandomAccessFile file = new RandomAccessFile(files.log().toFile(), "r")) {
      file.seek(Math.max(0, file.length() - TAIL_BYTES));
      byte[] bytes = new byte[(int) (file.length() - file.getFilePointer())];
      file.readFully(bytes);
      List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "(the log could not be read: " + e.getMessage() + ")";
    }
  }
}
