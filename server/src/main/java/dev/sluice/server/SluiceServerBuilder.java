package dev.sluice.server;

import dev.sluice.AlertThresholds;
import dev.sluice.Diagnosis;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.schedule.Schedules;
import dev.sluice.server.security.AccessToken;
import dev.sluice.server.security.Role;
import dev.sluice.server.view.OverviewView;
import dev.sluice.workflow.Workflows;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Puts a {@link SluiceServer} together. Not thread-safe. */
public final class SluiceServerBuilder {
  /** Where the server listens unless told otherwise: where only this machine reaches it. */
  public static final String DEFAULT_ADDRESS = "127.0.0.1";

  /** The port unless told otherwise. */
  public static final int DEFAULT_PORT = 8484;

  /** How many changes a second one client may make in the long run; twice as many at once. */
  public static final int DEFAULT_WRITES_PER_SECOND = 500;

  final Sluice sluice;
  final List<AccessToken> tokens = new ArrayList<>();
  final Set<String> hosts = new HashSet<>();
  String address = DEFAULT_ADDRESS;
  int port = DEFAULT_PORT;
  int writesPerSecond = DEFAULT_WRITES_PER_SECOND;
  boolean secureCookies;
  String version =
      Objects.requireNonNullElse(
          SluiceServerBuilder.class.getPackage().getImplementationVersion(), "dev");
  OverviewView.Store store = new OverviewView.Store("unknown", "", "");
  AlertThresholds thresholds = AlertThresholds.DEFAULT;
  MeterRegistry registry;
  Optional<Workflows> workflows = Optional.empty();
  Optional<Schedules> schedules = Optional.empty();
  Optional<Supplier<Diagnosis>> diagnose = Optional.empty();

  SluiceServerBuilder(Sluice sluice) {
    this.sluice = Objects.requireNonNull(sluice, "sluice");
  }

  /**
   * The address to listen on; default {@value #DEFAULT_ADDRESS}. Any that is not loopback demands a
   * token.
   */
  public SluiceServerBuilder address(String address) {
    this.address = Addresses.unbracketed(Objects.requireNonNull(address, "address"));
    return this;
  }

  /** The port, 0 = any that is free; default {@value #DEFAULT_PORT}. */
  public SluiceServerBuilder port(int port) {
    this.port = Addresses.requirePort(port);
    return this;
  }

  /**
   * A token whose bearer may look at everything: {@code SECRET} or {@code NAME=SECRET}; may be
   * called several times. With any token configured, nobody gets anything without one.
   */
  public SluiceServerBuilder readToken(String token) {
    tokens.add(AccessToken.parse(token, Role.READ));
    return this;
  }

  /**
   * A token whose bearer may also make changes: {@code SECRET} or {@code NAME=SECRET}; may be
   * called several times. The name stands in the log of changes.
   */
  public SluiceServerBuilder operateToken(String token) {
    tokens.add(AccessToken.parse(token, Role.OPERATE));
    return this;
  }

  /**
   * A name, with its port, that browsers may call the server by although it has no tokens, such as
   * {@code localhost:9000} behind a tunnel; may be called several times. Default: localhost,
   * 127.0.0.1, [::1] and its address, at the server's port.
   */
  public SluiceServerBuilder allowHost(String host) {
    hosts.add(Objects.requireNonNull(host, "host"));
    return this;
  }

  /**
   * Marks cookies as for TLS only, for a server behind something that speaks TLS; default false.
   */
  public SluiceServerBuilder secureCookies(boolean secure) {
    secureCookies = secure;
    return this;
  }

  /**
   * How many changes a second one client may make in the long run; twice as many at once. Default
   * {@value #DEFAULT_WRITES_PER_SECOND}.
   */
  public SluiceServerBuilder writesPerSecond(int writes) {
    if (writes < 1) {
      throw new InvalidRequestException("writesPerSecond is %d; use 1 or more.".formatted(writes));
    }
    writesPerSecond = writes;
    return this;
  }

  /** From when on alerts are raised; default {@link AlertThresholds#DEFAULT}. */
  public SluiceServerBuilder alertThresholds(AlertThresholds thresholds) {
    this.thresholds = Objects.requireNonNull(thresholds, "thresholds");
    return this;
  }

  /** What is measured; {@code /metrics} shows it if it is a Prometheus registry. Default: none. */
  public SluiceServerBuilder registry(MeterRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
    return this;
  }

  /** The workflows that runs are started with; default: some of its own. */
  public SluiceServerBuilder workflows(Workflows workflows) {
    this.workflows = Optional.of(workflows);
    return this;
  }

  /** The schedules; default: some of its own. */
  public SluiceServerBuilder schedules(Schedules schedules) {
    this.schedules = Optional.of(schedules);
    return this;
  }

  /** The URL of the store, for the overview; passwords in it are not shown. */
  public SluiceServerBuilder storeUrl(String url) {
    store = StoreLabel.of(url);
    return this;
  }

  /** How the store is examined when somebody asks; default: it is not. */
  public SluiceServerBuilder diagnosis(Supplier<Diagnosis> diagnose) {
    this.diagnose = Optional.of(diagnose);
    return this;
  }

  /** The version to show; default: that of this module. */
  public SluiceServerBuilder version(String version) {
    this.version = Objects.requireNonNull(version, "version");
    return this;
  }

  /**
   * Starts it.
   *
   * @throws InvalidRequestException if the address is not loopback and no token is configured
   * @throws SluiceException if the port is in use
   */
  public SluiceServer start() {
    return new SluiceServer(this).start();
  }
}
