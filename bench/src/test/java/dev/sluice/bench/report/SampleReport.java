package dev.sluice.bench.report;

import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A report with some of everything. */
public final class SampleReport {
  private SampleReport() {}

  public static Report create() {
    return with(
        List.of(
            subject("baseline", 41_250, 44_810, 43_002),
            subject("all tasks at limit 10", 39_900, 43_700, 42_870),
            new Subject(
                "measured <once> & never \"again\"",
                Map.of("workers", "4"),
                Map.of(Subject.JOBS_PER_SECOND, Figure.once("jobs/s", 1_234.5)))));
  }

  public static Report with(List<Subject> subjects) {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put(Machine.PROCESSOR, "2 × Example Processor 3.0");
    machine.put(Machine.MEMORY, "8 GB");
    machine.put(Machine.JAVA, "17.0.1");
    machine.put(Machine.POSTGRESQL, "16.4");
    machine.put("fsync", "on");
    return new Report(
        "./sluice bench concurrency --rounds 3",
        Instant.parse("2026-03-01T14:05:11.25Z"),
        machine,
        List.of(
            new Section(
                "concurrency",
                "No-op jobs, without a limit and at limit 10.",
                subjects,
                List.of(
                    ratio("all tasks vs baseline", Ratio.Goal.atLeast(0.8, 0.95), 0.97, 0.99, 0.96),
                    ratio("claim time vs baseline", Ratio.Goal.atMost(1.1, 1.0), 1.21, 1.3, 1.2),
                    new Ratio("only told", Figure.once("", 0.5), Optional.empty())),
                List.of(
                    curve("no limit", 0.4, 0.42, 0.41, 0.44),
                    curve("limit 10 & <full>", 0.6, 4, 30, 240)),
                List.of("The machine was shared."))));
  }

  public static Subject subject(String name, double... jobsPerSecond) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put(Subject.JOBS_PER_SECOND, figure("jobs/s", jobsPerSecond));
    figures.put("claim p99", figure("ms", 1.234, 1.1, 1.42));
    return new Subject(name, Map.of("workers", "4", "batch", "200"), figures);
  }

  static Figure figure(String unit, double... values) {
    return new Figure(unit, Arrays.stream(values).boxed().toList());
  }

  private static Ratio ratio(String name, Ratio.Goal goal, double... values) {
    return new Ratio(name, figure("", values), Optional.of(goal));
  }

  private static Curve curve(String line, double... milliseconds) {
    List<Curve.Point> points =
        IntStream.range(0, milliseconds.length)
            .mapToObj(i -> new Curve.Point(1_000 * Math.pow(10, i), milliseconds[i]))
            .toList();
    return new Curve("claim time against backlog", line, "waiting jobs", "claim in ms", points);
  }
}
