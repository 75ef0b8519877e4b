package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Section;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Runs settings in turns and judges what was measured. Immutable: each method returns a changed
 * copy.
 *
 * @param settings by plan; their batches are still to be scaled
 */
record SettingsScenario(
    String name,
    String summary,
    Function<Plan, List<Setting>> settings,
    List<Judgement> judgements,
    List<String> remarks)
    implements Scenario {

  /** A scenario whose first setting is the one to compare with. */
  static SettingsScenario of(String name, String summary, Setting... settings) {
    return of(name, summary, any -> List.of(settings));
  }

  /** A scenario whose settings differ in something that the plan scales besides their jobs. */
  static SettingsScenario of(String name, String summary, Function<Plan, List<Setting>> settings) {
    return new SettingsScenario(name, summary, settings, List.of(Judgement.slotTime()), List.of());
  }

  @Override
  public String family() {
    return "concurrency";
  }

  SettingsScenario judge(Judgement judgement) {
    List<Judgement> more = Stream.concat(Stream.of(judgement), judgements.stream()).toList();
    return new SettingsScenario(name, summary, settings, more, remarks);
  }

  SettingsScenario remark(String remark) {
    List<String> more = Stream.concat(remarks.stream(), Stream.of(remark)).toList();
    return new SettingsScenario(name, summary, settings, judgements, more);
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    Plan plan = bench.plan();
    List<Setting> scaled =
        settings.apply(plan).stream().map(setting -> setting.scaled(plan.scale())).toList();
    List<Measured> measured = Rounds.measure(bench, name, scaled, bench::onPostgres);
    return new Section(
        name,
        summary,
        measured.stream().map(Measured::subject).toList(),
        judgements.stream().flatMap(judgement -> judgement.of(measured).stream()).toList(),
        List.of(),
        remarks);
  }
}
