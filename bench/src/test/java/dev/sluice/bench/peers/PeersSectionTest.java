package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.peers.Profile.Role;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class PeersSectionTest {
  private static final Profile SLUICE = Profile.unlimited("sluice", Role.SLUICE, 1);
  private static final Profile DB_SCHEDULER = Profile.unlimited("db-scheduler", Role.PEER, 1);
  private static final Profile QUICK = Profile.unlimited("quick", Role.PEER, 1);

  @Test
  void of_severalPeers_comparesRoundByRoundWithTheFastestByMedian() {
    Section section =
        section(
            List.of(
                measured(SLUICE, 100, 200, 300),
                measured(DB_SCHEDULER, 500, 10, 10),
                measured(QUICK, 50, 50, 50)));
    assertThat(ratio(section, "baseline vs db-scheduler").value().values())
        .containsExactly(0.2, 20.0, 30.0);
    assertThat(ratio(section, "baseline vs the fastest peer").value().values())
        .containsExactly(2.0, 4.0, 6.0);
    assertThat(section.remarks()).contains("Of those measured, the fastest peer is quick.");
  }

  @Test
  void of_limitedContenders_areComparedAmongThemselves() {
    Section section =
        section(
            List.of(
                measured(SLUICE, 1),
                measured(QUICK, 1),
                measured(Profile.limited("sluice", Role.SLUICE, 1), 60),
                measured(Profile.limited("slow", Role.PEER, 1), 5),
                measured(Profile.limited("best", Role.PEER, 1), 10)));
    assertThat(
            ratio(section, "all tasks at limit 10 vs the best peer at limit 10").value().median())
        .isEqualTo(6);
  }

  @Test
  void of_contenderFailed_saysSoAndComparesNothingWithIt() {
    Measured failed =
        new Measured(
            DB_SCHEDULER, List.of(timing(10)), OptionalInt.empty(), Optional.of("it broke"));
    Section section = section(List.of(measured(SLUICE, 1, 2), failed));
    assertThat(section.ratios()).isEmpty();
    assertThat(subject(section, "db-scheduler").settings())
        .containsEntry(Subject.FAILED, "it broke");
    assertThat(section.remarks()).contains("db-scheduler failed: it broke");
  }

  @Test
  void of_contenderOverItsLimit_remarksOnIt() {
    Profile loose = Profile.limited("loose", Role.PEER, 1);
    Section section =
        section(
            List.of(new Measured(loose, List.of(timing(1)), OptionalInt.of(80), Optional.empty())));
    assertThat(subject(section, "loose-limit-10").figures().get(PeersSection.PEAK).median())
        .isEqualTo(80);
    assertThat(section.remarks())
        .contains("loose-limit-10 broke its limit: up to 80 handlers ran at once.");
  }

  private static Section section(List<Measured> all) {
    return PeersSection.of(new PeersBenchmark(new Contenders(List.of()), OptionalInt.empty()), all);
  }

  private static Measured measured(Profile profile, double... rates) {
    List<Timing> timings = Arrays.stream(rates).mapToObj(PeersSectionTest::timing).toList();
    return new Measured(profile, timings, OptionalInt.empty(), Optional.empty());
  }

  private static Timing timing(double rate) {
    return new Timing(1, OptionalDouble.empty(), 1 / rate, 1);
  }

  private static Ratio ratio(Section section, String name) {
    return section.ratios().stream()
        .filter(each -> each.name().equals(name))
        .findAny()
        .orElseThrow();
  }

  private static Subject subject(Section section, String name) {
    return section.subjects().stream()
        .filter(each -> each.name().equals(name))
        .findAny()
        .orElseThrow();
  }
}
