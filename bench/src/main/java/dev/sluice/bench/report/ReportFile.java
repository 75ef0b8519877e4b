package dev.sluice.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reports as JSON files: what {@code --json} writes and {@code compare} reads. The field {@code
 * format} comes first and grows when a file of the old form can no longer be read.
 */
public final class ReportFile {
  private static final int FORMAT = 1;
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .addModule(RatioJson.module())
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private ReportFile() {}

  /**
   * Writes a report, over whatever the file held.
   *
   * @throws InvalidRequestException if the file cannot be written
   */
  public static void write(Path file, Report report) {
    TextFile.write(file, toJson(report));
  }

  static String toJson(Report report) {
    ObjectNode json = MAPPER.createObjectNode().put("format", FORMAT);
    json.setAll((ObjectNode) MAPPER.valueToTree(report));
    try {
      return MAPPER.writeValueAsString(json) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A report is plain data", e);
    }
  }

  /**
   * Reads a report.
   *
   * @throws InvalidRequestException if there is no such file, or it holds something else
   */
  public static Report read(Path file) {
    try {
      JsonNode json = MAPPER.readTree(Files.readString(file));
      JsonNode format = json.path("format");
      if (!format.isInt()) {
        throw new InvalidRequestException(noReport(file, "it has no number 'format'"));
      }
      if (format.intValue() != FORMAT) {
        throw new InvalidRequestException(
            "%s is a report of format %d, and this version reads format %d. Run the benchmark again with --json."
                .formatted(file, format.intValue(), FORMAT));
      }
      return MAPPER.treeToValue(json, Report.class);
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException(noReport(file, e.getOriginalMessage()), e);
    } catch (NoSuchFileException e) {
      throw new InvalidRequestException(
          "There is no file %s. Name a file that a benchmark wrote with --json.".formatted(file),
          e);
    } catch (IOException e) {
      throw new InvalidRequestException(noReport(file, e.getMessage()), e);
    }
  }

  private static String noReport(Path file, String reason) {
    return "%s is no report: %s. Name a file that a benchmark wrote with --json."
        .formatted(file, reason);
  }
}
