package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that something else has overwritten or removed, and what goes on beside them. */
@Timeout(90)
class DamageIT {
  private static final String NAMESPACE = "sluice";
  private static final String SHARD = "shards/0/";
  private static final String CONTROL = SHARD + ControlObject.KEY;
  private static final String NAMED_CONTROL = "'%s/%s'".formatted(NAMESPACE, CONTROL);
  private static final String NEWER = "{\"format\": 99}";
  private static final Task<Integer> GOOD = Task.named("good", Integer.class).build();
  private static final Task<Integer> HURT = Task.named("hurt", Integer.class).build();

  private final String url = "memory:" + UUID.randomUUID();
  private final ObjectStore objects =
      new PrefixedObjectStore(MemoryObjectStore.open(url.substring("memory:".length())), NAMESPACE);

  @AfterEach
  void close() {
    objects.close();
  }

  private Sluice open() {
    return Sluice.open(SluiceOptions.url(url).schema(NAMESPACE));
  }

  private JobStore openStore() {
    return StoreProviders.open(url, new StoreSettings(NAMESPACE, 4));
  }

  private static WorkerBuilder worker(Sluice sluice) {
    return sluice.worker().poll(Duration.ofMillis(50)).lease(Duration.ofSeconds(3));
  }

  /** Something else writes over an object; what was there. */
  private byte[] overwrite(String key, String text) {
    StoredObject before = objects.get(key).orElseThrow();
    assertThat(objects.putIfMatch(key, Bodies.plain(text), before.tag()))
        .isInstanceOf(Stored.class);
    return before.body();
  }

  /** Somebody restores an object. */
  private void restore(String key, byte[] bytes) {
    ObjectBody body = ObjectBody.withoutToken(bytes);
    PutResult result =
        objects
            .get(key)
            .map(now -> objects.putIfMatch(key, body, now.tag()))
            .orElseGet(() -> objects.putIfAbsent(key, body));
    assertThat(result).isInstanceOf(Stored.class);
  }

  private String onlyKeyIn(String prefix) {
    List<ListedObject> found = objects.listAll(prefix);
    assertThat(found).hasSize(1);
    return found.get(0).key();
  }

  private static void awaitState(Sluice sluice, UUID id, JobState state) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> sluice.jobs().get(id).orElseThrow().state() == state);
  }

  @ParameterizedTest
  @ValueSource(strings = {"not JSON", "{\"format\": 1}", NEWER, ""})
  void newSegment_damaged_othersGoOn_andItsJobsRunOnceItIsRestored(String damage) {
    try (Sluice sluice = open()) {
      UUID hurt = sluice.submit(HURT, 1).id();
      String key = onlyKeyIn(SHARD + "inbox/");
      byte[] bytes = overwrite(key, damage);
      UUID good = sluice.submit(GOOD, 2).id();

      try (Worker worker =
          worker(sluice).handle(GOOD, (p, c) -> {}).handle(HURT, (p, c) -> {}).start()) {
        awaitState(sluice, good, JobState.SUCCEEDED);
        assertThatThrownBy(() -> sluice.jobs().get(hurt))
            .isInstanceOf(StoreIncompatibleException.class)
            .hasMessageContaining("'%s/%s'".formatted(NAMESPACE, key));
        assertThatThrownBy(() -> sluice.jobs().counts())
            .as("nothing is left out silently")
            .hasMessageContaining("'%s/%s'".formatted(NAMESPACE, key));

        restore(key, bytes);
        await()
            .atMost(Duration.ofSeconds(30))
            .ignoreExceptions()
            .until(() -> sluice.jobs().get(hurt).isPresent());
        awaitState(sluice, hurt, JobState.SUCCEEDED);
        assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 2L);
      }
    }
  }

  /** Has a process take the inbox in, and end: the next one has not read the segments. */
  private void admitEverything() {
    try (JobStore store = openStore()) {
      WorkerSession session =
          store.openSession(
              new WorkerRegistration(
                  "w", Set.of("default"), Set.of("none"), Map.of(), Duration.ofMinutes(1)));
      Demand demand = new Demand(1, List.of(new TaskDemand("none", 1, 0)), Map.of());
      session.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand));
      session.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void admittedSegment_damagedOrGone_othersGoOn(boolean gone) {
    UUID hurt;
    try (Sluice sluice = open()) {
      hurt = sluice.submit(HURT, 1).id();
    }
    admitEverything();
    String key = onlyKeyIn(SHARD + "inbox/");
    byte[] bytes = overwrite(key, "x");
    if (gone) {
      objects.delete(key);
    }
    try (Sluice sluice = open()) {
      UUID good = sluice.submit(GOOD, 2).id();
      UUID later = sluice.submit(GOOD, 3, o -> o.delay(Duration.ofHours(1))).id();
      try (Worker worker =
          worker(sluice).handle(GOOD, (p, c) -> {}).handle(HURT, (p, c) -> {}).start()) {
        awaitState(sluice, good, JobState.SUCCEEDED);
        assertThat(sluice.jobs().cancel(later)).isTrue();
        assertThatThrownBy(() -> sluice.jobs().cancel(hurt))
            .isInstanceOf(StoreIncompatibleException.class)
            .hasMessageContaining("'%s/%s'".formatted(NAMESPACE, key));
        UUID again = sluice.submit(GOOD, 4).id();
        awaitState(sluice, again, JobState.SUCCEEDED);

        restore(key, bytes);
        await()
            .atMost(Duration.ofSeconds(30))
            .ignoreExceptions()
            .until(() -> sluice.jobs().get(hurt).isPresent());
        awaitState(sluice, hurt, JobState.SUCCEEDED);
      }
    }
  }

  @Test
  void damagedSegment_stopsOnlySubmitsThatHaveToCountIt() {
    try (Sluice sluice = open()) {
      sluice.submit(HURT, 1);
    }
    admitEverything();
    String key = onlyKeyIn(SHARD + "inbox/");
    byte[] bytes = overwrite(key, "x");
    try (Sluice sluice = open()) {
      assertThat(sluice.submit(GOOD, 1).accepted()).isTrue();
      assertThat(sluice.submit(GOOD, 1, o -> o.dedupeKey("once")).accepted()).isTrue();
      assertThat(sluice.submit(GOOD, 1, o -> o.dedupeKey("once")).accepted()).isFalse();
      assertThatThrownBy(
              () -> sluice.submit(HURT, 1, o -> o.concurrencyLimit(1).onLimit(OnLimit.REJECT)))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("'%s/%s'".formatted(NAMESPACE, key));
      restore(key, bytes);
      await()
          .ignoreExceptions()
          .until(
              () ->
                  !sluice
                      .submit(HURT, 1, o -> o.concurrencyLimit(1).onLimit(OnLimit.REJECT))
                      .accepted());
    }
  }

  @Test
  void deadWorkersRecord_damaged_itsSlotComesFreeAllTheSame() {
    try (Sluice sluice = open()) {
      sluice.concurrency().setLimit(Group.of("shared"), 1);
      sluice.submit(HURT, 1, o -> o.concurrencyGroup("shared"));
    }
    try (JobStore dying = openStore()) {
      WorkerSession session =
          dying.openSession(
              new WorkerRegistration(
                  "w", Set.of("default"), Set.of("hurt"), Map.of(), Duration.ofSeconds(1)));
      Demand demand = new Demand(1, List.of(new TaskDemand("hurt", 1, 0)), Map.of());
      Exchange.Answer answer =
          session.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand));
      assertThat(answer.jobs()).hasSize(1);
      // The process ends here, as far as anybody can see: it neither renews nor signs off.
      String key = onlyKeyIn(SHARD + "inbox/");
      byte[] bytes = overwrite(key, "x");
      try (Sluice sluice = open()) {
        UUID good = sluice.submit(GOOD, 2, o -> o.concurrencyGroup("shared")).id();
        try (Worker worker =
            worker(sluice).handle(GOOD, (p, c) -> {}).handle(HURT, (p, c) -> {}).start()) {
          awaitState(sluice, good, JobState.SUCCEEDED);
          restore(key, bytes);
          UUID hurt = answer.jobs().get(0).id();
          await()
              .atMost(Duration.ofSeconds(30))
              .ignoreExceptions()
              .until(() -> sluice.jobs().get(hurt).isPresent());
          awaitState(sluice, hurt, JobState.SUCCEEDED);
        }
        assertThat(sluice.concurrency().status(Group.of("shared")).active()).isZero();
      }
    }
  }

  @Test
  void controlObject_gone_isNoNewBeginning() {
    byte[] bytes;
    try (Sluice sluice = open()) {
      UUID id = sluice.submit(GOOD, 1).id();
      try (Worker worker = worker(sluice).handle(GOOD, (p, c) -> {}).start()) {
        awaitState(sluice, id, JobState.SUCCEEDED);
      }
      // Removing nothing still archives what has ended.
      assertThat(sluice.jobs().purge(Duration.ofDays(1))).isZero();
      bytes = overwrite(CONTROL, "x");
      objects.delete(CONTROL);
      assertThatThrownBy(() -> sluice.jobs().counts())
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining(NAMED_CONTROL + " is missing");
    }
    try (Sluice sluice = open()) {
      assertThatThrownBy(() -> sluice.concurrency().setLimit(GOOD.group(), 1))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining(NAMED_CONTROL + " is missing");
      restore(CONTROL, bytes);
      assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 1L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"not JSON", NEWER})
  void controlObject_damaged_runningJobsAreKeptAndEverythingContinues(String damage)
      throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    try (Sluice sluice = open();
        Sluice other = open()) {
      UUID running = sluice.submit(GOOD, 1).id();
      try (Worker worker =
          worker(sluice)
              .handle(
                  GOOD,
                  (payload, context) -> {
                    started.countDown();
                    finish.await();
                  })
              .start()) {
        started.await();
        byte[] bytes = overwrite(CONTROL, damage);
        String lease = onlyKeyIn("workers/");
        UUID submitted = other.submit(GOOD, 2).id();
        assertThatThrownBy(() -> other.jobs().counts())
            .isInstanceOf(StoreIncompatibleException.class)
            .hasMessageContaining(NAMED_CONTROL);
        // Longer than its lease: it lives by its renewals, and nobody can take its job.
        for (int renewals = 0; renewals < 5; renewals++) {
          String tag = objects.get(lease).orElseThrow().tag();
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> !objects.get(lease).orElseThrow().tag().equals(tag));
        }
        finish.countDown();
        restore(CONTROL, bytes);

        awaitState(sluice, running, JobState.SUCCEEDED);
        awaitState(sluice, submitted, JobState.SUCCEEDED);
        assertThat(sluice.jobs().get(running).orElseThrow().progress().attempt()).isEqualTo(1);
        assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 2L);
      }
    }
  }

  @Test
  void foreignObjects_inThePrefix_areLeftAlone() {
    for (String key :
        List.of(
            SHARD + "inbox/readme.txt",
            "workers/notes.json",
            SHARD + "done/x",
            SHARD + "returns/y",
            "shards/1.json")) {
      assertThat(objects.putIfAbsent(key, Bodies.plain("mine"))).isInstanceOf(Stored.class);
    }
    try (Sluice sluice = open();
        JobStore dying = openStore()) {
      dying.openSession(
          new WorkerRegistration(
              "dead", Set.of("default"), Set.of("hurt"), Map.of(), Duration.ofSeconds(1)));
      UUID id = sluice.submit(GOOD, 1).id();
      try (Worker worker = worker(sluice).handle(GOOD, (p, c) -> {}).start()) {
        awaitState(sluice, id, JobState.SUCCEEDED);
        await().atMost(Duration.ofSeconds(30)).until(() -> objects.listAll("workers/").size() == 2);
      }
      assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 1L);
    }
    assertThat(objects.get(SHARD + "inbox/readme.txt").orElseThrow().body())
        .asString()
        .isEqualTo("mine");
    assertThat(objects.get("workers/notes.json").orElseThrow().body()).asString().isEqualTo("mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", NEWER})
  void format_unknown_isRefusedAndNothingIsTouched(String format) {
    try (Sluice sluice = open()) {
      sluice.submit(GOOD, 1);
    }
    byte[] bytes = overwrite(StoreFormat.KEY, format);
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("'%s/%s'".formatted(NAMESPACE, StoreFormat.KEY));
    restore(StoreFormat.KEY, bytes);
    try (Sluice sluice = open()) {
      assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 1L);
    }
  }
}
