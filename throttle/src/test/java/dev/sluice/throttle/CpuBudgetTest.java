package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.throttle.CpuBudget.Load;
import dev.sluice.throttle.CpuBudget.Sources;
import dev.sluice.throttle.CpuSignal.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuBudgetTest {
  private static final String V2 = "/sys/fs/cgroup";
  private static final String CPU = "/sys/fs/cgroup/cpu,cpuacct";
  private static final String CPUSET = "/sys/fs/cgroup/cpuset";

  @TempDir private Path root;

  static Stream<CgroupLayout> layouts() {
    return Stream.of(
        CgroupLayout.of("no cgroup files at all, as on other systems").jvm(6).has(6),
        // Version 2.
        CgroupLayout.v2("v2 without bounds", "/").file(V2 + "/cpu.max", "max 100000\n").has(8),
        CgroupLayout.v2("v2 quota of whole cores", "/")
            .file(V2 + "/cpu.max", "300000 100000")
            .has(3),
        CgroupLayout.v2("v2 quota of one and a half", "/")
            .file(V2 + "/cpu.max", "150000 100000\n")
            .has(2),
        CgroupLayout.v2("v2 quota of a tenth", "/").file(V2 + "/cpu.max", "10000 100000").has(1),
        CgroupLayout.v2("v2 quota with another period", "/")
            .file(V2 + "/cpu.max", "25000 10000")
            .has(3),
        CgroupLayout.v2("v2 quota without a period", "/").file(V2 + "/cpu.max", "200000").has(2),
        CgroupLayout.v2("v2 cpuset", "/").file(V2 + "/cpuset.cpus.effective", "0-3,8\n").has(5),
        CgroupLayout.v2("v2 cpuset hides no quota", "/")
            .file(V2 + "/cpuset.cpus.effective", "0-3")
            .file(V2 + "/cpu.max", "200000 100000")
            .has(2),
        CgroupLayout.v2("v2 quota hides no cpuset", "/")
            .file(V2 + "/cpuset.cpus.effective", "2")
            .file(V2 + "/cpu.max", "400000 100000")
            .has(1),
        CgroupLayout.v2("v2 nested, own quota is tightest", "/a/b")
            .file(V2 + "/a/cpu.max", "400000 100000")
            .file(V2 + "/a/b/cpu.max", "200000 100000")
            .has(2),
        CgroupLayout.v2("v2 nested, an ancestor's quota is tightest", "/pod/container")
            .file(V2 + "/pod/cpu.max", "100000 100000")
            .file(V2 + "/pod/container/cpu.max", "max 100000")
            .has(1),
        CgroupLayout.v2("v2 nested, controllers end at the ancestor", "/pod/container")
            .file(V2 + "/pod/cpu.max", "500000 100000")
            .file(V2 + "/pod/cpuset.cpus.effective", "0-2")
            .file(V2 + "/pod/container/cgroup.procs", "1")
            .has(3),
        CgroupLayout.v2("v2 a sibling's quota is none of ours", "/a")
            .file(V2 + "/a/cpu.max", "max 100000")
            .file(V2 + "/b/cpu.max", "100000 100000")
            .has(8),
        CgroupLayout.v2("v2 path that climbs out of the namespace", "/../../elsewhere")
            .file(V2 + "/cpu.max", "200000 100000")
            .has(2),
        CgroupLayout.of("v2 container that sees its own part of the host's tree")
            .file(
                "/proc/self/mountinfo",
                "31 23 0:28 /kubepods/pod1/c1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n")
            .file("/proc/self/cgroup", "0::/kubepods/pod1/c1/worker\n")
            .file(V2 + "/cpu.max", "400000 100000")
            .file(V2 + "/worker/cpu.max", "300000 100000")
            .has(3),
        CgroupLayout.v2("v2 whose cgroup is not visible", "/system.slice/app.service")
            .file(V2 + "/cpu.max", "200000 100000")
            .has(2),
        CgroupLayout.of("v2 mounted elsewhere, with a space in the name")
            .file("/proc/self/mountinfo", "31 23 0:28 / /my\\040groups rw - cgroup2 none rw\n")
            .file("/proc/self/cgroup", "0::/a\n")
            .file("/my groups/a/cpu.max", "200000 100000")
            .has(2),
        CgroupLayout.of("v2 without mountinfo")
            .file("/proc/self/cgroup", "0::/\n")
            .file(V2 + "/cgroup.controllers", "cpu")
            .file(V2 + "/cpu.max", "200000 100000")
            .has(2),
        // Version 1.
        CgroupLayout.v1("v1 without bounds", "/")
            .quota(CPU, "-1\n", "100000\n")
            .file(CPUSET + "/cpuset.cpus", "0-7\n")
            .has(8),
        CgroupLayout.v1("v1 quota of two and a bit", "/").quota(CPU, "210000", "100000").has(3),
        CgroupLayout.v1("v1 cpuset with gaps", "/")
            .file(CPUSET + "/cpuset.cpus", "0,2,4-5\n")
            .has(4),
        CgroupLayout.v1("v1 cpuset hides no quota", "/docker/abc")
            .quota(CPU + "/docker/abc", "150000", "100000")
            .file(CPUSET + "/docker/abc/cpuset.cpus", "0-5")
            .has(2),
        CgroupLayout.v1("v1 nested, an ancestor's quota is tightest", "/docker/abc")
            .quota(CPU, "-1", "100000")
            .quota(CPU + "/docker", "200000", "100000")
            .quota(CPU + "/docker/abc", "400000", "100000")
            .has(2),
        CgroupLayout.v1("v1 cpuset that is only set above", "/docker/abc")
            .file(CPUSET + "/docker/abc/cpuset.cpus", "\n")
            .file(CPUSET + "/docker/cpuset.cpus", "1-3\n")
            .has(3),
        CgroupLayout.of("v1 container that sees its own part of the host's tree")
            .file(
                "/proc/self/mountinfo",
                CgroupLayout.v1Mount("/docker/abc", CPU, "cpu,cpuacct")
                    + CgroupLayout.v1Mount("/docker/abc", CPUSET, "cpuset"))
            .file("/proc/self/cgroup", "5:cpuset:/docker/abc\n4:cpu,cpuacct:/docker/abc\n")
            .quota(CPU, "200000", "100000")
            .file(CPUSET + "/cpuset.cpus", "0-3")
            .has(2),
        CgroupLayout.of("v1 without mountinfo, a controller to a directory")
            .file("/proc/self/cgroup", "5:cpuset:/\n4:cpu:/\n")
            .quota("/sys/fs/cgroup/cpu", "200000", "100000")
            .has(2),
        // Both at once.
        CgroupLayout.of("hybrid, controllers in v1 and an empty v2")
            .file(
                "/proc/self/mountinfo",
                "40 31 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
                    + CgroupLayout.v1Mount("/", "/sys/fs/cgroup/cpu", "cpu")
                    + CgroupLayout.v1Mount("/", CPUSET, "cpuset"))
            .file("/proc/self/cgroup", "3:cpuset:/jobs\n1:cpu:/jobs\n0::/\n")
            .file("/sys/fs/cgroup/unified/cgroup.controllers", "hugetlb")
            .quota("/sys/fs/cgroup/cpu/jobs", "350000", "100000")
            .file(CPUSET + "/jobs/cpuset.cpus", "0-4")
            .has(4),
        CgroupLayout.of("hybrid, cpuset in v1 and quota in v2")
            .file(
                "/proc/self/mountinfo",
                "40 31 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
                    + CgroupLayout.v1Mount("/", CPUSET, "cpuset"))
            .file("/proc/self/cgroup", "3:cpuset:/jobs\n0::/jobs\n")
            .file("/sys/fs/cgroup/unified/jobs/cpu.max", "200000 100000")
            .file(CPUSET + "/jobs/cpuset.cpus", "0-4")
            .has(2),
        // Several mounts of one hierarchy.
        CgroupLayout.of("v2 bound elsewhere first, of a part that is not ours")
            .file(
                "/proc/self/mountinfo",
                "30 23 0:28 /other /mnt/other rw - cgroup2 cgroup rw\n" + CgroupLayout.V2_MOUNT)
            .file("/proc/self/cgroup", "0::/a\n")
            .file("/mnt/other/cpu.max", "100000 100000")
            .file(V2 + "/a/cpu.max", "300000 100000")
            .has(3),
        CgroupLayout.of("v1 mounted twice, as the whole and as our part")
            .file(
                "/proc/self/mountinfo",
                CgroupLayout.v1Mount("/", "/host/cpu", "cpu")
                    + CgroupLayout.v1Mount("/docker/abc", CPU, "cpu"))
            .file("/proc/self/cgroup", "4:cpu:/docker/abc\n")
            .quota(CPU, "200000", "100000")
            .has(2),
        CgroupLayout.of("v2 mounted twice alike, first elsewhere")
            .file(
                "/proc/self/mountinfo",
                "30 23 0:28 / /chroot/cgroup rw - cgroup2 cgroup rw\n" + CgroupLayout.V2_MOUNT)
            .file("/proc/self/cgroup", "0::/a\n")
            .file(V2 + "/a/cpu.max", "300000 100000")
            .has(3),
        // The JVM.
        CgroupLayout.v2("a JVM that was told to use less", "/")
            .file(V2 + "/cpu.max", "400000 100000")
            .jvm(2)
            .has(2),
        // Broken.
        CgroupLayout.v2("nonsense in cpu.max", "/").file(V2 + "/cpu.max", "lots").has(8),
        CgroupLayout.v2("a quota of nothing", "/").file(V2 + "/cpu.max", "0 100000").has(8),
        CgroupLayout.v2("a period of nothing", "/").file(V2 + "/cpu.max", "100000 0").has(8),
        CgroupLayout.v2("an empty cpu.max", "/").file(V2 + "/cpu.max", "").has(8),
        CgroupLayout.v1("a quota without its period", "/")
            .file(CPU + "/cpu.cfs_quota_us", "200000")
            .has(8),
        CgroupLayout.v2("nonsense in the cpuset, sense in the quota", "/")
            .file(V2 + "/cpuset.cpus.effective", "3-1")
            .file(V2 + "/cpu.max", "200000 100000")
            .has(2),
        CgroupLayout.v2("an absurd cpuset", "/")
            .file(V2 + "/cpuset.cpus.effective", "0-99999999999")
            .has(8),
        CgroupLayout.of("nonsense in every list")
            .file("/proc/self/mountinfo", "what\n - cgroup2\n1 2 3 - cgroup2 x y\n")
            .file("/proc/self/cgroup", "what\n0:\n:::::\n")
            .has(8),
        CgroupLayout.v2("a path that no file can have", "/a\0b")
            .file(V2 + "/cpu.max", "200000 100000")
            .has(2));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("layouts")
  void detect_ofLayout_takesTheTightest(CgroupLayout layout) {
    layout.writeTo(root);
    CpuBudget budget = detect(layout.jvmProcessors(), Map.of());
    assertThat(budget.cores()).as(budget.report().toString()).isEqualTo(layout.cores());
  }

  @Test
  void detect_fractionalQuota_isKeptAndTold() {
    CgroupLayout.v2("", "/").file(V2 + "/cpu.max", "150000 100000\n").writeTo(root);
    CpuBudget budget = detect(8, Map.of());
    assertThat(budget.signals())
        .filteredOn(signal -> signal.kind() == Kind.QUOTA)
        .singleElement()
        .satisfies(
            quota -> {
              assertThat(quota.cores()).hasValue(1.5);
              assertThat(quota.text()).isEqualTo("1.5");
            });
    assertThat(budget.effective())
        .isEqualTo(new Setting(2, "/sys/fs/cgroup/cpu.max: 150000 100000, rounded up"));
  }

  @Test
  void text_ofAQuota_isWithoutIdleZeros() {
    assertThat(CpuSignal.of(Kind.QUOTA, 100_001 / 100_000.0, "").text()).isEqualTo("1");
    assertThat(CpuSignal.of(Kind.QUOTA, 10, "").text()).isEqualTo("10");
    assertThat(CpuSignal.of(Kind.QUOTA, 0.05, "").text()).isEqualTo("0.05");
  }

  @Test
  void detect_everySignal_isReportedWithItsSource() {
    CgroupLayout.v1("", "/docker/abc")
        .quota(CPU + "/docker/abc", "400000", "100000")
        .quota(CPU + "/docker", "200000", "100000")
        .file(CPUSET + "/docker/abc/cpuset.cpus", "0-5")
        .file("/proc/cpuinfo", "processor : 0\nprocessor : 1\n\nmodel name : any\n")
        .writeTo(root);
    assertThat(detect(8, Map.of()).report())
        .containsExactly(
            new ReportLine("physical cores", "2", "/proc/cpuinfo"),
            new ReportLine("cpuset", "6", CPUSET + "/docker/abc/cpuset.cpus: 0-5"),
            new ReportLine("quota", "4", CPU + "/docker/abc/cpu.cfs_quota_us: 400000"),
            new ReportLine("quota", "2", CPU + "/docker/cpu.cfs_quota_us: 200000"),
            new ReportLine("JVM", "8", "Runtime.availableProcessors()"),
            new ReportLine("effective cores", "2", CPU + "/docker/cpu.cfs_quota_us: 200000"),
            new ReportLine("cpu default", "2", "computed: max(1, 2 cores)"),
            new ReportLine("io default", "4", "computed: max(4, 2 × 2 cores)"));
  }

  @Test
  void detect_fileThatMakesNoSense_isToldAndBoundsNothing() {
    CgroupLayout.v2("", "/").file(V2 + "/cpu.max", "lots").writeTo(root);
    assertThat(detect(8, Map.of()).signals())
        .contains(
            CpuSignal.silent(Kind.QUOTA, "/sys/fs/cgroup/cpu.max, ignored: 'lots' is no quota"));
  }

  /** A directory stands where a file should: reading fails for whoever reads, root included. */
  @Test
  void detect_fileThatCannotBeRead_isToldAndBoundsNothing() throws IOException {
    CgroupLayout.v2("", "/").writeTo(root);
    Files.createDirectories(root.resolve("sys/fs/cgroup/cpu.max"));
    CpuBudget budget = detect(8, Map.of());
    assertThat(budget.cores()).isEqualTo(8);
    assertThat(budget.signals())
        .filteredOn(signal -> signal.kind() == Kind.QUOTA)
        .singleElement()
        .satisfies(signal -> assertThat(signal.source()).contains("cpu.max, ignored:"));
  }

  @Test
  void detect_hyperThreads_areNoPhysicalCores() {
    CgroupLayout.of("")
        .file(
            "/proc/cpuinfo",
            """
            processor : 0
            physical id : 0
            core id : 0
            processor : 1
            physical id : 0
            core id : 0
            processor : 2
            physical id : 1
            core id : 0
            """)
        .writeTo(root);
    assertThat(detect(3, Map.of()).physical()).isEqualTo(new Setting(2, "/proc/cpuinfo"));
  }

  @Test
  void detect_override_winsOverEverythingElse() {
    CgroupLayout.v2("", "/").file(V2 + "/cpu.max", "100000 100000").writeTo(root);
    CpuBudget budget = detect(8, Map.of("EFFECTIVE_CPU_CORES", "16"));
    assertThat(budget.effective()).isEqualTo(new Setting(16, "EFFECTIVE_CPU_CORES"));
    assertThat(budget.signals()).extracting(CpuSignal::kind).contains(Kind.QUOTA, Kind.JVM);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "0", "-1", "1.5", "two", "4x", "99999999999", "+4", "٤"})
  void detect_invalidOverride_isRefusedByName(String value) {
    assertThatThrownBy(() -> detect(8, Map.of("EFFECTIVE_CPU_CORES", value)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("EFFECTIVE_CPU_CORES is '" + value + "', which is not a whole")
        .hasMessageContaining("unset it");
  }

  @ParameterizedTest
  @CsvSource({"1,1,4", "2,2,4", "3,3,6", "8,8,16"})
  void computeDefault_ofCores_isForCpuAndIo(int cores, int cpu, int io) {
    CpuBudget budget = detect(cores, Map.of());
    assertThat(budget.computeDefault(Load.CPU)).isEqualTo(cpu);
    assertThat(budget.computeDefault(Load.IO)).isEqualTo(io);
  }

  @Test
  void detect_onThisMachine_findsAtMostWhatTheJvmDoes() {
    Sources system = Sources.system();
    CpuBudget found =
        CpuBudget.detect(
            new Sources(system.root(), new Environment(Map.of()), system.jvmProcessors()));
    assertThat(found.signals())
        .filteredOn(signal -> signal.kind() == Kind.JVM)
        .singleElement()
        .satisfies(
            jvm -> assertThat((double) found.cores()).isBetween(1.0, jvm.cores().orElseThrow()));
  }

  private CpuBudget detect(int jvmProcessors, Map<String, String> environment) {
    return CpuBudget.detect(new Sources(root, new Environment(environment), jvmProcessors));
  }
}
