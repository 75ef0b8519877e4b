package dev.sluice.cli.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A configuration file that could be read; whether what stands in it makes sense is not known yet.
 *
 * @param path where it is
 * @param tree what stands in it
 * @param lines on which line
 */
record ConfigFile(Path path, ObjectNode tree, KeyLines lines) {
  private static final TomlMapper TOML = new TomlMapper();

  /** Reads a file; what cannot be read is empty, and a problem says so. */
  static ConfigFile read(Path path, Consumer<Problem> problems) {
    ObjectNode nothing = TOML.createObjectNode();
    try {
      String text = Files.readString(path);
      JsonNode tree = TOML.readTree(text);
      return new ConfigFile(
          path, tree instanceof ObjectNode object ? object : nothing, KeyLines.of(text));
    } catch (JacksonException e) {
      // The parser's own words never quote the file, in which secrets may be.
      String line = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
      problems.accept(
          new Problem(path + line, "This is not TOML: " + e.getOriginalMessage() + "."));
    } catch (CharacterCodingException e) {
      problems.accept(new Problem(path.toString(), "The file is not UTF-8."));
    } catch (IOException e) {
      problems.accept(
          new Problem(path.toString(), "The file cannot be read; is it there, and yours to read?"));
    }
    return new ConfigFile(path, nothing, KeyLines.of(""));
  }

  /** The file with the line of the key, as compilers write it. */
  String where(List<String> key) {
    return path + lines.of(key).map(line -> ":" + line).orElse("");
  }
}
