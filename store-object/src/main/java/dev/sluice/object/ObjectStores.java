package dev.sluice.object;

import dev.sluice.object.ObjectStoreUrl.Bucket;
import dev.sluice.object.ObjectStoreUrl.Directory;
import dev.sluice.object.ObjectStoreUrl.Memory;
import dev.sluice.object.S3ObjectStore.TagForm;
import dev.sluice.object.StoreProbe.Dialect;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Opens object stores ready for use: probed, counted, and tried again where that can help. */
final class ObjectStores {
  private ObjectStores() {}

  /**
   * A place for objects, before it was found out how to speak to it.
   *
   * @param place closes the connection to it
   * @param dialects ways to speak to it, the usual one first
   */
  record Unproved(ObjectStore place, List<Dialect> dialects) {}

  /**
   * The store at this URL.
   *
   * @param meter counts its requests from now on, those of the probe included
   */
  static ObjectStore open(ObjectStoreUrl url, RequestMeter meter) {
    if (url instanceof Memory) {
      return connect(url, meter).dialects.get(0).store();
    }
    return probed(connect(url, meter));
  }

  /** The store in a bucket, in the dialect that its server understands. */
  static ObjectStore open(S3ObjectStore bucket, RequestMeter meter) {
    return probed(connect(bucket, meter));
  }

  /** The place at this URL. */
  static Unproved connect(ObjectStoreUrl url, RequestMeter meter) {
    if (url instanceof Bucket bucket) {
      return connect(S3ObjectStore.open(bucket), meter);
    }
    ObjectStore plain =
        url instanceof Directory directory
            ? DirectoryObjectStore.open(directory.path())
            : MemoryObjectStore.open(((Memory) url).name());
    return new Unproved(plain, List.of(Dialect.only(new InstrumentedObjectStore(plain, meter))));
  }

  private static Unproved connect(S3ObjectStore bucket, RequestMeter meter) {
    List<Dialect> dialects =
        Stream.of(TagForm.values())
            .map(
                form ->
                    new Dialect(
                        form.name().toLowerCase(Locale.ROOT),
                        new RetryingObjectStore(
                            new InstrumentedObjectStore(bucket.with(form), meter),
                            RetrySchedule.standard()),
                        bucket::objectionTo))
            .toList();
    return new Unproved(bucket, dialects);
  }

  private static ObjectStore probed(Unproved unproved) {
    try {
      return StoreProbe.choose(unproved.dialects);
    } catch (RuntimeException e) {
      unproved.place.close();
      throw e;
    }
  }
}
