package dev.sluice.bench.peers;

import dev.sluice.InvalidRequestException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** Everybody who can be measured, in the order in which they are. */
public final class Contenders {
  private static final int FAST_JOBS = 50_000;
  private static final int LIMITED_JOBS = 5_000;
  private static final int NODE_WORKERS = 4;

  private final List<Contender> contenders;

  Contenders(List<Contender> contenders) {
    this.contenders = List.copyOf(contenders);
  }

  /**
   * All of them.
   *
   * @param remarks hears what takes long besides the measurements
   */
  public static Contenders all(Consumer<String> remarks) {
    NodePrograms node = new NodePrograms(nodeDirectory(), remarks);
    return new Contenders(
        List.of(
            SluiceContender.unlimited(),
            SluiceContender.limited(),
            new BareSqlContender(),
            new DbSchedulerContender(),
            new JobRunrContender(),
            DbosContender.unlimited(),
            DbosContender.limited(),
            graphileWorker(node),
            pgBoss("pg-boss", false, NODE_WORKERS, node),
            pgBoss("pg-boss", true, NODE_WORKERS, node),
            pgBoss("pg-boss-single", true, 1, node)));
  }

  private static Contender graphileWorker(NodePrograms node) {
    Profile profile =
        Profile.unlimited("graphile-worker", Profile.Role.PEER, FAST_JOBS)
            .with("concurrent jobs of each", Profile.PARALLELISM / NODE_WORKERS)
            .with("local queue", NodeContender.BATCH)
            .with("completions", "in batches, without delay");
    return new NodeContender(profile, "graphile-worker", NODE_WORKERS, node);
  }

  /** Also with a single worker, which keeps a limit without having to agree on it with anybody. */
  private static Contender pgBoss(String name, boolean limited, int workers, NodePrograms node) {
    Profile profile =
        limited
            ? Profile.limited(name, Profile.Role.PEER, LIMITED_JOBS)
                .with("group concurrency", Profile.LIMIT)
                .with("batch", Profile.LIMIT)
            : Profile.unlimited(name, Profile.Role.PEER, FAST_JOBS)
                .with("batch", NodeContender.BATCH);
    return new NodeContender(profile, "pg-boss", workers, node);
  }

  /**
   * Beside the jar, in the build's directory; elsewhere, in a place for what can be thrown away.
   */
  private static Path nodeDirectory() {
    try {
      Path code =
          Path.of(Contenders.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return code.getParent().endsWith("target")
          ? code.resolveSibling("peers")
          : Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench-peers");
    } catch (URISyntaxException e) {
      throw new IllegalStateException("The code lies at a place that is no path.", e);
    }
  }

  /**
   * Only those with these names.
   *
   * @throws InvalidRequestException if there is none of that name
   */
  public Contenders only(Collection<String> names) {
    List<Contender> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          contenders.stream()
              .filter(contender -> contender.profile().name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new InvalidRequestException(
                          "There is no contender '%s'; there are %s."
                              .formatted(name, String.join(", ", names())))));
    }
    return new Contenders(chosen);
  }

  /** What they are called. */
  public List<String> names() {
    return contenders.stream().map(contender -> contender.profile().name()).toList();
  }

  /**
   * Gets what they need besides a database.
   *
   * @throws dev.sluice.SluiceException if that is not to be had; the message says what to do
   */
  public void prepare() {
    contenders.forEach(Contender::prepare);
  }

  List<Contender> list() {
    return contenders;
  }
}
