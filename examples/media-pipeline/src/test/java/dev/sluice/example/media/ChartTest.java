package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.throttle.CpuBudget;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Throttles;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ChartTest {
  private final Timeline timeline = new Timeline(span -> {});
  private final Performance performance =
      new Performance(
          "Greedy <off>",
          Throttles.from(new Environment(Map.of("DISK_CONCURRENCY", "2")), CpuBudget.detect()),
          timeline);

  ChartTest() {
    add(Label.TRANSCODE, "clip-1", 0, 600);
    add(Label.TRANSCODE, "clip-2", 100, 300);
    add(Label.TRANSCODE, "clip-2", 300, 500);
    add(Label.RECORD, "clip-1", 700, 720);
  }

  private void add(Label label, String video, int start, int end) {
    timeline.add(new Timeline.Span(label, video, Duration.ofMillis(start), Duration.ofMillis(end)));
  }

  @Test
  void lanes_areAsManyAsRanAtOnce() {
    assertThat(timeline.lanes(Label.TRANSCODE::equals)).hasSize(2);
    assertThat(timeline.lanes(label -> true)).hasSize(2);
    assertThat(timeline.lanes(Label.FETCH::equals)).isEmpty();
  }

  @Test
  void text_hasARowForEachLane() {
    List<String> lines = TextChart.draw(performance);
    assertThat(lines)
        .containsExactly(
            "Greedy <off>",
            row("", "at once", "0" + " ".repeat(66) + "0.7 s"),
            row("disk_ffmpeg_hls", "2 of 2", "A".repeat(60)),
            row("", "", " ".repeat(10) + "B".repeat(40)),
            row("db_write", "1 of " + performance.throttles().db().limit(), " ".repeat(70) + "AA"));
  }

  private static String row(String label, String peak, String letters) {
    return "%-18s %-8s |%-72s|".formatted(label, peak, letters);
  }

  @Test
  void picture_hasABarForEachSpan() throws Exception {
    String svg = GanttChart.draw(List.of(performance, performance), "four cores & more");
    Document chart =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
    assertThat(chart.getElementsByTagName("rect").getLength()).isEqualTo(1 + 2 * 4);
    assertThat(chart.getDocumentElement().getTextContent())
        .contains("Greedy <off>", "disk_ffmpeg_hls, 2 of 2", "four cores & more", "clip-2");
    assertThat(svg).doesNotContain("NaN", "Infinity");
  }

  @Test
  void picture_ofNothing_isDrawnAllTheSame() {
    Performance empty =
        new Performance("Nothing", performance.throttles(), new Timeline(span -> {}));
    assertThat(GanttChart.draw(List.of(empty), "")).contains("Nothing").doesNotContain("NaN");
    assertThat(TextChart.draw(empty)).hasSize(2);
  }
}
