package dev.sluice.server;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.server.security.AccessToken;
import dev.sluice.server.security.Role;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Puts a {@link MetricsServer} together. Not thread-safe. */
public final class MetricsServerBuilder {
  final MeterRegistry registry;
  final List<AccessToken> tokens = new ArrayList<>();
  final Set<String> hosts = new HashSet<>();
  String address = SluiceServerBuilder.DEFAULT_ADDRESS;
  int port;
  BooleanSupplier ready = () -> true;

  MetricsServerBuilder(MeterRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  /**
   * The address to listen on; default {@value SluiceServerBuilder#DEFAULT_ADDRESS}. Any that is not
   * loopback demands a token.
   */
  public MetricsServerBuilder address(String address) {
    this.address = Addresses.unbracketed(Objects.requireNonNull(address, "address"));
    return this;
  }

  /** The port; default 0 = any that is free. */
  public MetricsServerBuilder port(int port) {
    this.port = Addresses.requirePort(port);
    return this;
  }

  /**
   * A token whose bearer may see the metrics: {@code SECRET} or {@code NAME=SECRET}; may be called
   * several times. With any token configured, nobody sees them without one.
   */
  public MetricsServerBuilder readToken(String token) {
    tokens.add(AccessToken.parse(token, Role.READ));
    return this;
  }

  /**
   * A name, with its port, that it may be called by although it has no tokens; may be called
   * several times. Default: localhost, 127.0.0.1, [::1] and its address, at its port.
   */
  public MetricsServerBuilder allowHost(String host) {
    hosts.add(Objects.requireNonNull(host, "host"));
    return this;
  }

  /**
   * What {@code /readyz} asks, on the thread of the request; default: always ready. It should
   * answer from memory.
   */
  public MetricsServerBuilder ready(BooleanSupplier ready) {
    this.ready = Objects.requireNonNull(ready, "ready");
    return this;
  }

  /**
   * Starts it.
   *
   * @throws InvalidRequestException if the address is not loopback and no token is configured
   * @throws SluiceException if the port is in use
   */
  public MetricsServer start() {
    return new MetricsServer(this).start();
  }
}
