package dev.sluice.bench.pages;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What the calls took, as a section of the report. */
final class PagesSection {
  private static final Goal GOAL = Goal.atMost(300, 100);

  private final Size size;
  private final List<Visits> visits;

  PagesSection(Size size, List<Visits> visits) {
    this.size = size;
    this.visits = visits;
  }

  Section section(Scenario scenario) {
    return new Section(
        scenario.name(),
        scenario.summary(),
        visits.stream().map(PagesSection::subject).toList(),
        visits.stream().flatMap(PagesSection::judged).toList(),
        List.of(),
        List.of(
            "On record: %s.".formatted(size),
            "Times are those of a client on the same machine, from sending the request to the last"
                + " byte of the answer; of the event stream, to the first event.",
            "First: on a server that has just started, with new connections and nothing in its"
                + " memory; in a process that has answered such calls before.",
            "Judged is the slowest of all later calls, and the first by itself."));
  }

  private static Subject subject(Visits visits) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put("time", visits.later());
    figures.put("first", visits.first());
    return new Subject(visits.call().name(), Map.of(), figures);
  }

  private static Stream<Ratio> judged(Visits visits) {
    return Stream.of(
        new Ratio(
            visits.call().name() + ", slowest, ms",
            Figure.once("ms", visits.later().most()),
            Optional.of(GOAL)),
        new Ratio(visits.call().name() + ", first, ms", visits.first(), Optional.of(GOAL)));
  }
}
