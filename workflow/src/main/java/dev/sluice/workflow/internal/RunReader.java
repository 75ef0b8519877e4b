package dev.sluice.workflow.internal;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.workflow.tick.ProgressJson;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads runs; their charters, which never change under a name, once. */
public final class RunReader {
  private static final int CACHED = 200;

  private final JobStore store;
  private final Map<String, Charter> charters =
      Collections.synchronizedMap(
          new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Charter> eldest) {
              return size() > CACHED;
            }
          });

  /** Reads from this store. */
  public RunReader(JobStore store) {
    this.store = store;
  }

  /** The run of this id. */
  public Optional<LoadedRun> get(UUID id) {
    return store.runs().get(id).flatMap(this::load);
  }

  /** A run that was read; empty if it was removed meanwhile. */
  public Optional<LoadedRun> load(StoredRun stored) {
    UUID id = stored.run().id();
    String name = stored.run().texts().charter();
    String key = id + "/" + name;
    Charter charter = charters.get(key);
    if (charter == null) {
      Optional<String> text = store.runs().charter(id, name);
      if (text.isEmpty()) {
        if (store
            .runs()
            .get(id)
            .filter(now -> now.run().texts().charter().equals(name))
            .isEmpty()) {
          return Optional.empty();
        }
        throw new StoreIncompatibleException(
            "The charter of run %s is missing. Restore it from a backup.".formatted(id));
      }
      charter = Charter.read(id, text.get());
      charters.put(key, charter);
    }
    return Optional.of(
        new LoadedRun(stored, charter, ProgressJson.read(id, stored.run().texts().content())));
  }
}
