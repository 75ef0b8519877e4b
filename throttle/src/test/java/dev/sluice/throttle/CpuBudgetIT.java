package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A real JVM in a real cgroup says how many cores it has. Where this process may not make a cgroup,
 * the test is reported as skipped, with the reason; {@code SLUICE_TEST_CGROUPS=required} makes that
 * a failure, for machines where it has to work.
 *
 * <p>The child is told that it has 16 processors, so that what it finds is what the files say: by
 * itself a JVM understands most of them, too.
 */
@Timeout(120)
class CpuBudgetIT {
  private static final int TOLD = 16;

  /** Makes a cgroup, where it is permitted. */
  private interface Maker {
    RealCgroup make() throws IOException;
  }

  @Test
  void child_inACgroupWithAQuotaOfOneAndAHalf_hasTwoCores() throws Exception {
    String said = inside(() -> RealCgroup.withQuota(1.5));
    assertThat(said).contains("cores=2\n", "subject=quota, value=1.5");
  }

  @Test
  void child_inACgroupWithAQuotaOfAHalf_hasOneCore() throws Exception {
    String said = inside(() -> RealCgroup.withQuota(0.5));
    assertThat(said).contains("cores=1\n", "subject=quota, value=0.5");
  }

  @Test
  void child_inACpusetOfOne_hasOneCore() throws Exception {
    String said = inside(RealCgroup::withOneProcessor);
    assertThat(said).contains("cores=1\n", "subject=cpuset, value=1,");
  }

  private static String inside(Maker maker) throws Exception {
    try (RealCgroup cgroup = make(maker)) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-Xmx64m", "-XX:ActiveProcessorCount=" + TOLD));
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add(ReportedCores.class.getName());
      ProcessBuilder builder =
          new ProcessBuilder(cgroup.enclose(command)).redirectErrorStream(true);
      builder.environment().remove(CpuBudget.EFFECTIVE_CPU_CORES);
      Process child = builder.start();
      String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(child.waitFor()).as(said).isZero();
      assertThat(said).contains("subject=JVM, value=" + TOLD);
      return said;
    }
  }

  private static RealCgroup make(Maker maker) {
    try {
      return maker.make();
    } catch (IOException e) {
      String reason = "This process may not make a cgroup, so nothing was shown: " + e;
      if ("required".equals(System.getenv("SLUICE_TEST_CGROUPS"))) {
        throw new AssertionError(reason, e);
      }
      System.err.println("SKIPPED: " + reason);
      return abort(reason);
    }
  }
}
