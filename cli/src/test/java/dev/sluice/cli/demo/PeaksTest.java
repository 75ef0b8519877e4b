package dev.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.cli.demo.EventFile.Event;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeaksTest {
  private static final Group MAIL = Group.of("send_email");
  private static final Group ACME = Group.of("sync").dimension("customer", "a/c=me");

  private static Event start(long nanos, Group group) {
    return new Event(nanos, 1, group);
  }

  private static Event end(long nanos, Group group) {
    return new Event(nanos, -1, group);
  }

  @Test
  void peak_overlapAcrossProcesses_isSeen() {
    Peaks peaks =
        Peaks.of(
            List.of(
                new Peaks.Record(List.of(start(10, MAIL), end(30, MAIL)), 100),
                new Peaks.Record(List.of(start(20, MAIL), end(40, MAIL)), 100)));
    assertThat(peaks.peak(MAIL)).isEqualTo(2);
    assertThat(peaks.ended(MAIL)).isEqualTo(2);
  }

  @Test
  void peak_endAndStartAtTheSameInstant_doNotOverlap() {
    Peaks peaks =
        Peaks.of(
            List.of(
                new Peaks.Record(List.of(start(10, MAIL), end(30, MAIL)), 100),
                new Peaks.Record(List.of(start(30, MAIL), end(40, MAIL)), 100)));
    assertThat(peaks.peak(MAIL)).isEqualTo(1);
  }

  @Test
  void peak_groups_areCountedApart() {
    Peaks peaks = Peaks.of(List.of(new Peaks.Record(List.of(start(1, MAIL), start(2, ACME)), 100)));
    assertThat(peaks.peak(MAIL)).isEqualTo(1);
    assertThat(peaks.peak(ACME)).isEqualTo(1);
  }

  @Test
  void peak_killedProcess_runsOnlyUntilItWasGone() {
    Peaks peaks =
        Peaks.of(
            List.of(
                new Peaks.Record(List.of(start(10, MAIL)), 50),
                new Peaks.Record(List.of(start(60, MAIL), end(70, MAIL)), 100)));
    assertThat(peaks.peak(MAIL)).isEqualTo(1);
  }

  @Test
  void read_fileOfAKilledProcess_leavesOutTheTornLine(@TempDir Path directory) throws Exception {
    Path path = directory.resolve("events");
    try (EventFile file = EventFile.create(path)) {
      file.started(ACME);
      file.ended(ACME);
    }
    Files.writeString(path, Files.readString(path) + "12345 + sy");
    assertThat(EventFile.read(path)).extracting(Event::group).containsExactly(ACME, ACME);
    assertThat(EventFile.read(path)).extracting(Event::change).containsExactly(1, -1);
  }

  @Test
  void tally_line_readsBack() {
    Tally tally = new Tally();
    tally.started(ACME);
    tally.ended(ACME);
    tally.started(ACME);
    tally.started(MAIL);
    assertThat(Tally.read(tally.line()))
        .containsEntry(ACME, new Tally.Numbers(1, 1))
        .containsEntry(MAIL, new Tally.Numbers(1, 0));
    assertThat(Tally.read("")).isEmpty();
  }
}
