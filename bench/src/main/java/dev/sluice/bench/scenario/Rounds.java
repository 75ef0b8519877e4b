package dev.sluice.bench.scenario;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** Measures settings in turns: each once a round, and at the end each once more for its profile. */
final class Rounds {
  private Rounds() {}

  /** Sets a setting up. */
  interface Opener {
    Stage open(Setting setting) throws InterruptedException;
  }

  static List<Measured> measure(Bench bench, String scenario, List<Setting> settings, Opener opener)
      throws InterruptedException {
    Progress progress = bench.progress();
    progress.begin(scenario, settings.size() * (bench.plan().runs() + 1));
    Deque<Stage> open = new ArrayDeque<>();
    try {
      List<Stage> stages = new ArrayList<>();
      List<List<Round>> rounds = new ArrayList<>();
      for (Setting setting : settings) {
        open.push(opener.open(setting));
        stages.add(open.peek());
        rounds.add(new ArrayList<>());
      }
      for (int round = 0; round < bench.plan().runs(); round++) {
        for (int index : Alternation.order(round, settings.size())) {
          Round found = stages.get(index).measure();
          rounds.get(index).add(found);
          progress.step(
              String.format(
                  Locale.ROOT,
                  "%s %.0f jobs/s",
                  settings.get(index).name(),
                  found.jobsPerSecond()));
        }
      }
      List<Measured> measured = new ArrayList<>();
      for (int index = 0; index < settings.size(); index++) {
        measured.add(
            new Measured(settings.get(index), rounds.get(index), stages.get(index).profile()));
        progress.step(settings.get(index).name() + " profile");
      }
      return measured;
    } finally {
      open.forEach(Stage::close);
      progress.end();
    }
  }
}
