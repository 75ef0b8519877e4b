package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link ObjectStoreContract} on a real bucket, of which each test uses a prefix of its own. */
abstract class BucketContract extends ObjectStoreContract {
  private final String prefix = "contract-" + UUID.randomUUID();

  /** Connects to the bucket, with this prefix. */
  abstract S3ObjectStore connect(String below);

  @Override
  ObjectStore open() {
    // What the probe remembers is beside the objects of the test, not among them.
    S3ObjectStore bucket = connect(prefix + "/objects");
    return new RetryingObjectStore(bucket.with(tagForm()), RetrySchedule.standard());
  }

  @AfterEach
  void removeEverything() {
    for (String below : List.of(prefix + "/objects", prefix)) {
      try (ObjectStore store = connect(below)) {
        store.deleteAll(store.listAll("").stream().map(ListedObject::key).toList());
      }
    }
  }

  @Test
  void probe_passes() {
    assertThat(tagForm()).isIn((Object[]) S3ObjectStore.TagForm.values());
  }

  /** The form that the probe finds, or remembers. */
  S3ObjectStore.TagForm tagForm() {
    try (ObjectStore store = ObjectStores.open(connect(prefix), new RequestMeter())) {
      String remembered = new String(store.get(StoreProbe.KEY).orElseThrow().body());
      for (S3ObjectStore.TagForm form : S3ObjectStore.TagForm.values()) {
        if (remembered.contains('"' + form.name().toLowerCase(Locale.ROOT) + '"')) {
          return form;
        }
      }
      throw new AssertionError(remembered);
    }
  }
}
