package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What holds for the dashboard's files without a browser. */
class DashboardFilesTest {
  private static final Path ROOT = Path.of("src/main/resources/dev/sluice/server/dashboard");
  private static final Path VENDOR = ROOT.resolve("assets/vendor");
  private static final int LONGEST = 500;

  private static List<Path> files(String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(ROOT)) {
      return all.filter(file -> file.toString().endsWith(suffix))
          .filter(file -> !file.startsWith(VENDOR))
          .sorted()
          .toList();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(MatchResult::group).toList();
  }

  @Test
  void scripts_anyData_isNeverParsedAsHtmlOrCode() throws IOException {
    assertThat(files(".js"))
        .isNotEmpty()
        .allSatisfy(
            file ->
                assertThat(
                        found(
                            "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|DOMParser"
                                + "|createContextualFragment|srcdoc|\\beval\\b|new Function"
                                + "|setAttribute\\('style'",
                            text(file)))
                    .as("%s", file)
                    .isEmpty());
  }

  @Test
  void page_strictPolicy_hasNothingInline() {
    String page = text(ROOT.resolve("index.html"));

    assertThat(found("<script(?![^>]* src=)", page)).isEmpty();
    assertThat(found("<style|\\sstyle=|\\son[a-z]+=", page)).isEmpty();
  }

  @Test
  void everyFile_offline_namesNothingElsewhere() throws IOException {
    String page = text(ROOT.resolve("index.html"));
    List<String> named = found("(?<=(?:href|src)=\")[^\"#]+", page);

    assertThat(named)
        .isNotEmpty()
        .allSatisfy(name -> assertThat(ROOT.resolve(name)).isRegularFile());
    assertThat(files(".css"))
        .allSatisfy(file -> assertThat(found("@import|url\\(", text(file))).isEmpty());
  }

  @Test
  void imports_everyModule_leadToFiles() throws IOException {
    assertThat(files(".js"))
        .allSatisfy(
            file ->
                assertThat(found("(?<= from ')[^']+", text(file)))
                    .allSatisfy(
                        name ->
                            assertThat(file.resolveSibling(name)).as("%s", file).isRegularFile()));
  }

  @Test
  void files_ours_stayShort() throws IOException {
    for (String suffix : List.of(".js", ".css", ".html")) {
      assertThat(files(suffix))
          .allSatisfy(file -> assertThat(text(file).lines().count()).isLessThan(LONGEST));
    }
  }
}
