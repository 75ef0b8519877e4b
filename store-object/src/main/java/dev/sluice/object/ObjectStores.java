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
   * The store at this URL.
   *
   * @param meter counts its requests from now on, those of the probe included
   */
  static ObjectStore open(ObjectStoreUrl url, RequestMeter meter) {
    if (url instanceof Memory memory) {
      return new InstrumentedObjectStore(MemoryObjectStore.open(memory.name()), meter);
    }
    if (url instanceof Directory directory) {
      DirectoryObjectStore files = DirectoryObjectStore.open(directory.path());
      return probed(files, List.of(Dialect.only(new InstrumentedObjectStore(files, meter))));
    }
    return open(S3ObjectStore.open((Bucket) url), meter);
  }

  /** The store in a bucket, in the dialect that its server understands. */
  static ObjectStore open(S3ObjectStore bucket, RequestMeter meter) {
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
    return probed(bucket, dialects);
  }

  private static ObjectStore probed(ObjectStore opened, List<Dialect> dialects) {
    try {
      return StoreProbe.choose(dialects);
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }
}
