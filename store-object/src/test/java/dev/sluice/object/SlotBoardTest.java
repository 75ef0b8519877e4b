package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Diagnosis;
import dev.sluice.Group;
import dev.sluice.SlotInfo;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.WorkerSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which job is on record in which slot, and what the slot objects say about it. */
class SlotBoardTest {
  private static final String TASK = "t";
  private static final Group GROUP = Group.of(TASK);
  private static final String SLOTS = "board/concurrency/t/slots/";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name = UUID.randomUUID().toString();
  private final MemoryObjectStore objects = MemoryObjectStore.open(name);
  private boolean paidFor;
  private final AtomicInteger looks = new AtomicInteger();
  private final JobStore store = open();

  private JobStore open() {
    return open(
        new ForwardingObjectStore(MemoryObjectStore.open(name)) {
          @Override
          public boolean isPaidFor() {
            return paidFor;
          }

          @Override
          public Optional<StoredObject> get(String key) {
            if (key.startsWith(SLOTS)) {
              looks.incrementAndGet();
            }
            return super.get(key);
          }
        });
  }

  private static JobStore open(ObjectStore objects) {
    return ObjectStoreProvider.open(
        new PrefixedObjectStore(objects, "board"), "board", OptionalInt.empty());
  }

  @AfterEach
  void close() {
    store.close();
    objects.close();
  }

  private WorkerSession worker(JobStore of, int limit) {
    return of.openSession(StoreCalls.worker(Set.of(TASK), Map.of(GROUP, limit)));
  }

  private void submit(int jobs) {
    store.submit(IntStream.range(0, jobs).mapToObj(i -> StoreCalls.job(TASK)).toList());
  }

  /** The jobs on record by the number of their slot; an empty text if there is none. */
  private Map<Integer, String> onRecord() {
    return store.limits().status(GROUP).slots().stream()
        .collect(
            Collectors.toMap(
                SlotInfo::slotId, slot -> slot.taskId().orElse(""), (a, b) -> a, TreeMap::new));
  }

  /** The slot objects by number, read from outside. */
  private Map<Integer, JsonNode> shown() {
    Map<Integer, JsonNode> shown = new TreeMap<>();
    for (ListedObject listed : objects.listAll(SLOTS)) {
      objects
          .get(listed.key())
          .ifPresent(
              object ->
                  shown.put(
                      Integer.parseInt(listed.key().substring(SLOTS.length())),
                      parse(object.body())));
    }
    return shown;
  }

  private static JsonNode parse(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<Integer, String> shownJobs() {
    Map<Integer, String> jobs = new TreeMap<>();
    shown().forEach((slot, object) -> jobs.put(slot, object.path("task_id").asText()));
    return jobs;
  }

  private static String id(ClaimedJob job) {
    return job.id().toString();
  }

  private static Exchange releasing(List<ClaimedJob> done, List<HeldSlot> slots) {
    Exchange report = StoreCalls.report(done, Demand.NONE);
    return new Exchange(report.outcomes(), Set.of(), Map.of(), slots, Demand.NONE);
  }

  /** The jobs were paired with the slots in the order they started, whoever was in which. */
  @Test
  void jobEnds_othersKeepTheirSlots() {
    submit(4);
    WorkerSession session = worker(store, 3);
    List<ClaimedJob> jobs = session.exchange(StoreCalls.ask(TASK, 3)).jobs();
    assertThat(onRecord().values())
        .containsExactly(id(jobs.get(0)), id(jobs.get(1)), id(jobs.get(2)));

    session.exchange(StoreCalls.report(jobs.subList(0, 1), Demand.NONE));
    assertThat(onRecord().values()).containsExactly("", id(jobs.get(1)), id(jobs.get(2)));

    Demand more = StoreCalls.demand(TASK, 1, Map.of(TASK, 1));
    ClaimedJob next = session.exchange(StoreCalls.report(List.of(), more)).jobs().get(0);
    assertThat(onRecord().values()).containsExactly(id(next), id(jobs.get(1)), id(jobs.get(2)));
  }

  @Test
  void workerGivesTheSlotOfARunningJobBack_jobGetsTheOneThatItKeeps() {
    submit(2);
    WorkerSession session = worker(store, 2);
    Answer claimed = session.exchange(StoreCalls.ask(TASK, 2));
    HeldSlot second =
        claimed.slots().stream().filter(slot -> slot.slot() == 1).findFirst().orElseThrow();

    session.exchange(releasing(claimed.jobs().subList(0, 1), List.of(second)));
    assertThat(onRecord()).isEqualTo(Map.of(0, id(claimed.jobs().get(1))));
  }

  @Test
  void jobInABuffer_hasASlotOnceItsStartIsReported() {
    submit(3);
    WorkerSession session = worker(store, 1);
    Demand deep = new Demand(3, List.of(new TaskDemand(TASK, 3, 5)), Map.of());
    List<ClaimedJob> jobs =
        session.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), deep)).jobs();
    assertThat(jobs).hasSize(3);
    assertThat(onRecord()).isEqualTo(Map.of(0, ""));

    session.exchange(
        new Exchange(List.of(), Set.of(jobs.get(1).id()), Map.of(), List.of(), Demand.NONE));
    assertThat(onRecord()).isEqualTo(Map.of(0, id(jobs.get(1))));
    await().until(() -> shownJobs().equals(onRecord()));
  }

  @Test
  void slotIsFreed_objectIsGone() {
    submit(2);
    WorkerSession session = worker(store, 2);
    Answer claimed = session.exchange(StoreCalls.ask(TASK, 2));
    await().until(() -> shownJobs().equals(onRecord()) && shown().size() == 2);
    assertThat(shown().get(0).get("worker_id").asText()).isEqualTo(session.workerId());

    session.exchange(releasing(claimed.jobs().subList(0, 1), claimed.slots().subList(0, 1)));
    await().until(() -> shown().size() == 1 && shownJobs().equals(onRecord()));
    session.close();
    await().until(() -> shown().isEmpty());
  }

  /** What was shown of a slot has to give way although its next holder is never shown. */
  @Test
  void slotIsTakenAndFreedByAnotherProcess_objectIsReplacedThenGone() {
    submit(3);
    WorkerSession session = worker(store, 1);
    Answer claimed = session.exchange(StoreCalls.ask(TASK, 1));
    await().until(() -> shown().size() == 1);
    try (JobStore process = open()) {
      WorkerSession other = worker(process, 1);
      session.exchange(releasing(claimed.jobs(), claimed.slots()));
      Answer taken = other.exchange(StoreCalls.ask(TASK, 1));
      assertThat(taken.jobs()).hasSize(1);
      await().until(() -> shownJobs().equals(Map.of(0, id(taken.jobs().get(0)))));

      other.exchange(releasing(taken.jobs(), taken.slots()));
      Answer again = session.exchange(StoreCalls.ask(TASK, 1));
      session.exchange(releasing(again.jobs(), again.slots()));
      await().until(() -> shown().isEmpty());
    }
  }

  /** It read the object four times a second for as long as the next holder did not replace it. */
  @Test
  void slotIsTakenByAProcessThatCannotShowIt_formerHolderLooksNoMore() {
    submit(2);
    WorkerSession session = worker(store, 1);
    Answer claimed = session.exchange(StoreCalls.ask(TASK, 1));
    await().until(() -> shown().size() == 1);
    try (JobStore process = open(new UnshowableSlots())) {
      WorkerSession other = worker(process, 1);
      session.exchange(releasing(claimed.jobs(), claimed.slots()));
      assertThat(other.exchange(StoreCalls.ask(TASK, 1)).jobs()).hasSize(1);

      int before = looks.get();
      await().during(SlotBoard.LAG.multipliedBy(8)).until(looks::get, unchanged());
      assertThat(looks.get() - before).isLessThanOrEqualTo(SlotBoard.MOST_LOOKS + 1);
    }
  }

  /** Accepts a value that is the same as the one before. */
  private static Predicate<Integer> unchanged() {
    AtomicInteger last = new AtomicInteger(-1);
    return now -> last.getAndSet(now) == now;
  }

  private final class UnshowableSlots extends ForwardingObjectStore {
    UnshowableSlots() {
      super(MemoryObjectStore.open(name));
    }

    @Override
    public PutResult putIfAbsent(String key, ObjectBody body) {
      requireNoSlot(key);
      return super.putIfAbsent(key, body);
    }

    @Override
    public PutResult putIfMatch(String key, ObjectBody body, String tag) {
      requireNoSlot(key);
      return super.putIfMatch(key, body, tag);
    }

    private void requireNoSlot(String key) {
      if (key.startsWith(SLOTS)) {
        throw new StoreUnavailableException("No slot is shown from here.");
      }
    }
  }

  private void manySlots(int slots, int withEnd) {
    submit(slots);
    WorkerSession session = worker(store, slots);
    assertThat(session.exchange(StoreCalls.ask(TASK, slots)).jobs()).hasSize(slots);
    await().until(() -> shownJobs().equals(onRecord()));
    Map<Integer, JsonNode> before = shown();
    String lease = "workers/" + session.workerId() + ".json";
    assertThat(before.values())
        .filteredOn(object -> object.has("expires_at"))
        .hasSize(withEnd)
        .noneMatch(object -> object.has("lease"));
    assertThat(before.values())
        .filteredOn(object -> !object.has("expires_at"))
        .allMatch(object -> object.path("lease").asText().equals(lease));

    session.renew(Duration.ofMinutes(5));
    String end =
        parse(objects.get("board/" + lease).orElseThrow().body()).get("expiresAt").asText();
    await()
        .untilAsserted(
            () ->
                assertThat(shown().values())
                    .filteredOn(object -> object.has("expires_at"))
                    .hasSize(withEnd)
                    .allMatch(object -> object.get("expires_at").asText().equals(end)));
  }

  @Test
  void moreSlotsThanAreWorthAPutEach_othersReferToTheLease() {
    paidFor = true;
    manySlots(130, SlotBoard.DATED_WHERE_PAID);
  }

  @Test
  void whereRequestsAreFree_everySlotNamesTheEndOfItsLease() {
    manySlots(130, 130);
  }

  private void plant(int slot, String job, String worker) {
    String body =
        "{\"format\":1,\"group\":\"t\",\"version\":999999,\"nonce\":\"planted\",\"task_id\":\"%s\",\"worker_id\":\"%s\"}"
            .formatted(job, worker);
    objects.delete(SLOTS + slot);
    objects.putIfAbsent(
        SLOTS + slot, ObjectBody.withoutToken(body.getBytes(StandardCharsets.UTF_8)));
  }

  private List<String> faults() {
    return StoreProviders.diagnose("memory:" + name, new StoreSettings("board", 8))
        .findings()
        .stream()
        .filter(finding -> finding.subject().equals("slots") && !finding.good())
        .map(Diagnosis.Finding::seen)
        .toList();
  }

  @Test
  void wrongObjects_areFoundByTheDoctorAndPutRight() {
    submit(1);
    WorkerSession session = worker(store, 2);
    Answer claimed = session.exchange(StoreCalls.ask(TASK, 1));
    await().until(() -> shownJobs().equals(onRecord()));
    assertThat(faults()).isEmpty();

    plant(0, "another", session.workerId());
    plant(1, "nothing", "nobody");
    assertThat(faults())
        .singleElement()
        .asString()
        .contains(
            "slots/0' names job another, which is " + id(claimed.jobs().get(0)),
            "slots/1' shows a slot that is free");

    store.limits().audit(true);
    session.renew(Duration.ofMinutes(5));
    await().until(() -> shownJobs().equals(onRecord()));
    assertThat(faults()).isEmpty();
  }

  @Test
  void heldSlotWithoutAnObject_isFoundByTheDoctorAndShownAgain() {
    submit(1);
    WorkerSession session = worker(store, 2);
    session.exchange(StoreCalls.ask(TASK, 1));
    await().until(() -> shown().size() == 1);
    objects.delete(SLOTS + 0);
    assertThat(faults()).containsExactly("slot 0 of 't' is held, and no object shows it");

    session.renew(Duration.ofMinutes(5));
    await().until(() -> shownJobs().equals(onRecord()));
  }
}
