package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Optional;

/**
 * The form of an object's file: one line with the tag and the time of the write, then the body. A
 * file is never changed once it has its name, so tag, time and body always belong together.
 */
final class ObjectFile {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** Shorter than any tag. */
  static final String DAMAGED = "damaged";

  private static final int TAG_LENGTH = 32;
  private static final int LINE_LENGTH = TAG_LENGTH + 1 + 24 + 1;

  /**
   * The first line.
   *
   * @param tag 32 characters that no other write has
   * @param at when it was written
   */
  record Head(String tag, Instant at) {}

  private ObjectFile() {}

  /** Writes a new file and returns when its content would survive a power failure. */
  static void write(Path file, Head head, byte[] body) throws IOException {
    byte[] line =
        (head.tag + " " + TIME.format(head.at) + "\n").getBytes(StandardCharsets.US_ASCII);
    ByteBuffer[] content = {ByteBuffer.wrap(line), ByteBuffer.wrap(body)};
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (content[0].hasRemaining() || content[1].hasRemaining()) {
        channel.write(content);
      }
      channel.force(false);
    }
  }

  /** The whole object, or empty if there is no such file. */
  static Optional<StoredObject> read(Path file, InstantSource clock) throws IOException {
    byte[] content;
    try {
      content = Files.readAllBytes(file);
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    }
    Head head = parse(file, content);
    byte[] body = Arrays.copyOfRange(content, LINE_LENGTH, content.length);
    return Optional.of(new StoredObject(body, head.tag, head.at, clock.instant()));
  }

  /** The first line alone, or empty if there is no such file. */
  static Optional<Head> readHead(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(parse(file, in.readNBytes(LINE_LENGTH)));
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    }
  }

  /**
   * What the list says of the object in this file, or empty if there is no such file. A damaged one
   * is listed, with a tag that no object has: whoever reads it hears of it, and others are not kept
   * from what lies beside it.
   */
  static Optional<ListedObject> describe(String key, Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer line = ByteBuffer.allocate(LINE_LENGTH);
      while (line.hasRemaining() && channel.read(line) >= 0) {
        // The line comes in one piece unless the file is not ours.
      }
      Head head;
      try {
        head = parse(file, Arrays.copyOf(line.array(), line.position()));
      } catch (StoreIncompatibleException damaged) {
        Instant changed = Files.getLastModifiedTime(file).toInstant();
        return Optional.of(new ListedObject(key, DAMAGED, channel.size(), changed));
      }
      return Optional.of(new ListedObject(key, head.tag, channel.size() - LINE_LENGTH, head.at));
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    }
  }

  private static Head parse(Path file, byte[] content) {
    if (content.length >= LINE_LENGTH && content[LINE_LENGTH - 1] == '\n') {
      String line = new String(content, 0, LINE_LENGTH - 1, StandardCharsets.US_ASCII);
      try {
        Instant at = TIME.parse(line.substring(TAG_LENGTH + 1), Instant::from);
        return new Head(line.substring(0, TAG_LENGTH), at);
      } catch (DateTimeException damaged) {
        throw damaged(file);
      }
    }
    throw damaged(file);
  }

  private static StoreIncompatibleException damaged(Path file) {
    return new StoreIncompatibleException(
        "The file "
            + file
            + " is not an object of Sluice, or is damaged: it does not start with a tag and a time."
            + " Restore it from a backup; if something else put it there, move it away.");
  }
}
