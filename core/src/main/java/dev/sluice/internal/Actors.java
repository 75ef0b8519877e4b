package dev.sluice.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Who does something, for logs and lists that operators read. */
public final class Actors {
  private Actors() {}

  /** The user and the host of this process: {@code alice@build-7}. */
  public static String thisProcess() {
    return System.getProperty("user.name", "unknown") + "@" + host();
  }

  /** The name of this host. */
  public static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
