package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.StoreProbe.Dialect;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StoreProbeTest {
  private final RequestMeter meter = new RequestMeter();
  private final ObjectStore objects = MemoryObjectStore.open(UUID.randomUUID().toString());

  @AfterEach
  void close() {
    objects.close();
  }

  @Test
  void soundStore_passes_isRemembered_andLeavesNothingElse() {
    Dialect dialect = Dialect.only(new InstrumentedObjectStore(objects, meter));

    assertThat(StoreProbe.choose(List.of(dialect))).isSameAs(dialect.store());
    assertThat(objects.listAll("").stream().map(ListedObject::key)).containsExactly(StoreProbe.KEY);

    RequestReport first = meter.report();
    StoreProbe.choose(List.of(dialect));
    assertThat(meter.report().since(first).requests()).isEqualTo(1);
  }

  @Test
  void storeThatPassedAnOlderProbe_isExaminedAgain() {
    objects.putIfAbsent(
        StoreProbe.KEY, Bodies.plain("{\"version\":0,\"dialect\":\"plain\",\"token\":\"x\"}"));

    StoreProbe.choose(List.of(Dialect.only(new InstrumentedObjectStore(objects, meter))));

    assertThat(meter.report().requests()).isGreaterThan(10);
    assertThat(objects.get(StoreProbe.KEY).orElseThrow().body())
        .asString()
        .contains("\"version\":" + StoreProbe.VERSION);
  }

  @Test
  void foreignObjectInItsPlace_isNamed() {
    objects.putIfAbsent(StoreProbe.KEY, Bodies.plain("<html>"));

    assertThatThrownBy(() -> StoreProbe.choose(List.of(Dialect.only(objects))))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining(StoreProbe.KEY)
        .hasMessageContaining("Name another prefix");
  }

  @Test
  void storeThatIgnoresCreateOnly_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public PutResult putIfAbsent(String key, ObjectBody body) {
            objects.delete(key);
            return super.putIfAbsent(key, body);
          }
        },
        "it wrote over an object that should only have been created");
  }

  @Test
  void storeThatIgnoresTags_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public PutResult putIfMatch(String key, ObjectBody body, String tag) {
            return super.putIfMatch(key, body, get(key).map(StoredObject::tag).orElse(tag));
          }
        },
        "it replaced an object although the tag was stale");
  }

  @Test
  void storeThatCreatesWhatItShouldReplace_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public PutResult putIfMatch(String key, ObjectBody body, String tag) {
            PutResult result = super.putIfMatch(key, body, tag);
            return result.equals(new Lost(Reason.ABSENT)) ? putIfAbsent(key, body) : result;
          }
        },
        "it created an object that should only have been replaced");
  }

  @Test
  void storeThatListsLate_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public ObjectPage list(String prefix, String after, int limit) {
            return new ObjectPage(List.of(), true);
          }
        },
        "it did not list an object that was just written");
  }

  @Test
  void storeThatReadsLate_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public Optional<StoredObject> get(String key) {
            return Optional.empty();
          }
        },
        "it did not show an object that was just written");
  }

  @Test
  void storeThatIgnoresCase_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public PutResult putIfAbsent(String key, ObjectBody body) {
            return super.putIfAbsent(key.toLowerCase(Locale.ROOT), body);
          }
        },
        "it takes keys that differ only in case for one");
  }

  @Test
  void storeThatChecksAndThenWrites_isRefused() {
    assertRefused(
        new TwoStepStore(objects),
        "it told 8 of 8 writers that they alone had managed to create an object");
  }

  /** The writers tried for ever, and the store was never opened. */
  @Test
  @Timeout(30)
  void storeThatLetsNoneOfSeveralWritersWin_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public PutResult putIfMatch(String key, ObjectBody body, String tag) {
            return isCounter(key) ? new Lost(Reason.CHANGED) : super.putIfMatch(key, body, tag);
          }
        },
        "of 8 writers that tried to replace one object it let none win");
  }

  /** The message was that of a text that could not be cut. */
  @Test
  void storeThatShowsHalfAnObject_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public Optional<StoredObject> get(String key) {
            Optional<StoredObject> found = super.get(key);
            return isCounter(key)
                ? found.map(
                    object ->
                        new StoredObject(
                            Arrays.copyOf(object.body(), 1),
                            object.tag(),
                            object.modifiedAt(),
                            object.readAt()))
                : found;
          }
        },
        "it showed an object that is not as any writer wrote it");
  }

  @Test
  void storeThatShowsAnObjectNoMore_isRefused() {
    assertRefused(
        new ForwardingObjectStore(objects) {
          @Override
          public Optional<StoredObject> get(String key) {
            return isCounter(key) ? Optional.empty() : super.get(key);
          }
        },
        "it showed no object where writers replaced one");
  }

  /** A writer that was still at work put an object after all of them had been deleted. */
  @Test
  void storeThatFailsInARace_isCleanedUpWhenTheLastWriterHasEnded() {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch deleting = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    ObjectStore failing =
        new ForwardingObjectStore(objects) {
          @Override
          public PutResult putIfMatch(String key, ObjectBody body, String tag) {
            int call = isCounter(key) ? calls.incrementAndGet() : 0;
            if (call == 1) {
              awaitUninterrupted(busy, Duration.ofSeconds(30));
              throw new StoreUnavailableException("It fails in a race.");
            }
            if (call == 2) {
              busy.countDown();
              // Long enough for a clean-up that does not wait.
              awaitUninterrupted(deleting, Duration.ofSeconds(1));
              PutResult result = super.putIfAbsent(key + "-late", body);
              written.countDown();
              return result;
            }
            return super.putIfMatch(key, body, tag);
          }

          @Override
          public void deleteAll(Collection<String> keys) {
            super.deleteAll(keys);
            deleting.countDown();
          }
        };

    assertThatThrownBy(() -> StoreProbe.choose(List.of(Dialect.only(failing))))
        .isInstanceOf(StoreUnavailableException.class);

    awaitUninterrupted(written, Duration.ofSeconds(30));
    assertThat(objects.listAll("")).isEmpty();
  }

  private static boolean isCounter(String key) {
    return key.endsWith("/counter");
  }

  private static void awaitUninterrupted(CountDownLatch latch, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    while (true) {
      try {
        latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        return;
      } catch (InterruptedException e) {
        // Like a request that is under way.
      }
    }
  }

  /** Where one dialect happened on the fault, the other was tried, and often did not. */
  @Test
  void serverThatLosesUpdates_isRefusedEveryTime() {
    assertRefusedEveryTime(new S3Objects().losingUpdates(0.3));
  }

  /** The first requests of the racers came one after the other, over new connections. */
  @Test
  void serverThatLetsSeveralCreate_isRefusedEveryTime() {
    assertRefusedEveryTime(new S3Objects().lettingSeveralCreate(0.5));
  }

  private void assertRefusedEveryTime(S3Objects lying) {
    int refused = 0;
    try (FaultyS3Server server = new FaultyS3Server(lying)) {
      for (int start = 0; start < 20; start++) {
        try (S3ObjectStore bucket =
            S3ObjectStoreTest.open(server.url("start-" + start), S3ObjectStore.DEFAULT_TIMEOUT)) {
          ObjectStores.open(bucket, meter);
        } catch (StoreIncompatibleException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isEqualTo(20);
  }

  /** What a first start costs: the documentation says it. */
  @Test
  void soundServer_isProbedWithSoManyRequests() {
    try (FaultyS3Server server = new FaultyS3Server()) {
      open(server).close();
    }
    assertThat(meter.report().requests()).isLessThan(1_500);
    assertThat(meter.report().dollars()).isLessThan(0.005);
  }

  @Test
  void bucketThatKeepsVersions_isRefused() {
    try (FaultyS3Server server = new FaultyS3Server(new S3Objects().keepingVersions())) {
      assertThatThrownBy(() -> open(server))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining(FaultyS3Server.BUCKET)
          .hasMessageContaining("suspend versioning");
    }
  }

  @Test
  void serverThatWantsBareTags_isSpokenToInThatWay_alsoNextTime() {
    try (FaultyS3Server server = new FaultyS3Server(new S3Objects().wantingBareTags())) {
      for (int start = 0; start < 2; start++) {
        try (ObjectStore store = open(server)) {
          String key = "start-" + start;
          String tag = ((Stored) store.putIfAbsent(key, Bodies.unique("1"))).tag();
          assertThat(store.putIfMatch(key, Bodies.unique("2"), tag)).isInstanceOf(Stored.class);
        }
      }
    }
  }

  @Test
  void unreliableServer_passesAllTheSame() {
    try (FaultyS3Server server = new FaultyS3Server()) {
      server.next("PUT", S3Fault.LOSE_REPLY, S3Fault.NONE, S3Fault.CONFLICT, S3Fault.SLOW_DOWN);
      server.next("GET", S3Fault.LOSE_REQUEST, S3Fault.NONE, S3Fault.SLOW_DOWN);
      open(server).close();
    }
  }

  private ObjectStore open(FaultyS3Server server) {
    return ObjectStores.open(
        S3ObjectStoreTest.open(server.url("x"), S3ObjectStore.DEFAULT_TIMEOUT), meter);
  }

  private static void assertRefused(ObjectStore store, String finding) {
    assertThatThrownBy(() -> StoreProbe.choose(List.of(Dialect.only(store))))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining(store.toString())
        .hasMessageContaining(finding);
  }

  /** Looks whether the object is there, and writes it in a second step, when all have looked. */
  private static final class TwoStepStore extends ForwardingObjectStore {
    private final CyclicBarrier allHaveLooked = new CyclicBarrier(StoreRaces.RACERS);

    TwoStepStore(ObjectStore store) {
      super(store);
    }

    @Override
    public PutResult putIfAbsent(String key, ObjectBody body) {
      if (!key.contains("/race-")) {
        return super.putIfAbsent(key, body);
      }
      if (get(key).isPresent()) {
        return new Lost(Reason.CHANGED);
      }
      try {
        allHaveLooked.await();
      } catch (InterruptedException | BrokenBarrierException e) {
        throw new AssertionError(e);
      }
      return overwrite(key, body);
    }

    private synchronized PutResult overwrite(String key, ObjectBody body) {
      delete(key);
      return super.putIfAbsent(key, body);
    }
  }
}
