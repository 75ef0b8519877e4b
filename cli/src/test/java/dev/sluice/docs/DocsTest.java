package dev.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What the documents say in Java is what {@link GuideSnippetsIT} and others compile and run. */
class DocsTest {
  private static final Pattern JAVA_BLOCK =
      Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern LINK =
      Pattern.compile("\\[[^]]+]\\((?!https?:)([^)#]+)(#[^)]*)?\\)");
  static final Path ROOT = root();
  private static final List<String> SNIPPETS =
      List.of(
          "cli/src/test/java/dev/sluice/docs/GuideSnippetsIT.java",
          "cli/src/test/java/dev/sluice/docs/OperatingSnippetsIT.java",
          "cli/src/test/java/dev/sluice/docs/ThrottleSnippetsIT.java",
          "throttle-s3/src/test/java/dev/sluice/throttle/s3/TransferSnippetsIT.java");

  /** Those with Java; the program of the first guide is compiled by {@link FirstJobIT}. */
  private static final List<String> DOCUMENTS =
      List.of(
          "README.md",
          "docs/guide.md",
          "docs/throttles.md",
          "docs/operating.md",
          "docs/metrics.md",
          "docs/api.md");

  @TestFactory
  List<DynamicTest> javaBlock_occursInTheCompiledSnippets() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (String file : SNIPPETS) {
      sources.append(read(Path.of(file)));
    }
    String compiled = withoutIndentation(sources.toString());
    List<DynamicTest> tests = new ArrayList<>();
    for (String document : DOCUMENTS) {
      Matcher blocks = JAVA_BLOCK.matcher(read(Path.of(document)));
      while (blocks.find()) {
        String block = blocks.group(1);
        String name = document + ": " + block.lines().findFirst().orElse("(empty)").strip();
        tests.add(
            DynamicTest.dynamicTest(
                name, () -> assertThat(compiled).contains(withoutIndentation(block))));
      }
    }
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  @TestFactory
  List<DynamicTest> relativeLink_leadsSomewhere() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Path document : documents()) {
      Matcher links = LINK.matcher(read(document));
      while (links.find()) {
        Path target = ROOT.resolve(document).resolveSibling(links.group(1)).normalize();
        tests.add(
            DynamicTest.dynamicTest(
                document + ": " + links.group(1), () -> assertThat(target).exists()));
      }
    }
    assertThat(tests).isNotEmpty();
    return tests;
  }

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    for (String directory : List.of("", "docs", "docs/adr", "examples/media-pipeline")) {
      try (var files = Files.newDirectoryStream(ROOT.resolve(directory), "*.md")) {
        files.forEach(file -> documents.add(ROOT.relativize(file)));
      }
    }
    return documents;
  }

  private static String withoutIndentation(String code) {
    return code.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static String read(Path file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  /** The directory of the whole project: tests run in that of their module, or in an IDE's. */
  private static Path root() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("mvnw"))) {
      directory = directory.getParent();
    }
    return directory;
  }
}
