package dev.sluice.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.WorkerInfo;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What is new from one look to the next. */
class EventFeedTest {
  private final EventFeed feed = new EventFeed();

  private List<String> look(String worker, long from, long to) {
    return feed
        .look(
            List.of(Bulletins.worker(worker, Bulletins.saying(from, to))),
            List.of(),
            Bulletins.START)
        .stream()
        .map(
            event ->
                event.what()
                    + event
                        .job()
                        .map(id -> id.getLeastSignificantBits())
                        .map(String::valueOf)
                        .orElse(""))
        .toList();
  }

  @Test
  void look_first_isOldNews() {
    assertThat(look("a", 1, 5)).isEmpty();
  }

  @Test
  void look_overlappingBulletins_tellsEachEventOnce() {
    look("a", 1, 3);
    assertThat(look("a", 2, 5)).containsExactly("started4", "started5");
    assertThat(look("a", 2, 5)).isEmpty();
  }

  @Test
  void look_eventsMissed_saysHowMany() {
    look("a", 1, 3);
    List<Event> events =
        feed.look(
            List.of(Bulletins.worker("a", Bulletins.saying(10, 10))), List.of(), Bulletins.START);
    assertThat(events.stream().map(Event::what)).containsExactly("dropped", "started");
    assertThat(events.get(0).detail()).startsWith("6 events");
  }

  @Test
  void look_workersComeAndGo_isTold() {
    look("a", 1, 1);
    assertThat(look("b", 1, 1))
        .containsExactlyInAnyOrder("worker_gone", "worker_started", "started1");
    assertThat(feed.look(List.of(), List.of(), Bulletins.START))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.what()).isEqualTo("worker_gone");
              assertThat(event.detail()).contains("may have gone by unseen");
            });
  }

  @Test
  void look_newWorkerThatDidMuchAlready_saysHowMuchIsMissing() {
    feed.look(List.of(), List.of(), Bulletins.START);
    List<Event> events =
        feed.look(
            List.of(Bulletins.worker("a", Bulletins.saying(5, 6))), List.of(), Bulletins.START);
    assertThat(events.stream().map(Event::what))
        .containsExactly("worker_started", "dropped", "started", "started");
    assertThat(events.get(1).detail()).startsWith("4 events");
  }

  @Test
  void look_oldWorkerThatSaidNothingYet_isNotMissed() {
    feed.look(List.of(Bulletins.worker("a", null)), List.of(), Bulletins.START);
    assertThat(look("a", 5, 5)).containsExactly("started5");
  }

  @Test
  void look_workerUnderANewId_goesOnCounting() {
    look("a", 1, 3);
    feed.look(List.of(), List.of(), Bulletins.START);
    WorkerInfo same = Bulletins.worker("a", Bulletins.saying(3, 4));
    WorkerInfo renewed =
        new WorkerInfo(
            "b", same.name(), same.queues(), same.tasks(), same.lease(), same.bulletin());
    assertThat(feed.look(List.of(renewed), List.of(), Bulletins.START).stream().map(Event::what))
        .containsExactly("worker_started", "started");
  }

  @Test
  void look_limitChanged_isToldOnce() {
    LimitChange change =
        new LimitChange(
            Bulletins.START,
            "ada@host",
            Group.of("mail"),
            LimitLevel.OPERATOR,
            OptionalInt.empty(),
            OptionalInt.of(3));
    feed.look(List.of(), List.of(), Bulletins.START);
    assertThat(feed.look(List.of(), List.of(change), Bulletins.START))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.detail()).isEqualTo("none -> 3 at level operator by ada@host");
              assertThat(event.asMap()).containsEntry("group", "mail");
            });
    assertThat(feed.look(List.of(), List.of(change), Bulletins.START)).isEmpty();
  }
}
