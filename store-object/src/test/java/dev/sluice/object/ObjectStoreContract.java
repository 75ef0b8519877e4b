package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.InvalidRequestException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link ObjectStore} must do; it names none. */
abstract class ObjectStoreContract {
  /** How far the clock of a store may be from ours in these tests, rounding to seconds included. */
  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(10);

  private final List<ObjectStore> opened = new ArrayList<>();
  private ObjectStore store;

  /** Opens the store under test; every call in one test opens the same objects. */
  abstract ObjectStore open();

  @BeforeEach
  void openStore() {
    store = openAnother();
  }

  @AfterEach
  void closeStores() {
    opened.forEach(ObjectStore::close);
    opened.clear();
  }

  @Test
  void get_absent_isEmpty() {
    assertThat(store.get("a/b")).isEmpty();
  }

  @Test
  void putIfAbsent_newKey_isReadBackWithItsTag() {
    Stored stored = stored(store.putIfAbsent("a/b", Bodies.plain("hello")));

    StoredObject read = store.get("a/b").orElseThrow();
    assertThat(read.body()).asString().isEqualTo("hello");
    assertThat(read.tag()).isEqualTo(stored.tag());
  }

  @Test
  void putIfAbsent_existingKey_isLostAndChangesNothing() {
    store.putIfAbsent("a", Bodies.plain("first"));

    assertThat(store.putIfAbsent("a", Bodies.plain("second"))).isEqualTo(new Lost(Reason.CHANGED));
    assertThat(store.get("a").orElseThrow().body()).asString().isEqualTo("first");
  }

  @Test
  void putIfMatch_currentTag_replaces() {
    String tag = stored(store.putIfAbsent("a", Bodies.plain("first"))).tag();

    Stored second = stored(store.putIfMatch("a", Bodies.plain("second"), tag));

    StoredObject read = store.get("a").orElseThrow();
    assertThat(read.body()).asString().isEqualTo("second");
    assertThat(read.tag()).isEqualTo(second.tag()).isNotEqualTo(tag);
  }

  @Test
  void putIfMatch_tagThatWasRead_replaces() {
    store.putIfAbsent("a", Bodies.plain("first"));

    String tag = store.get("a").orElseThrow().tag();

    assertThat(store.putIfMatch("a", Bodies.plain("second"), tag)).isInstanceOf(Stored.class);
  }

  @Test
  void putIfMatch_staleTag_isLostAndChangesNothing() {
    String stale = stored(store.putIfAbsent("a", Bodies.plain("first"))).tag();
    store.putIfMatch("a", Bodies.plain("second"), stale);

    assertThat(store.putIfMatch("a", Bodies.plain("third"), stale))
        .isEqualTo(new Lost(Reason.CHANGED));
    assertThat(store.get("a").orElseThrow().body()).asString().isEqualTo("second");
  }

  @Test
  void putIfMatch_absent_isLostAndCreatesNothing() {
    String tag = stored(store.putIfAbsent("a", Bodies.plain("first"))).tag();
    store.delete("a");

    assertThat(store.putIfMatch("a", Bodies.plain("second"), tag)).isInstanceOf(Lost.class);
    assertThat(store.get("a")).isEmpty();
  }

  @Test
  void bodies_emptyBinaryAndLarge_comeBackAsTheyWere() {
    byte[] large = new byte[1_000_003];
    new Random(1).nextBytes(large);
    byte[] everyByte = new byte[256];
    IntStream.range(0, 256).forEach(i -> everyByte[i] = (byte) i);

    for (byte[] body : List.of(new byte[0], everyByte, large)) {
      String key = "bodies/" + body.length;
      store.putIfAbsent(key, ObjectBody.withoutToken(body));
      assertThat(store.get(key).orElseThrow().body()).isEqualTo(body);
    }
    assertThat(store.listAll("bodies/").stream().map(ListedObject::size))
        .containsExactly(0L, 1_000_003L, 256L);
  }

  @Test
  void times_areTheStoresAndInOrder() {
    Stored stored = stored(store.putIfAbsent("a", Bodies.plain("x")));
    StoredObject read = store.get("a").orElseThrow();

    assertThat(read.readAt()).isAfterOrEqualTo(read.modifiedAt());
    assertThat(read.modifiedAt())
        .isCloseTo(Instant.now(), within(CLOCK_TOLERANCE.toMillis(), ChronoUnit.MILLIS));
    assertThat(stored.at())
        .isCloseTo(Instant.now(), within(CLOCK_TOLERANCE.toMillis(), ChronoUnit.MILLIS));
  }

  @Test
  void list_showsKeysTagsAndSizes_underThePrefixOnly() {
    String tag = stored(store.putIfAbsent("a/b/1", Bodies.plain("12345"))).tag();
    store.putIfAbsent("a/bc", Bodies.plain(""));
    store.putIfAbsent("b/1", Bodies.plain(""));

    List<ListedObject> listed = store.listAll("a/b/");

    assertThat(listed).hasSize(1);
    assertThat(listed.get(0).key()).isEqualTo("a/b/1");
    assertThat(listed.get(0).tag()).isEqualTo(tag);
    assertThat(listed.get(0).size()).isEqualTo(5);
    assertThat(keys("a/b")).containsExactly("a/b/1", "a/bc");
    assertThat(keys("")).containsExactly("a/b/1", "a/bc", "b/1");
    assertThat(keys("c")).isEmpty();
  }

  @Test
  void list_isInOrderOfUtf8() {
    List<String> inOrder =
        Stream.of("A", "a", "a-b", "a/b", "a0", "b%41", "é", "\uFB01", "\uD83D\uDE00")
            .map(part -> "order/" + part)
            .toList();
    for (int i = inOrder.size() - 1; i >= 0; i--) {
      store.putIfAbsent(inOrder.get(i), Bodies.plain(""));
    }

    assertThat(keys("order/")).containsExactlyElementsOf(inOrder);
  }

  @Test
  void list_pages_coverEverythingOnce() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      all.add("p/%d/%02d".formatted(i / 10, i));
    }
    all.forEach(key -> store.putIfAbsent(key, Bodies.plain("")));

    List<String> seen = new ArrayList<>();
    ObjectPage page;
    String after = "";
    do {
      page = store.list("p/", after, 7);
      assertThat(page.objects()).hasSizeLessThanOrEqualTo(7);
      page.objects().forEach(object -> seen.add(object.key()));
      after = page.next();
    } while (!page.isLast());

    assertThat(seen).containsExactlyElementsOf(all);
  }

  @Test
  void list_fullPageWithNothingBehindIt_isLast() {
    store.putIfAbsent("p/1", Bodies.plain(""));
    store.putIfAbsent("p/2", Bodies.plain(""));

    assertThat(store.list("p/", "", 2).isLast()).isTrue();
    assertThat(store.list("p/", "", 1).isLast()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"p/2", "p/15", "p/1x/y", "p/1/z"})
  void list_afterAKeyThatNeedNotExist_startsBehindIt(String after) {
    List<String> all = List.of("p/1", "p/1/y", "p/2", "p/2/a", "p/3");
    all.forEach(key -> store.putIfAbsent(key, Bodies.plain("")));

    assertThat(store.list("p/", after, 10).objects().stream().map(ListedObject::key))
        .containsExactlyElementsOf(
            all.stream().filter(key -> ObjectKeys.ORDER.compare(key, after) > 0).toList());
  }

  @Test
  void list_whileObjectsAreReplaced_showsEachOfThem() throws Exception {
    for (int i = 0; i < 10; i++) {
      store.putIfAbsent("r/" + i, Bodies.unique("0"));
    }
    AtomicBoolean done = new AtomicBoolean();

    Race.run(
        2,
        runner ->
            () -> {
              for (int i = 0; runner == 0 && !done.get(); i = (i + 1) % 10) {
                StoredObject object = store.get("r/" + i).orElseThrow();
                store.putIfMatch("r/" + i, Bodies.unique("1"), object.tag());
              }
              for (int i = 0; runner == 1 && i < 20; i++) {
                assertThat(keys("r/")).hasSize(10);
              }
              done.set(true);
              return null;
            });
  }

  @Test
  void delete_existingAndAbsent_areGone() {
    store.putIfAbsent("d/1", Bodies.plain(""));
    store.putIfAbsent("d/2", Bodies.plain(""));

    store.delete("d/1");
    store.delete("d/1");

    assertThat(store.get("d/1")).isEmpty();
    assertThat(keys("d/")).containsExactly("d/2");
  }

  @Test
  void deleteAll_moreThanOneRequestTakes_removesThemAndNoOthers() {
    List<String> doomed = IntStream.range(0, 1_003).mapToObj(i -> "d/" + i).toList();
    doomed.stream().limit(30).forEach(key -> store.putIfAbsent(key, Bodies.plain("")));
    store.putIfAbsent("d/1002", Bodies.plain(""));
    store.putIfAbsent("d/stays&<>", Bodies.plain(""));

    store.deleteAll(doomed);
    store.deleteAll(List.of());

    assertThat(keys("d/")).containsExactly("d/stays&<>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "with space and + and %20 and %",
        "q/x.object",
        "q/x.object/y.object",
        ".hidden/..dots...",
        "ümläut/日本/\uD83D\uDE00",
        "quotes\"'<&>;:?#[]@!$()*,\\|^~`{}",
        "same",
        "same/below",
        "same+/below",
        "CASE",
        "case",
      })
  void keys_ofAnyCharacters_keepTheirObjects(String key) {
    String tag = stored(store.putIfAbsent(key, Bodies.plain(key))).tag();
    store.putIfAbsent(key + "/deeper", Bodies.plain("other"));

    stored(store.putIfMatch(key, Bodies.plain(key + "!"), tag));

    assertThat(store.get(key).orElseThrow().body()).asString().isEqualTo(key + "!");
    assertThat(keys("")).containsExactly(key, key + "/deeper");
    store.deleteAll(List.of(key));
    assertThat(keys("")).containsExactly(key + "/deeper");
  }

  @Test
  void keys_ofTheGreatestLength_keepTheirObjectsAndTheirOrder() {
    String stem = "é".repeat(200);
    List<String> inOrder =
        List.of(
            stem + "!".repeat(ObjectKeys.MAX_BYTES - 400),
            stem + "/" + "x".repeat(ObjectKeys.MAX_BYTES - 401),
            stem + "0".repeat(ObjectKeys.MAX_BYTES - 401),
            stem + "0".repeat(ObjectKeys.MAX_BYTES - 400));
    inOrder.forEach(key -> stored(store.putIfAbsent(key, Bodies.plain(key))));

    assertThat(keys(stem)).containsExactlyElementsOf(inOrder);
    assertThat(store.list("", inOrder.get(0), 2).objects().stream().map(ListedObject::key))
        .containsExactlyElementsOf(inOrder.subList(1, 3));
    for (String key : inOrder) {
      assertThat(store.get(key).orElseThrow().body()).asString().isEqualTo(key);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/a", "a/", "a//b", "a/./b", "../a", "a\nb", "a\u0000", "\uD83D"})
  void keys_thatSomeStoreCouldNotKeep_areRefused(String key) {
    assertThatThrownBy(() -> store.putIfAbsent(key, Bodies.plain("")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("key");
    assertThatThrownBy(() -> store.get(key)).isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void race_toCreate_hasOneWinner() throws Exception {
    ObjectStore other = openAnother();
    for (int round = 0; round < 10; round++) {
      String key = "race/" + round;

      List<Optional<PutResult>> results =
          Race.run(
              8,
              runner ->
                  () ->
                      unlessUnknown(
                          () ->
                              (runner % 2 == 0 ? store : other)
                                  .putIfAbsent(key, Bodies.unique("x"))));

      List<String> winners =
          results.stream()
              .flatMap(Optional::stream)
              .filter(Stored.class::isInstance)
              .map(result -> ((Stored) result).tag())
              .toList();
      assertThat(winners).containsExactly(store.get(key).orElseThrow().tag());
    }
  }

  @Test
  void race_toIncrement_losesNoUpdateAndMakesNoneTwice() throws Exception {
    ObjectStore other = openAnother();
    store.putIfAbsent("counter", Bodies.unique("0"));

    List<Integer> unknown =
        Race.run(
            4,
            runner ->
                () -> {
                  int unsure = 0;
                  for (int i = 0; i < 10; i++) {
                    unsure += increment(runner % 2 == 0 ? store : other, "counter");
                  }
                  return unsure;
                });

    int mostPossible = 40 + unknown.stream().mapToInt(Integer::intValue).sum();
    assertThat(Integer.parseInt(Bodies.text(store.get("counter").orElseThrow())))
        .isBetween(40, mostPossible);
  }

  /** Increments until it is acknowledged; returns how many tries before that are unknown. */
  private static int increment(ObjectStore store, String key) {
    int unknown = 0;
    while (true) {
      StoredObject before = store.get(key).orElseThrow();
      int next = Integer.parseInt(Bodies.text(before)) + 1;
      Optional<PutResult> result =
          unlessUnknown(() -> store.putIfMatch(key, Bodies.unique("" + next), before.tag()));
      if (result.isEmpty()) {
        unknown++;
      } else if (result.get() instanceof Stored) {
        return unknown;
      }
    }
  }

  /** Some servers give losers of a race an answer that decides nothing. */
  private static Optional<PutResult> unlessUnknown(Supplier<PutResult> put) {
    try {
      return Optional.of(put.get());
    } catch (UnknownOutcomeException e) {
      return Optional.empty();
    }
  }

  private ObjectStore openAnother() {
    ObjectStore another = open();
    opened.add(another);
    return another;
  }

  private List<String> keys(String prefix) {
    return store.listAll(prefix).stream().map(ListedObject::key).toList();
  }

  private static Stored stored(PutResult result) {
    assertThat(result).isInstanceOf(Stored.class);
    return (Stored) result;
  }
}
