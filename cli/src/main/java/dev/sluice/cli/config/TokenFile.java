package dev.sluice.cli.config;

import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Tokens, from settings and from the files that settings name. */
public final class TokenFile {
  private TokenFile() {}

  /**
   * The tokens of a role.
   *
   * @param directory what relative paths start from
   * @param warnings hears of files that everybody can read
   * @throws InvalidRequestException if a file cannot be read or has no token in it
   */
  public static List<String> tokens(
      Configuration configuration,
      Setting<List<String>> direct,
      Setting<String> file,
      Path directory,
      Consumer<String> warnings) {
    List<String> tokens = new ArrayList<>();
    configuration.find(direct).ifPresent(found -> tokens.addAll(found.value()));
    configuration
        .find(file)
        .ifPresent(found -> tokens.addAll(read(directory.resolve(found.value()), file, warnings)));
    return tokens;
  }

  private static List<String> read(Path path, Setting<String> setting, Consumer<String> warnings) {
    try {
      List<String> tokens =
          Files.readAllLines(path).stream().map(String::strip).filter(l -> !l.isEmpty()).toList();
      if (tokens.isEmpty()) {
        throw new InvalidRequestException(
            "%s names the file %s, which has no token in it.".formatted(setting.key(), path));
      }
      if (Secrets.isOpenToAll(path)) {
        warnings.accept(
            "%s has tokens in it and can be read by everybody; chmod 600 it.".formatted(path));
      }
      return tokens;
    } catch (IOException e) {
      throw new InvalidRequestException(
          "%s names the file %s, which cannot be read.".formatted(setting.key(), path), e);
    }
  }
}
