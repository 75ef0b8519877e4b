package dev.sluice;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.internal.Actors;
import dev.sluice.internal.Json;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.Tracing;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** How a {@link Sluice} is opened. Immutable: each method returns a changed copy. */
public final class SluiceOptions {
  /** The largest payload, as UTF-8 JSON. */
  public static final int DEFAULT_MAX_PAYLOAD_BYTES = 1 << 20;

  private String url;
  private DataSource dataSource;
  private String schema = "sluice";
  private int connections = 8;
  private boolean create = true;
  private Duration lease = WorkerBuilder.DEFAULT_LEASE;
  private int maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES;
  private ObjectMapper mapper = Json.newMapper();
  private String actor = Actors.thisProcess();
  private List<SluiceListener> listeners = List.of();
  private Tracing tracing = Tracing.NONE;

  private SluiceOptions() {}

  /** A store named by URL: {@code postgresql://…}, {@code embedded:}. */
  public static SluiceOptions url(String url) {
    SluiceOptions options = new SluiceOptions();
    options.url = Objects.requireNonNull(url, "url");
    return options;
  }

  /**
   * A store on the application's own PostgreSQL data source, which stays the application's to
   * close. From a pool, connections are borrowed for one call each, at most half of them at once,
   * and one more is kept while a worker runs; a pool has 5 connections or more.
   */
  public static SluiceOptions dataSource(DataSource dataSource) {
    SluiceOptions options = new SluiceOptions();
    options.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    return options;
  }

  private SluiceOptions copy() {
    SluiceOptions copy = new SluiceOptions();
    copy.url = url;
    copy.dataSource = dataSource;
    copy.schema = schema;
    copy.connections = connections;
    copy.create = create;
    copy.lease = lease;
    copy.maxPayloadBytes = maxPayloadBytes;
    copy.mapper = mapper;
    copy.actor = actor;
    copy.listeners = listeners;
    copy.tracing = tracing;
    return copy;
  }

  /** The schema (or prefix) everything is kept under; default {@code sluice}. */
  public SluiceOptions schema(String schema) {
    if (!schema.matches("[a-z_][a-z0-9_]{0,47}")) {
      throw new InvalidRequestException(
          "The schema '%s' is not allowed; use up to 48 lower-case letters, digits and underscores, not starting with a digit."
              .formatted(schema.length() > 60 ? schema.substring(0, 60) + "…" : schema));
    }
    if (schema.startsWith("pg_") || schema.equals("information_schema")) {
      throw new InvalidRequestException(
          "The schema '%s' is not allowed: PostgreSQL keeps its own things in information_schema and in schemas that begin with pg_."
              .formatted(schema));
    }
    SluiceOptions copy = copy();
    copy.schema = schema;
    return copy;
  }

  /**
   * How many connections to the store may be in use at once, 2 or more, besides one that is kept
   * while a worker runs; default 8.
   */
  public SluiceOptions connections(int connections) {
    if (connections < 2) {
      throw new InvalidRequestException(
          "connections is " + connections + "; at least 2 are needed.");
    }
    SluiceOptions copy = copy();
    copy.connections = connections;
    return copy;
  }

  /**
   * Opens only what is there: an embedded PostgreSQL that was never started in its directory, or
   * the directory of a {@code file:} store, is not created, and opening it throws a {@link
   * StoreUnavailableException}. Default: it is created.
   */
  public SluiceOptions existing() {
    SluiceOptions copy = copy();
    copy.create = false;
    return copy;
  }

  /**
   * How long permits, and workers that are not told otherwise, may be silent before their slots are
   * given to others; at least 1 s, default 30 s. They renew at a third of it.
   */
  public SluiceOptions lease(Duration lease) {
    SluiceOptions copy = copy();
    copy.lease = WorkerBuilder.requireLease(lease);
    return copy;
  }

  /** The largest payload and result, in bytes of UTF-8 JSON; default 1 MiB. */
  public SluiceOptions maxPayloadBytes(int maxPayloadBytes) {
    if (maxPayloadBytes < 2) {
      throw new InvalidRequestException(
          "maxPayloadBytes is " + maxPayloadBytes + "; at least 2 are needed.");
    }
    SluiceOptions copy = copy();
    copy.maxPayloadBytes = maxPayloadBytes;
    return copy;
  }

  /**
   * How payloads and results are written and read; default: Jackson with java.time, unknown
   * properties ignored.
   */
  public SluiceOptions objectMapper(ObjectMapper mapper) {
    SluiceOptions copy = copy();
    copy.mapper = Objects.requireNonNull(mapper, "mapper").copy();
    return copy;
  }

  /**
   * Under which name changes of limits stand in the log; up to 200 characters. Default: the user
   * and host of this process.
   */
  public SluiceOptions actor(String actor) {
    SluiceOptions copy = copy();
    copy.actor = Names.require("actor", actor);
    return copy;
  }

  /** Hears what is done here, workers included; may be called several times. Default: nobody. */
  public SluiceOptions listener(SluiceListener listener) {
    SluiceOptions copy = copy();
    copy.listeners =
        Stream.concat(listeners.stream(), Stream.of(Objects.requireNonNull(listener, "listener")))
            .toList();
    return copy;
  }

  /** Follows jobs from submit to run. Default: {@link Tracing#NONE}. */
  public SluiceOptions tracing(Tracing tracing) {
    SluiceOptions copy = copy();
    copy.tracing = Objects.requireNonNull(tracing, "tracing");
    return copy;
  }

  String url() {
    return url;
  }

  DataSource dataSource() {
    return dataSource;
  }

  StoreSettings storeSettings() {
    return new StoreSettings(schema, connections, create);
  }

  Duration lease() {
    return lease;
  }

  String actor() {
    return actor;
  }

  List<SluiceListener> listeners() {
    return listeners;
  }

  Tracing tracing() {
    return tracing;
  }

  Json json() {
    return new Json(mapper, maxPayloadBytes);
  }
}
