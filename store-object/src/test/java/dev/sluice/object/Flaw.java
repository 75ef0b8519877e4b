package dev.sluice.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * How the protocol is broken on purpose, by what a process reads, writes, draws, hears of its own
 * store or takes for the time; its code is the same.
 */
enum Flaw {
  /** It is not. */
  NONE,

  /** The bucket replaces objects whatever their tag. */
  TAGS_IGNORED,

  /** Every nonce is the same. */
  SAME_NONCE,

  /** Observers take leases for shorter than they are. */
  HASTY_OBSERVERS {
    @Override
    ObjectStore decorate(ObjectStore store) {
      return new ForwardingObjectStore(store) {
        @Override
        public Optional<StoredObject> get(String key) {
          return super.get(key).map(object -> isLease(key) ? shortened(object) : object);
        }

        private StoredObject shortened(StoredObject object) {
          ObjectNode lease = read(object.body());
          lease.put("leaseMillis", lease.get("leaseMillis").longValue() / 10);
          return written(object, lease);
        }
      };
    }
  },

  /** Observers give back jobs and leave the lease as it is. */
  NOBODY_FENCED {
    @Override
    ObjectStore decorate(ObjectStore store) {
      return new ForwardingObjectStore(store) {
        @Override
        public PutResult putIfMatch(String key, ObjectBody body, String tag) {
          String text = new String(body.bytes(), StandardCharsets.UTF_8);
          Optional<StoredObject> there =
              isLease(key) && text.contains("\"fenced\"") ? get(key) : Optional.empty();
          return there.isPresent()
              ? new Stored(tag, there.get().readAt())
              : super.putIfMatch(key, body, tag);
        }

        @Override
        public void delete(String key) {
          if (!isLease(key)) {
            super.delete(key);
          }
        }
      };
    }
  },

  /**
   * Steps of workers count whether or not they are in good standing, and their leases never end.
   */
  STANDING_IGNORED {
    @Override
    LongSupplier clock(LongSupplier nanoTime) {
      long start = nanoTime.getAsLong();
      return () -> start + (nanoTime.getAsLong() - start) / 20;
    }

    @Override
    Flaw of(int process) {
      // The others give it up.
      return process % 2 == 0 ? this : NONE;
    }

    @Override
    ObjectStore decorate(ObjectStore store) {
      Map<String, JsonNode> own = new HashMap<>();
      return new ForwardingObjectStore(store) {
        @Override
        public PutResult putIfAbsent(String key, ObjectBody body) {
          if (isLease(key)) {
            own.put(key, null);
          }
          return super.putIfAbsent(key, body);
        }

        @Override
        public Optional<StoredObject> get(String key) {
          return super.get(key)
              .map(object -> key.equals(Auditor.CONTROL) ? withOwn(object) : object);
        }

        private StoredObject withOwn(StoredObject object) {
          ObjectNode state = read(object.body());
          ArrayNode workers = (ArrayNode) state.get("workers");
          Map<String, JsonNode> there = new HashMap<>();
          workers.forEach(w -> there.put("workers/" + w.get("id").textValue() + ".json", w));
          own.replaceAll((key, entry) -> there.getOrDefault(key, entry));
          own.forEach(
              (key, entry) -> {
                if (entry != null && !there.containsKey(key)) {
                  workers.add(entry);
                }
              });
          return written(object, state);
        }
      };
    }
  },

  /** It is forgotten since when a slot is left free for a worker that may have died. */
  OFFERS_FORGOTTEN {
    @Override
    ObjectStore decorate(ObjectStore store) {
      return new ForwardingObjectStore(store) {
        @Override
        public Optional<StoredObject> get(String key) {
          return super.get(key)
              .map(object -> key.equals(Auditor.CONTROL) ? withoutOffers(object) : object);
        }

        private StoredObject withoutOffers(StoredObject object) {
          ObjectNode state = read(object.body());
          state.path("asks").forEach(asks -> asks.forEach(ask -> ((ArrayNode) ask).set(2, 0)));
          return written(object, state);
        }
      };
    }
  },

  /**
   * Commits that have nothing to say are left out, also those that keep a late put from landing.
   */
  BARRIER_DROPPED {
    @Override
    ObjectStore decorate(ObjectStore store) {
      return new ForwardingObjectStore(store) {
        private StoredObject latest;

        @Override
        public Optional<StoredObject> get(String key) {
          Optional<StoredObject> object = super.get(key);
          if (key.equals(Auditor.CONTROL)) {
            latest = object.orElse(null);
          }
          return object;
        }

        @Override
        public PutResult putIfMatch(String key, ObjectBody body, String tag) {
          StoredObject before = latest;
          boolean control = key.equals(Auditor.CONTROL) && before != null;
          if (control
              && before.tag().equals(tag)
              && said(before.body()).equals(said(body.bytes()))) {
            return new Stored(SimulatedBucket.tag(body.bytes()), before.readAt());
          }
          PutResult result = super.putIfMatch(key, body, tag);
          if (control && result instanceof Stored stored) {
            latest = new StoredObject(body.bytes(), stored.tag(), stored.at(), stored.at());
          }
          return result;
        }

        private JsonNode said(byte[] state) {
          return read(state).remove(List.of("version", "token", "nonce", "time", "recent"));
        }
      };
    }
  },

  /**
   * A worker hands back whatever it has, may be given it again in the same exchange, and tells its
   * claims by the ids of jobs alone.
   */
  CLAIMS_TOLD_BY_ID {
    @Override
    WorkerSession decorate(WorkerSession session, Simulation simulation) {
      return new ForwardingWorkerSession(session) {
        @Override
        public Answer exchange(Exchange all) {
          Answer told =
              super.exchange(
                  new Exchange(
                      all.outcomes().stream().map(this::handedBack).toList(),
                      all.started(),
                      all.progress(),
                      all.released(),
                      Demand.NONE));
          if (told.stale() || all.demand().jobs() == 0) {
            return told;
          }
          Answer given =
              super.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), all.demand()));
          return new Answer(
              told.accepted(),
              given.jobs(),
              given.slots(),
              given.stale(),
              given.nextDue(),
              given.full());
        }

        private JobOutcome handedBack(JobOutcome told) {
          return new JobOutcome(told.id(), told.token(), new JobOutcome.HandedBack(), told.ran());
        }

        @Override
        public Standing reconcile(Map<UUID, Long> known) {
          Map<UUID, Long> claims =
              new HashMap<>(known) {
                @Override
                public Long get(Object id) {
                  return containsKey(id) ? simulation.auditor().claimsOf(workerId()).get(id) : null;
                }
              };
          return super.reconcile(claims);
        }
      };
    }
  },

  /**
   * A worker goes by its own renewal, though its process found the lease over while that was under
   * way.
   */
  LATE_RENEWALS_COUNT {
    @Override
    WorkerSession decorate(WorkerSession session, Simulation simulation) {
      return new ForwardingWorkerSession(session) {
        @Override
        public Set<UUID> renew(Duration atLeast) {
          try {
            return super.renew(atLeast);
          } catch (LeaseLostException e) {
            if (e.getMessage().contains("given up by another process")) {
              throw e;
            }
            return Set.of();
          }
        }
      };
    }
  },

  /** A worker believes that a job is in every group that its task declares, filed there or not. */
  FILING_UNCHECKED {
    @Override
    WorkerSession decorate(WorkerSession session, Simulation simulation) {
      return new ForwardingWorkerSession(session) {
        @Override
        public Answer exchange(Exchange all) {
          Answer answer = super.exchange(all);
          return new Answer(
              answer.accepted(),
              answer.cancelled(),
              answer.deferred(),
              answer.jobs().stream().map(this::believed).toList(),
              answer.slots(),
              answer.stale(),
              answer.nextDue(),
              answer.full());
        }

        private ClaimedJob believed(ClaimedJob job) {
          List<String> others =
              simulation.jobs().declaredFor(job.id()).stream().map(Group::toString).toList();
          return new ClaimedJob(
              job.id(),
              job.token(),
              job.task(),
              job.run(),
              new ClaimedJob.Bond(job.gates(), others, true),
              job.payload());
        }
      };
    }
  },

  /** A process cannot go on when a segment that a state refers to was deleted meanwhile. */
  GONE_SEGMENTS_FATAL {
    @Override
    ObjectStore decorate(ObjectStore store) {
      return new ForwardingObjectStore(store) {
        @Override
        public Optional<StoredObject> get(String key) {
          Optional<StoredObject> object = super.get(key);
          if (object.isEmpty() && key.startsWith(Auditor.SHARD + SegmentKeys.INBOX)) {
            throw new IllegalStateException(key + " is gone");
          }
          return object;
        }
      };
    }
  };

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What a process of this kind has for a line to the bucket. */
  ObjectStore decorate(ObjectStore store) {
    return store;
  }

  /** What a worker of such a process has for a session. */
  WorkerSession decorate(WorkerSession session, Simulation simulation) {
    return session;
  }

  /** What a process of this kind has for a clock. */
  LongSupplier clock(LongSupplier nanoTime) {
    return nanoTime;
  }

  /** Whether the process of this number is of this kind. */
  Flaw of(int process) {
    return this;
  }

  private static boolean isLease(String key) {
    return key.startsWith("workers/");
  }

  private static ObjectNode read(byte[] body) {
    try {
      return (ObjectNode) MAPPER.readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StoredObject written(StoredObject object, ObjectNode json) {
    return new StoredObject(
        json.toString().getBytes(StandardCharsets.UTF_8),
        object.tag(),
        object.modifiedAt(),
        object.readAt());
  }
}
