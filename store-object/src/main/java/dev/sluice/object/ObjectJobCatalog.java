package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.JobArchive.Box;
import dev.sluice.object.JobArchive.Found;
import dev.sluice.object.state.ArchivedJob;
import dev.sluice.object.state.Ending;
import dev.sluice.object.state.JobCounts;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.JobFinder;
import dev.sluice.object.state.JobListing;
import dev.sluice.object.state.JobListing.Listed;
import dev.sluice.object.state.JobRecord;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.PlaceInLine;
import dev.sluice.object.state.PlaceInLine.Rank;
import dev.sluice.object.state.Revival;
import dev.sluice.object.state.Segment;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.ShardState;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStanding;
import dev.sluice.spi.StepRetry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * The jobs on record: unfinished ones in segments, finished ones in the control object for a moment
 * and in the archive after that.
 *
 * <p>Nothing here is indexed. To find a job that nobody works on means to look through the segments
 * or the archive; both are cached. Lists read everything they might show.
 */
final class ObjectJobCatalog implements JobCatalog {
  /** A process that is slow to archive what it has decided on has done so by then, or is dead. */
  private static final Duration LATE_WRITE = Duration.ofHours(1);

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final Committer committer;
  private final ShardReader reader;
  private final Committer.Parts parts;
  private final ArchiveWriter archiveWriter;
  private final RunsOnRecord runs;

  ObjectJobCatalog(
      ObjectStore store,
      StoreEnvironment environment,
      Committer committer,
      Committer.Parts parts,
      ArchiveWriter archiveWriter,
      RunsOnRecord runs) {
    this.store = store;
    this.environment = environment;
    this.committer = committer;
    this.parts = parts;
    this.reader = new ShardReader(committer, parts);
    this.archiveWriter = archiveWriter;
    this.runs = runs;
  }

  @Override
  public Optional<JobInfo> get(UUID id) {
    return reader.find(
        draft ->
            JobListing.find(draft, id)
                .map(JobInfos::of)
                .or(() -> ended(draft, id).map(JobInfos::of))
                .or(() -> archived(draft, id).map(found -> JobInfos.of(found.job()))));
  }

  private static Optional<ArchivedJob> ended(ShardDraft draft, UUID id) {
    return JobFinder.finished(draft, id).isEmpty()
        ? Optional.empty()
        : JobListing.ended(draft).stream().filter(j -> j.record().id().equals(id)).findFirst();
  }

  private Optional<Found> archived(ShardDraft draft, UUID id) {
    return parts
        .archive()
        .find(id, draft.archiveNext())
        .filter(found -> !JobListing.isRevived(draft, id, found.box().number()));
  }

  @Override
  public Map<UUID, JobStanding> standings(Collection<UUID> ids, Instant since) {
    return look(
        ids,
        since,
        found -> found.unfinished().map(job -> JobStanding.UNFINISHED).orElseGet(found::standing));
  }

  @Override
  public List<JobInfo> getAll(Collection<UUID> ids, Instant since) {
    Map<UUID, JobInfo> found =
        look(
            ids,
            since,
            job -> job.unfinished().map(JobInfos::of).orElseGet(() -> JobInfos.of(job.ended())));
    return List.copyOf(found.values());
  }

  /** A job that was found: exactly one of the two. */
  private record Seen(Optional<Listed> unfinished, ArchivedJob ended) {
    JobStanding standing() {
      return new JobStanding(
          Optional.of(ended.state()),
          Optional.of(Micros.toInstant(ended.finishedAt())),
          ended.state() == JobState.FAILED && !ended.record().past().failures().isEmpty()
              ? Optional.of(
                  ended
                      .record()
                      .past()
                      .failures()
                      .get(ended.record().past().failures().size() - 1)
                      .message())
              : Optional.empty());
    }
  }

  /**
   * Finds jobs of known ids, without the inbox: a job whose id was chosen exists once a commit has
   * admitted it, and not before.
   */
  private <T> Map<UUID, T> look(Collection<UUID> ids, Instant since, Function<Seen, T> show) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    return reader.readAdmitted(
        draft -> {
          Map<UUID, T> found = new HashMap<>();
          Set<UUID> left = new HashSet<>(ids);
          for (UUID id : ids) {
            JobListing.find(draft, id)
                .ifPresent(job -> found.put(id, show.apply(new Seen(Optional.of(job), null))));
          }
          left.removeAll(found.keySet());
          for (ArchivedJob job : JobListing.ended(draft, left)) {
            found.put(job.record().id(), show.apply(new Seen(Optional.empty(), job)));
          }
          left.removeAll(found.keySet());
          parts
              .archive()
              .findAll(left, draft.archiveNext(), Micros.of(since))
              .forEach(
                  (id, job) -> found.put(id, show.apply(new Seen(Optional.empty(), job.job()))));
          return found;
        });
  }

  @Override
  public Page<JobInfo> list(JobQuery query) {
    Optional<UUID> cursor =
        query.cursor().isEmpty() ? Optional.empty() : Optional.of(cursorOf(query.cursor()));
    List<JobInfo> found = new ArrayList<>(reader.read(draft -> matching(draft, query)));
    found.sort(Comparator.comparing((JobInfo job) -> job.id().toString()).reversed());
    cursor.ifPresent(
        last -> found.removeIf(job -> job.id().toString().compareTo(last.toString()) >= 0));
    if (found.size() <= query.limit()) {
      return new Page<>(List.copyOf(found), Optional.empty());
    }
    List<JobInfo> items = List.copyOf(found.subList(0, query.limit()));
    return new Page<>(items, Optional.of(items.get(items.size() - 1).id().toString()));
  }

  private static UUID cursorOf(String cursor) {
    try {
      return UUID.fromString(cursor);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "'" + cursor + "' is not a cursor; use what the page before said.", e);
    }
  }

  private List<JobInfo> matching(ShardDraft draft, JobQuery query) {
    List<JobInfo> found = new ArrayList<>();
    JobListing.all(draft).stream()
        .filter(job -> matches(job.record(), job.state(), query))
        .forEach(job -> found.add(JobInfos.of(job)));
    boolean finished =
        query.states().isEmpty() || query.states().stream().anyMatch(JobState::finished);
    if (finished) {
      JobListing.ended(draft).stream()
          .filter(job -> matches(job.record(), job.state(), query))
          .forEach(job -> found.add(JobInfos.of(job)));
      for (Box box : parts.archive().boxes(draft.archiveNext()).values()) {
        parts.archive().read(box).stream()
            .filter(job -> !JobListing.isRevived(draft, job.record().id(), box.number()))
            .filter(job -> matches(job.record(), job.state(), query))
            .forEach(job -> found.add(JobInfos.of(job)));
      }
    }
    return found;
  }

  private static boolean matches(JobRecord job, JobState state, JobQuery query) {
    return (query.states().isEmpty() || query.states().contains(state))
        && query.task().map(job.spec().task()::equals).orElse(true)
        && query.queue().map(job.spec().place().queue()::equals).orElse(true)
        && query.group().map(Group::toString).map(job.allGroups()::contains).orElse(true)
        && query.text().map(job.spec().payload()::contains).orElse(true);
  }

  @Override
  public Map<JobState, Long> counts() {
    return reader.read(
        draft -> {
          Map<JobState, Long> counts = new EnumMap<>(JobState.class);
          for (JobState state : JobState.values()) {
            counts.put(state, 0L);
          }
          JobCounts.byState(draft).forEach((state, jobs) -> counts.merge(state, jobs, Long::sum));
          Map<Long, Box> boxes = parts.archive().boxes(draft.archiveNext());
          for (Box box : boxes.values()) {
            box.counts().forEach((state, jobs) -> counts.merge(state, jobs, Long::sum));
          }
          JobListing.revived(draft)
              .forEach(
                  (id, revived) -> {
                    if (archivedIn(boxes.get(revived.archived()), id)) {
                      counts.merge(revived.state(), -1L, Long::sum);
                    }
                  });
          return counts;
        });
  }

  private boolean archivedIn(Box box, UUID id) {
    return box != null
        && parts.archive().read(box).stream().anyMatch(job -> job.record().id().equals(id));
  }

  @Override
  public boolean cancel(UUID id) {
    boolean unfinished =
        committer.commit(draft -> Ending.cancel(draft, id), cancelled -> !cancelled);
    parts.waker().wake();
    return unfinished;
  }

  @Override
  public int cancelAll(Collection<UUID> ids) {
    if (ids.isEmpty()) {
      return 0;
    }
    int unfinished =
        committer.commit(
            draft -> (int) ids.stream().filter(id -> Ending.cancel(draft, id)).count(),
            cancelled -> cancelled < ids.size());
    parts.waker().wake();
    return unfinished;
  }

  @Override
  public boolean retry(UUID id) {
    archiveWriter.writeAll();
    finishRetries();
    Optional<Found> found =
        reader
            .readAdmitted(draft -> archived(draft, id))
            .filter(job -> job.job().state() != JobState.SUCCEEDED);
    if (found.isEmpty()) {
      return false;
    }
    ArchivedJob job = found.get().job();
    JobRecord.Owner owner = job.record().spec().entry().owner();
    if (owner != null) {
      throw StepRetry.refused(id, owner.run());
    }
    long number = found.get().box().number();
    String nonce = environment.nonce();
    Segment segment =
        new Segment(
            SegmentKeys.returned(parts.control().load().state().edition().version(), nonce),
            List.of(Revival.again(job, parts.clock().now())));
    ObjectBody body = ObjectBody.withToken(JobDocuments.writeSegment(segment.jobs(), nonce), nonce);
    if (!(store.putIfAbsent(segment.key(), body) instanceof PutResult.Stored)) {
      throw new StoreUnavailableException(
          "The object '%s' could not be written. Try again.".formatted(segment.key()));
    }
    parts.segments().put(segment);
    boolean revived = committer.commit(draft -> Revival.revive(draft, segment, job, number));
    if (!revived) {
      store.delete(segment.key());
      return false;
    }
    removeFromArchive(found.get().box(), List.of(id));
    committer.commitSometime(
        draft -> {
          draft.forgetRevived(id, number);
          return true;
        });
    parts.waker().wake();
    return true;
  }

  /**
   * Takes jobs out of the archive that live again, where the process that revived them died before
   * it came to that.
   */
  private void finishRetries() {
    Map<UUID, ShardState.Revived> left = reader.readAdmitted(JobListing::revived);
    if (left.isEmpty()) {
      return;
    }
    left.forEach(
        (id, revived) -> {
          Box box = parts.archive().boxes(revived.archived() + 1).get(revived.archived());
          if (archivedIn(box, id)) {
            removeFromArchive(box, List.of(id));
          }
        });
    committer.commit(
        draft -> {
          left.forEach((id, revived) -> draft.forgetRevived(id, revived.archived()));
          return true;
        });
  }

  private void removeFromArchive(Box box, List<UUID> ids) {
    List<ArchivedJob> left = new ArrayList<>(parts.archive().read(box));
    left.removeIf(job -> ids.contains(job.record().id()));
    parts.archive().replace(box, left);
  }

  /** What retention asks about runs. */
  @FunctionalInterface
  interface RunsOnRecord {
    /** Whether a run is live, or was until this moment or later, so that its jobs have to stay. */
    boolean keep(UUID run, long endedSince);
  }

  @Override
  public int purge(Duration age, int batch) {
    archiveWriter.writeAll();
    finishRetries();
    long before = parts.clock().now() - Micros.of(age);
    long next = reader.readAdmitted(ShardDraft::archiveNext);
    int removed = 0;
    // Read after the number of the archive: a run is on record before its first job is.
    Map<UUID, Boolean> kept = new HashMap<>();
    long late = parts.clock().now() - Micros.of(LATE_WRITE);
    for (Box box : parts.archive().sweep(next, late).values()) {
      List<UUID> old = new ArrayList<>();
      List<ArchivedJob> jobs = parts.archive().read(box);
      if (jobs.isEmpty()) {
        // Another process is purging too.
        continue;
      }
      int young = 0;
      for (ArchivedJob job : jobs) {
        JobRecord.Owner owner = job.record().spec().entry().owner();
        if (job.finishedAt() >= before) {
          young++;
        } else if (removed + old.size() < batch
            && (owner == null
                || !kept.computeIfAbsent(owner.run(), run -> runs.keep(run, before)))) {
          old.add(job.record().id());
        }
      }
      if (!old.isEmpty()) {
        removeFromArchive(box, old);
        removed += old.size();
      }
      if (young > 0 || removed == batch) {
        // They were archived in the order they ended: what follows is younger.
        break;
      }
    }
    return removed;
  }

  @Override
  public int ahead(UUID id, Optional<Group> group, Set<String> tasks, int most) {
    return reader.read(
        draft ->
            PlaceInLine.rank(draft, id)
                .map(rank -> ahead(draft, rank, group, tasks, most))
                .orElse(0));
  }

  /** By what the place of this job in line is found, if it has no worker. */
  Optional<Rank> rank(UUID id) {
    return reader.find(draft -> PlaceInLine.rank(draft, id));
  }

  /** How many jobs would be claimed before one of this rank. */
  int ahead(Rank rank, Optional<Group> group, Set<String> tasks, int most) {
    return reader.read(draft -> ahead(draft, rank, group, tasks, most));
  }

  private static int ahead(
      ShardDraft draft, Rank rank, Optional<Group> group, Set<String> tasks, int most) {
    return group.isPresent()
        ? PlaceInLine.aheadInGroup(draft, rank, group.get().toString(), most)
        : PlaceInLine.aheadInQueue(draft, rank, tasks, most);
  }
}
