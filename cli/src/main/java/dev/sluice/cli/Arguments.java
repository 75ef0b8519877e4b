package dev.sluice.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The arguments as they were typed. In a locale without UTF-8 (LANG=C, as in many containers) the
 * JVM turns every other character into a question mark, and two different group names would become
 * one; Linux still has the bytes.
 */
final class Arguments {
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private Arguments() {}

  static String[] asTyped(String[] args) {
    String encoding = System.getProperty("sun.jnu.encoding", "");
    if (encoding.equalsIgnoreCase("UTF-8") || !Files.isReadable(COMMAND_LINE)) {
      return args;
    }
    try {
      return fromCommandLine(Files.readAllBytes(COMMAND_LINE), args);
    } catch (IOException e) {
      return args;
    }
  }

  /** The last arguments of a NUL-separated command line, unless they are not the same ones. */
  static String[] fromCommandLine(byte[] commandLine, String[] args) {
    String[] all = new String(commandLine, StandardCharsets.UTF_8).split("\0", -1);
    // What follows the last NUL is empty.
    int first = all.length - 1 - args.length;
    if (first < 1) {
      return args;
    }
    String[] typed = Arrays.copyOfRange(all, first, first + args.length);
    for (int i = 0; i < args.length; i++) {
      boolean ascii = typed[i].chars().allMatch(c -> c < 128);
      if (ascii && !typed[i].equals(args[i])) {
        return args;
      }
    }
    return typed;
  }
}
