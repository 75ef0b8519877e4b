package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.SluiceServerBuilder;

/** The dashboard beside the demo, on the usual port if that is free and on any other if not. */
final class DemoDashboard implements AutoCloseable {
  private final SluiceServer server;

  private DemoDashboard(SluiceServer server) {
    this.server = server;
  }

  static DemoDashboard open(SluiceCommand root, Sluice sluice) {
    try {
      return new DemoDashboard(builder(root, sluice).start());
    } catch (InvalidRequestException e) {
      throw e;
    } catch (SluiceException e) {
      return new DemoDashboard(builder(root, sluice).port(0).start());
    }
  }

  private static SluiceServerBuilder builder(SluiceCommand root, Sluice sluice) {
    return SluiceServer.builder(sluice).storeUrl(root.storeUrl());
  }

  String url() {
    return server.url() + "/";
  }

  @Override
  public void close() {
    server.close();
  }
}
