package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.example.media.Video.Rendition;
import dev.sluice.throttle.Environment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MediaToolsTest {
  private static MediaTools tools(Map<String, String> variables) {
    Map<String, String> all = new HashMap<>(variables);
    all.put("EFFECTIVE_CPU_CORES", "8");
    Environment environment = new Environment(all);
    return new MediaTools(Studio.throttles(environment), environment, new Timeline(span -> {}));
  }

  @ParameterizedTest
  @CsvSource({
    "GREEDY_PER_JOB, true, 8",
    "GREEDY_PER_JOB, false, 1",
    "DISK_CONCURRENCY, 2, 4",
    "DISK_CONCURRENCY, 3, 2",
    "DISK_CONCURRENCY, 20, 1"
  })
  void transcoding_dividesTheCoresAmongThoseLetIn(String variable, String value, String threads) {
    MediaTools tools = tools(Map.of(variable, value));
    List<String> command =
        tools.transcoding(Path.of("video.mkv"), new Rendition("720p", 720, 2500)).stream()
            .flatMap(List::stream)
            .toList();
    // To read, and to write; scaling has a word of its own.
    assertThat(command.indexOf("-threads")).isLessThan(command.indexOf("-i"));
    assertThat(command.lastIndexOf("-threads")).isGreaterThan(command.indexOf("-i"));
    assertThat(after(command, command.indexOf("-threads"))).isEqualTo(threads);
    assertThat(after(command, command.lastIndexOf("-threads"))).isEqualTo(threads);
    assertThat(after(command, command.indexOf("-filter_threads"))).isEqualTo(threads);
  }

  @Test
  void fetching_hasAsManyConnectionsAsTheCoresOrTheVariableSay() {
    assertThat(connections(tools(Map.of()))).isEqualTo("16");
    assertThat(connections(tools(Map.of("YTDLP_CONNECTIONS", "5")))).isEqualTo("5");
  }

  private static String connections(MediaTools tools) {
    List<String> command =
        tools.fetching("http://localhost/").stream().flatMap(List::stream).toList();
    return after(command, command.indexOf("-N"));
  }

  private static String after(List<String> words, int index) {
    return words.get(index + 1);
  }
}
