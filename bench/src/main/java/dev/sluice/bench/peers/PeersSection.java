package dev.sluice.bench.peers;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** What the measurements say, as a section of the report. */
final class PeersSection {
  /** The figure of a limited subject that says how many handlers ran at once. */
  static final String PEAK = "peak at limit " + Profile.LIMIT;

  private static final String SUBMITTED_PER_SECOND = "submitted/s";

  private final List<Measured> all;
  private final List<Ratio> ratios = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  private PeersSection(List<Measured> all) {
    this.all = all;
  }

  static Section of(Scenario scenario, List<Measured> all) {
    return new PeersSection(all).section(scenario);
  }

  private Section section(Scenario scenario) {
    remarks.add(
        "No-op jobs, submitted before the workers start; timed from the first handler's start to"
            + " the last one's end, ours until the store has accepted the last completion.");
    Optional<Measured> baseline = complete(named("sluice"));
    Optional<Measured> limited = complete(named("sluice-limit-" + Profile.LIMIT));
    Optional<Measured> fastest = best("the fastest peer", peer(false));
    Optional<Measured> bestLimited = best("the best peer at limit " + Profile.LIMIT, peer(true));
    compare(
        "baseline vs db-scheduler", baseline, complete(named("db-scheduler")), Goal.atLeast(7, 8));
    compare("baseline vs the fastest peer", baseline, fastest, Goal.atLeast(1.6, 2));
    compare(
        "baseline vs the ceiling", baseline, complete(named("bare-sql")), Goal.atLeast(0.85, 0.9));
    compare(
        "all tasks at limit %1$d vs the best peer at limit %1$d".formatted(Profile.LIMIT),
        limited,
        bestLimited,
        Goal.atLeast(12, 18));
    remarks.add(
        "The server's CPU time is counted from the last submit to the end; programs on Node do not"
            + " tell when that is.");
    all.forEach(this::remarkOn);
    return new Section(
        scenario.name(),
        scenario.summary(),
        all.stream().map(PeersSection::subject).toList(),
        ratios,
        List.of(),
        remarks);
  }

  private static Predicate<Measured> named(String name) {
    return measured -> measured.profile().name().equals(name);
  }

  private static Predicate<Measured> peer(boolean limited) {
    return measured ->
        measured.profile().role() == Profile.Role.PEER
            && measured.profile().limit().isPresent() == limited;
  }

  private Optional<Measured> complete(Predicate<Measured> which) {
    return all.stream().filter(Measured::complete).filter(which).findFirst();
  }

  private Optional<Measured> best(String title, Predicate<Measured> which) {
    Optional<Measured> best =
        all.stream()
            .filter(Measured::complete)
            .filter(which)
            .max(Comparator.comparingDouble(measured -> measured.throughput().median()));
    best.ifPresent(
        measured ->
            remarks.add(
                "Of those measured, %s is %s.".formatted(title, measured.profile().name())));
    return best;
  }

  private void compare(String name, Optional<Measured> ours, Optional<Measured> theirs, Goal goal) {
    if (ours.isEmpty() || theirs.isEmpty()) {
      return;
    }
    List<Double> above = ours.get().throughput().values();
    List<Double> below = theirs.get().throughput().values();
    List<Double> quotients =
        IntStream.range(0, above.size()).mapToObj(i -> above.get(i) / below.get(i)).toList();
    ratios.add(new Ratio(name, new Figure("×", quotients), Optional.of(goal)));
  }

  private void remarkOn(Measured measured) {
    String name = measured.profile().name();
    measured.failure().ifPresent(failure -> remarks.add(name + " failed: " + failure));
    if (measured.brokeItsLimit()) {
      remarks.add(
          "%s broke its limit: up to %d handlers ran at once."
              .formatted(name, measured.peak().getAsInt()));
    }
  }

  private static Subject subject(Measured measured) {
    Map<String, String> settings = new LinkedHashMap<>(measured.profile().settings());
    measured.failure().ifPresent(failure -> settings.put(Subject.FAILED, failure));
    Map<String, Figure> figures = new LinkedHashMap<>();
    if (!measured.timings().isEmpty()) {
      settings.put("jobs in a round", Integer.toString(measured.timings().get(0).jobs()));
      figures.put(Subject.JOBS_PER_SECOND, measured.throughput());
      figures.put(Subject.SERVER_CPU, measured.serverCpu());
      List<Double> submitted =
          measured.timings().stream()
              .map(Timing::submittedPerSecond)
              .flatMap(rate -> rate.stream().boxed())
              .toList();
      if (!submitted.isEmpty()) {
        figures.put(SUBMITTED_PER_SECOND, new Figure(Subject.JOBS_PER_SECOND, submitted));
      }
    }
    measured.peak().ifPresent(peak -> figures.put(PEAK, Figure.once("handlers", peak)));
    return new Subject(measured.profile().name(), settings, figures);
  }
}
