package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What slot objects say, read from outside while workers run jobs, and compared with what the
 * handlers themselves have seen.
 */
@Timeout(120)
class SlotObjectsIT {
  private static final int LIMIT = 30;
  private static final String NAMESPACE = "seen";

  /** The documented delay is a second; the rest is for a machine that has other things to do. */
  private static final Duration DELAY = Duration.ofSeconds(2);

  private static final Duration LEASE = Duration.ofSeconds(4);
  private static final Duration WATCHED = Duration.ofSeconds(12);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Task<Integer> TASK =
      Task.named("render", Integer.class).maxConcurrent(LIMIT).build();

  @TempDir Path directory;

  private final Map<String, Run> runs = new ConcurrentHashMap<>();
  private int shown;
  private final List<String> lies = new ArrayList<>();
  private final Set<String> twice = new HashSet<>();
  private final Map<String, String> slotOf = new HashMap<>();

  /** When a job was first shown whose handler had not begun. */
  private final Map<String, Long> shownFirst = new HashMap<>();

  /** An attempt as its handler saw it. */
  private static final class Run {
    final String worker;
    final long since = System.nanoTime();
    volatile long until = Long.MAX_VALUE;

    Run(String worker) {
      this.worker = worker;
    }
  }

  private Sluice open(String url) {
    return Sluice.open(SluiceOptions.url(url).schema(NAMESPACE));
  }

  private Worker worker(Sluice sluice) {
    return sluice
        .worker()
        .concurrency(LIMIT)
        .lease(LEASE)
        .handle(
            TASK,
            (millis, context) -> {
              Run run = new Run(context.workerId());
              runs.put(context.jobId().toString(), run);
              TimeUnit.MILLISECONDS.sleep(millis);
              run.until = System.nanoTime();
            })
        .start();
  }

  @Test
  void directory_thirtySlotsInUse_everyObjectIsTrue() throws Exception {
    String url = "file:" + directory;
    try (ObjectStore objects = ObjectStores.open(ObjectStoreUrl.parse(url), new RequestMeter())) {
      watch(url, objects);
    }
  }

  @Test
  void unreliableBucket_thirtySlotsInUse_everyObjectIsTrue() throws Exception {
    try (UnreliableBucket bucket = new UnreliableBucket();
        ObjectStore objects =
            ObjectStores.open(ObjectStoreUrl.parse(bucket.url()), new RequestMeter())) {
      watch(bucket.url(), objects);
    }
  }

  private void watch(String url, ObjectStore objects) throws Exception {
    long seed = Long.getLong("sluice.test.seed", System.nanoTime());
    System.out.println("sluice.test.seed=" + seed);
    Random random = new Random(seed);
    try (Sluice one = open(url);
        Sluice other = open(url)) {
      one.submitAll(
          TASK, IntStream.range(0, 400).map(i -> 300 + random.nextInt(2_500)).boxed().toList());
      int most = 0;
      try (Worker first = worker(one);
          Worker second = worker(other)) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < WATCHED.toNanos()) {
          most = Math.max(most, look(objects));
          TimeUnit.MILLISECONDS.sleep(50);
        }
        one.queues().pause("default");
        while (running() > 0) {
          look(objects);
          TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(lies.stream().limit(20)).as("%d of %d", lies.size(), shown).isEmpty();
        assertThat(most).as("slots shown at once").isEqualTo(LIMIT);
        await().atMost(DELAY.plus(DELAY)).until(() -> read(objects).isEmpty());
      }
    }
  }

  private long running() {
    return runs.values().stream().filter(run -> run.until == Long.MAX_VALUE).count();
  }

  /** The slot objects, by number; one that is deleted meanwhile is not there. */
  private static Map<Integer, JsonNode> read(ObjectStore objects) throws IOException {
    Map<Integer, JsonNode> read = new TreeMap<>();
    String prefix = NAMESPACE + "/concurrency/render/slots/";
    for (ListedObject listed : objects.listAll(prefix)) {
      StoredObject object = objects.get(listed.key()).orElse(null);
      if (object != null) {
        read.put(
            Integer.parseInt(listed.key().substring(prefix.length())),
            JSON.readTree(object.body()));
      }
    }
    return read;
  }

  /** Compares every object with the handlers; how many slots were shown. */
  private int look(ObjectStore objects) throws IOException {
    long before = System.nanoTime();
    Instant asked = Instant.now();
    Map<Integer, JsonNode> slots = read(objects);
    long after = System.nanoTime();
    Map<String, Integer> named = new HashMap<>();
    Set<String> seenTwice = new HashSet<>();
    slots.forEach(
        (slot, object) -> {
          if (object.has("expires_at")
              && Instant.parse(object.get("expires_at").textValue()).isBefore(asked)) {
            lies.add("slot " + slot + " has expired: " + object);
          }
          if (!object.has("worker_id")) {
            lies.add("slot " + slot + " has no worker: " + object);
          }
          if (object.has("task_id")) {
            String job = object.get("task_id").textValue();
            Run run = runs.get(job);
            // A slot names its job from the claim on, a moment before the handler begins.
            long over = run == null ? shownFirst.computeIfAbsent(job, first -> after) : run.until;
            if (over < before - DELAY.toNanos()) {
              lies.add(
                  "slot %d names a job that does not run, %s: %s"
                      .formatted(slot, (before - over) / 1_000_000, object));
            } else if (run != null && !run.worker.equals(object.path("worker_id").textValue())) {
              lies.add("slot " + slot + " names the wrong worker: " + object);
            }
            if (named.put(job, slot) != null) {
              seenTwice.add(job);
            }
            String first = slotOf.putIfAbsent(job, String.valueOf(slot));
            if (first != null && !first.equals(String.valueOf(slot))) {
              lies.add("job " + job + " moved from slot " + first + " to slot " + slot);
            }
          }
        });
    seenTwice.stream().filter(twice::contains).forEach(job -> lies.add(job + " is in two slots"));
    twice.clear();
    twice.addAll(seenTwice);
    runs.forEach(
        (job, run) -> {
          if (before - run.since > DELAY.toNanos()
              && run.until > after
              && !named.containsKey(job)) {
            lies.add(
                "job %s runs in a slot that no object shows, %d ms"
                    .formatted(job, (before - run.since) / 1_000_000));
          }
        });
    shown += slots.size();
    return slots.size();
  }
}
