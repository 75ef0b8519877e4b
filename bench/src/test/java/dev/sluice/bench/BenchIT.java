package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Curve;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.ReportFile;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.report.Verdict;
import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchIT {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void scenarios_reportEverySettingAndJudgeIt() {
    Path json = directory.resolve("report.json");
    int exitCode =
        run(
            "concurrency-cold",
            "saturated-backlog",
            "latency-idle",
            "submit-transactional",
            "workflow-fanout",
            "no-limits-cost",
            "--runs=1",
            "--scale=0.005",
            "--json=" + json,
            "--docs=" + directory);
    Report report = ReportFile.read(json);
    assertThat(exitCode).isEqualTo(missesAGoal(report) ? 1 : 0);

    Section cold = section(report, "concurrency-cold");
    assertThat(cold.subjects())
        .extracting(Subject::name)
        .containsExactly("no limit", "limit 10", "no limit, jobs first", "limit 10, jobs first");
    assertThat(cold.subjects().get(1).figures())
        .containsKeys(
            Subject.JOBS_PER_SECOND,
            Subject.SERVER_CPU,
            "per worker",
            "claim p99",
            "server: exchange",
            "server: admit",
            "heap after");
    assertThat(cold.subjects().get(1).settings()).containsEntry("jobs per batch", "250");
    assertThat(cold.subjects().get(3).figures())
        .as("what was seen while a limit was declared with jobs there")
        .containsKeys(Subject.JOBS_PER_SECOND, Subject.SERVER_CPU, "claim p99", "server: exchange");
    assertThat(cold.ratios().get(0).name())
        .isEqualTo("limit 10, jobs first vs no limit, jobs first");
    assertThat(cold.ratios().get(0).value().values()).hasSize(1);
    assertThat(section(report, "saturated-backlog").ratios().get(0).name())
        .isEqualTo("claim time, 5,000 waiting vs none waiting");
    assertThat(section(report, "latency-idle").ratios()).hasSize(2);
    assertThat(section(report, "submit-transactional").subjects()).hasSize(2);
    assertThat(section(report, "no-limits-cost").subjects()).hasSize(2);
    assertThat(section(report, "workflow-fanout").ratios().get(0).name())
        .isEqualTo("a step over a list vs plain jobs");
    assertThat(directory.resolve("concurrency.md")).exists();
    assertThat(directory.resolve("latency.md")).exists();
    assertThat(text(out)).contains("limit 10 vs no limit");
    assertThat(text(err)).contains("saturated-backlog: none waiting");
  }

  @Test
  void objectScenarios_needNoDatabaseAndJudgeWhatTheyCount() {
    Path json = directory.resolve("objects.json");
    int exitCode =
        run(
            "object-requests",
            "object-file",
            "object-s3",
            "workflow-fanout-file",
            "--store=postgresql://nobody@127.0.0.1:1/none",
            "--runs=1",
            "--scale=0.01",
            "--json=" + json);
    Report report = ReportFile.read(json);
    assertThat(exitCode).isEqualTo(missesAGoal(report) ? 1 : 0);

    Section requests = section(report, "object-requests");
    assertThat(requests.subjects())
        .extracting(Subject::name)
        .contains("lone job", "in flight, limit 10", "idle worker, a day");
    List<Double> puts = requests.subjects().get(0).figures().get("put").values();
    assertThat(puts.stream().mapToDouble(Double::doubleValue).sum())
        .as(
            "puts of lone jobs: segment, claim, outcome and archive; letting go may join what is next")
        .isGreaterThanOrEqualTo(4 * puts.size());
    assertThat(requests.subjects().get(0).figures().get("requests").least())
        .as("requests of a lone job")
        .isLessThanOrEqualTo(12);
    assertThat(section(report, "object-file").ratios().get(1).name())
        .isEqualTo("limit 10 vs no limit");
    Subject theirs = section(report, "object-s3").subjects().get(4);
    assertThat(theirs.settings())
        .as("two entries go for each job; puts and gets may be in vain besides")
        .containsEntry("DELETE per job", "2.00");
  }

  @Test
  void throttle_isMeasuredBesideASemaphore() {
    Path json = directory.resolve("throttle.json");
    int exitCode = run("throttle", "--runs=2", "--scale=0.01", "--json=" + json);
    Report report = ReportFile.read(json);
    assertThat(exitCode).isEqualTo(missesAGoal(report) ? 1 : 0);
    Section throttle = section(report, "throttle");
    assertThat(throttle.subjects()).hasSize(4);
    assertThat(throttle.subjects())
        .allSatisfy(
            subject ->
                assertThat(subject.figures().get("time for each").values())
                    .hasSize(2)
                    .allMatch(nanos -> nanos > 1));
    assertThat(throttle.ratios().get(0).name()).isEqualTo("throttle.run, ns");
  }

  @Test
  void growth_drawsCurvesOfWhatWasChosen() {
    Path json = directory.resolve("growth.json");
    assertThat(
            run(
                "growth",
                "backlog",
                "groups",
                "pending",
                "--largest=1000",
                "--scale=0.02",
                "--json=" + json))
        .isZero();
    Section growth = ReportFile.read(json).sections().get(0);
    assertThat(growth.charts())
        .containsKeys(
            "throughput against backlog",
            "claim time against backlog",
            "throughput against limited groups",
            "claim time against limited groups",
            "memory of a worker against backlog")
        .doesNotContainKeys("throughput against workers", "claim time against workers");
    assertThat(growth.curves())
        .filteredOn(curve -> curve.xLabel().equals("jobs"))
        .flatExtracting(Curve::points)
        .extracting(Curve.Point::x)
        .as("where points stand: at the number of jobs there were")
        .containsOnly(20.0);
  }

  @Test
  void pages_timesEveryRouteAndExplainsTheSlowest() {
    Path json = directory.resolve("pages.json");
    int exitCode =
        run(
            "pages",
            "--jobs=2000",
            "--finished=500",
            "--groups=200",
            "--scale=0.005",
            "--runs=2",
            "--json=" + json,
            "--docs=" + directory);
    Report report = ReportFile.read(json);
    assertThat(exitCode).isEqualTo(missesAGoal(report) ? 1 : 0);

    Section pages = section(report, "pages");
    assertThat(pages.subjects())
        .extracting(Subject::name)
        .contains(
            "/overview",
            "/groups, search, no hit",
            "/jobs, waiting, far down",
            "/jobs/{id}/why, last in the longest line",
            "/workflows/{id}, many steps",
            "/events");
    assertThat(pages.subjects())
        .allSatisfy(
            subject ->
                assertThat(subject.figures().get("time").values())
                    .hasSize(2)
                    .allMatch(millis -> millis > 0));
    assertThat(pages.ratios()).hasSize(2 * pages.subjects().size());
    assertThat(directory.resolve("pages.md")).exists();
    assertThat(directory.resolve("plans").resolve("pages.md"))
        .content()
        .contains("GET /api/v1/", "rows read");
  }

  private int run(String... arguments) {
    return BenchMain.run(Console.plain(out, err), arguments);
  }

  private static boolean missesAGoal(Report report) {
    return report.sections().stream()
        .flatMap(section -> section.ratios().stream())
        .anyMatch(ratio -> Verdict.of(ratio) == Verdict.MISSED);
  }

  private static Section section(Report report, String name) {
    return report.sections().stream()
        .filter(section -> section.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }
}
