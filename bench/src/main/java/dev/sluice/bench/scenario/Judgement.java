package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What to make of the measured settings of a scenario, the first being the one to compare with. */
interface Judgement {
  /** The figures in question, with the goals they are held to. */
  List<Ratio> of(List<Measured> measured);

  /**
   * How long it takes to take slots and to give them back, as the server times it. Not judged where
   * jobs come first: there a connection's first calls, which make its plans, are among those timed.
   */
  static Judgement slotTime() {
    return measured ->
        measured.stream()
            .filter(each -> !each.setting().jobsFirst())
            .flatMap(Judgement::slotTimes)
            .toList();
  }

  private static Stream<Ratio> slotTimes(Measured measured) {
    Map<String, Double> functions = measured.profile().functions();
    return Stream.of("slot taken", "slot given back")
        .filter(functions::containsKey)
        .map(
            slot ->
                new Ratio(
                    "%s at %s, ms".formatted(slot, measured.setting().name()),
                    Figure.once("ms", functions.get(slot)),
                    Optional.of(Goal.atMost(0.2, 0.1))));
  }

  /** The throughput of each against the first, and what the server spent on a job. */
  static Judgement throughput(Goal goal) {
    return throughput(Optional.of(goal));
  }

  /** The same, only told. */
  static Judgement throughput() {
    return throughput(Optional.empty());
  }

  private static Judgement throughput(Optional<Goal> goal) {
    Judgement jobs = against("", Round::jobsPerSecond, goal);
    return measured ->
        Stream.concat(jobs.of(measured).stream(), serverCpu(measured).stream()).toList();
  }

  private static List<Ratio> serverCpu(List<Measured> measured) {
    List<Ratio> ratios = new ArrayList<>();
    Measured first = measured.get(0);
    for (Measured other : measured.subList(1, measured.size())) {
      other
          .serverCpuAgainst(first)
          .ifPresent(
              quotient ->
                  ratios.add(
                      new Ratio(
                          versus(Subject.SERVER_CPU + ", ", other, first),
                          quotient,
                          Optional.empty())));
    }
    return ratios;
  }

  private static String versus(String what, Measured other, Measured first) {
    return "%s%s vs %s".formatted(what, other.setting().name(), first.setting().name());
  }

  /** The same of two settings, by their names. */
  static Judgement throughput(String name, String base, Goal goal) {
    return measured -> throughput(goal).of(List.of(named(base, measured), named(name, measured)));
  }

  private static Measured named(String name, List<Measured> measured) {
    return measured.stream()
        .filter(each -> each.setting().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no setting is called " + name));
  }

  /** The claim time in the middle, of each against the first. */
  static Judgement claimTime(Goal goal) {
    return against("claim time, ", Round::medianClaimMillis, Optional.of(goal));
  }

  /** How many handlers were at work on average. */
  static Judgement busy(Goal goal) {
    return measured ->
        measured.stream()
            .map(
                each ->
                    new Ratio(
                        "time inside handlers / time passed, " + each.setting().name(),
                        each.figure("", Round::busy),
                        Optional.of(goal)))
            .toList();
  }

  private static Judgement against(
      String what, ToDoubleFunction<Round> value, Optional<Goal> goal) {
    return measured ->
        measured.stream()
            .skip(1)
            .map(
                other ->
                    new Ratio(
                        versus(what, other, measured.get(0)),
                        other.against(measured.get(0), value),
                        goal))
            .toList();
  }
}
