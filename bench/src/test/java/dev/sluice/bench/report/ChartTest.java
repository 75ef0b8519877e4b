package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ChartTest {
  private final Report report = SampleReport.create();
  private final Section section = report.sections().get(0);

  @Test
  void bars_oneForEachSubjectWithWhiskers() throws Exception {
    Document chart = parsed(BarChart.draw(section, report).orElseThrow());
    assertThat(chart.getElementsByTagName("rect").getLength()).isEqualTo(1 + 3);
    assertThat(chart.getDocumentElement().getTextContent())
        .contains("43,002", "measured <once> & never \"again\"", report.command(), "jobs/s");
  }

  @Test
  void bars_nothingMeasured_noChart() {
    Section empty = new Section("empty", "", List.of(), List.of(), List.of(), List.of());
    assertThat(BarChart.draw(empty, report)).isEmpty();
  }

  @Test
  void lines_oneForEachCurve() throws Exception {
    Document chart = parsed(LineChart.draw(section.curves(), section.summary(), report));
    assertThat(chart.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    assertThat(chart.getElementsByTagName("circle").getLength()).isEqualTo(8);
    assertThat(chart.getDocumentElement().getTextContent())
        .contains("limit 10 & <full>", "waiting jobs", "claim in ms", "1M");
  }

  @Test
  void lines_ofOnePointAtZero_areDrawnAllTheSame() throws Exception {
    Curve curve = new Curve("c", "l", "x", "y", List.of(new Curve.Point(0, 0)));
    assertThat(parsed(LineChart.draw(List.of(curve), "", report))).isNotNull();
  }

  private static Document parsed(String svg) throws Exception {
    assertThat(svg).doesNotContain("NaN", "Infinity");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }
}
