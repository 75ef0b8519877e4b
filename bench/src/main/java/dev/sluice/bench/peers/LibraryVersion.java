package dev.sluice.bench.peers;

import java.security.CodeSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a library as the class path has it: what the name of its jar says. */
final class LibraryVersion {
  private static final Pattern JAR = Pattern.compile(".*/[^/]*?-(\\d[^/]*)\\.jar");

  private LibraryVersion() {}

  static String of(Class<?> ofLibrary) {
    CodeSource source = ofLibrary.getProtectionDomain().getCodeSource();
    return source == null ? inPath("") : inPath(source.getLocation().getPath());
  }

  static String inPath(String path) {
    Matcher jar = JAR.matcher(path);
    return jar.matches() ? jar.group(1) : "built here";
  }
}
