package dev.sluice.bench.report;

import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The list of families in the index of the documentation. It stands between two comments; the rest
 * of the page belongs to whoever writes it. A page that is missing, or has no such list, is left
 * alone.
 */
final class DocsIndex {
  private static final Pattern LIST =
      Pattern.compile("(<!-- families -->\n)(.*?)(<!-- end -->)", Pattern.DOTALL);
  private static final Pattern ENTRY = Pattern.compile("- \\[(.+?)\\]\\(.*");

  private final Path page;

  DocsIndex(Path page) {
    this.page = page;
  }

  /** Lists a family, in the order of names; an older entry of the same name is replaced. */
  void add(String family, String summary) {
    if (!Files.exists(page)) {
      return;
    }
    String text = read();
    Matcher list = LIST.matcher(text);
    if (!list.find()) {
      return;
    }
    TreeMap<String, String> entries = new TreeMap<>();
    list.group(2)
        .lines()
        .map(ENTRY::matcher)
        .filter(Matcher::matches)
        .forEach(entry -> entries.put(entry.group(1), entry.group()));
    entries.put(family, "- [%s](%s.md): %s".formatted(family, family, summary));
    String listed = String.join("\n", entries.values()) + "\n";
    TextFile.write(page, text.substring(0, list.end(1)) + listed + text.substring(list.start(3)));
  }

  private String read() {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new InvalidRequestException(
          "%s cannot be read (%s). Name another directory with --docs.".formatted(page, e), e);
    }
  }
}
