package dev.sluice.object;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/**
 * {@link ObjectStoreContract} on a real bucket. The bucket is probed once, and then each test works
 * below a prefix of its own, with what the probe found.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BucketContract extends ObjectStoreContract {
  private final String run = "contract-" + UUID.randomUUID();
  private S3ObjectStore.TagForm tagForm;
  private int tests;

  /** Connects to the bucket, with this prefix. */
  abstract S3ObjectStore connect(String prefix);

  @Override
  ObjectStore open() {
    return new RetryingObjectStore(
        connect(run + "/" + tests).with(tagForm), RetrySchedule.standard());
  }

  @BeforeAll
  void probe() {
    try (ObjectStore store = ObjectStores.open(connect(run), new RequestMeter())) {
      byte[] remembered = store.get(StoreProbe.KEY).orElseThrow().body();
      String text = new String(remembered, StandardCharsets.UTF_8).toUpperCase(Locale.ROOT);
      tagForm =
          Stream.of(S3ObjectStore.TagForm.values())
              .filter(form -> text.contains('"' + form.name() + '"'))
              .findFirst()
              .orElseThrow();
    }
  }

  @AfterEach
  void removeObjects() {
    removeBelow(run + "/" + tests);
    tests++;
  }

  @AfterAll
  void removeRest() {
    removeBelow(run);
  }

  private void removeBelow(String prefix) {
    try (ObjectStore store = connect(prefix)) {
      store.deleteAll(store.listAll("").stream().map(ListedObject::key).toList());
    }
  }
}
