package dev.sluice.bench.peers;

import static dev.sluice.bench.peers.Profile.PARALLELISM;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.bench.server.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A peer that runs on Node, in a process of its own: a program that submits, works, measures itself
 * as {@link JobLog} does, and prints what it found as one line of JSON.
 */
final class NodeContender implements Contender {
  /** How many jobs a worker fetches at once where nothing limits it. */
  static final int BATCH = 500;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Profile profile;
  private final String program;
  private final int workers;
  private final NodePrograms programs;

  /**
   * @param library the package it is about, and the program that runs it
   * @param workers how many workers there are, in one process
   */
  NodeContender(Profile profile, String library, int workers, NodePrograms programs) {
    this.profile = profile.with("version", programs.versionOf(library)).with("workers", workers);
    this.program = library + ".js";
    this.workers = workers;
    this.programs = programs;
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public void prepare() {
    programs.install();
  }

  @Override
  public Timing run(Endpoint database, Workload workload) throws Exception {
    JsonNode found =
        JSON.readTree(programs.run(profile.name(), program, environment(database, workload)));
    return new Timing(
        workload.jobs(),
        OptionalDouble.of(found.required("submitSeconds").asDouble()),
        found.required("runSeconds").asDouble(),
        found.required("peak").asInt());
  }

  /** Not arguments: those everybody on the machine can read, and there is a password among them. */
  private Map<String, String> environment(Endpoint database, Workload workload) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("PGHOST", database.host());
    environment.put("PGPORT", Integer.toString(database.port()));
    environment.put("PGDATABASE", database.database());
    environment.put("PGUSER", database.user());
    environment.put("PGPASSWORD", database.password());
    environment.put("BENCH_JOBS", Integer.toString(workload.jobs()));
    environment.put("BENCH_WORK_MS", Long.toString(workload.work().toMillis()));
    environment.put("BENCH_PARALLELISM", Integer.toString(PARALLELISM));
    environment.put("BENCH_WORKERS", Integer.toString(workers));
    environment.put("BENCH_BATCH", Integer.toString(BATCH));
    environment.put("BENCH_LIMIT", Integer.toString(profile.limit().orElse(0)));
    return environment;
  }
}
