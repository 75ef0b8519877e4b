package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.server.BenchServer;
import dev.sluice.bench.server.Endpoint;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TrialIT {
  private static final Workload WORKLOAD = Workload.noOps(1);
  private static final Duration LONG = Duration.ofSeconds(60);

  private final BenchServer server = BenchServer.open("embedded:");

  @AfterEach
  void closeServer() {
    server.close();
  }

  @Test
  void measure_contenderStalls_failsItAndLeavesItAlone() throws Exception {
    Trial trial =
        new Trial(new Scripted(() -> new CountDownLatch(1).await()), Duration.ofMillis(200));
    trial.measure(server, WORKLOAD);
    trial.measure(server, WORKLOAD);
    assertThat(trial.measured().failure()).hasValue("not done after 200ms");
    assertThat(trial.measured().timings()).isEmpty();
  }

  @Test
  void measure_contenderDies_keepsItsReason() throws Exception {
    Trial trial =
        new Trial(
            new Scripted(
                () -> {
                  throw new ChildFailedException("node ended with code 1: no such module");
                }),
            LONG);
    trial.measure(server, WORKLOAD);
    assertThat(trial.measured().failure()).hasValue("node ended with code 1: no such module");
  }

  @Test
  void watchLimit_contenderWorks_keepsThePeakAndCountsNoRound() throws Exception {
    Trial trial = new Trial(new Scripted(() -> {}), LONG);
    trial.warmUp(server, WORKLOAD);
    trial.watchLimit(server, WORKLOAD);
    trial.measure(server, WORKLOAD);
    assertThat(trial.measured().peak()).hasValue(7);
    assertThat(trial.measured().timings()).hasSize(1);
  }

  /** Does what the test says, and reports a peak of 7. */
  private record Scripted(Script script) implements Contender {
    @Override
    public Profile profile() {
      return Profile.limited("scripted", Profile.Role.PEER, 1);
    }

    @Override
    public Timing run(Endpoint database, Workload workload) throws Exception {
      script.play();
      return new Timing(workload.jobs(), OptionalDouble.empty(), 1, 7);
    }
  }

  private interface Script {
    void play() throws Exception;
  }
}
