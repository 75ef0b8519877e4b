package dev.sluice.server;

import dev.sluice.InvalidRequestException;
import dev.sluice.server.security.AccessTokens;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** The addresses a server can listen on. */
final class Addresses {
  private Addresses() {}

  /** Whether only this machine reaches it. A name counts only if all it stands for does. */
  static boolean isLoopback(String address) {
    try {
      for (InetAddress each : InetAddress.getAllByName(unbracketed(address))) {
        if (!each.isLoopbackAddress()) {
          return false;
        }
      }
      return true;
    } catch (UnknownHostException e) {
      throw new InvalidRequestException(
          "The address '%s' is not known; use one of this machine, such as 127.0.0.1 or 0.0.0.0."
              .formatted(address),
          e);
    }
  }

  /** Refuses to listen where others can reach it without any token. */
  static void requireTokens(String address, AccessTokens tokens) {
    if (tokens.isEmpty() && !isLoopback(address)) {
      throw new InvalidRequestException(
          "The server would listen on %s, where others can reach it, without any token. Configure a token, or listen on %s."
              .formatted(address, SluiceServerBuilder.DEFAULT_ADDRESS));
    }
  }

  static int requirePort(int port) {
    if (port < 0 || port > 65_535) {
      throw new InvalidRequestException(
          "The port is %d; use 1 to 65535, or 0 for any that is free.".formatted(port));
    }
    return port;
  }

  static String unbracketed(String address) {
    return address.startsWith("[") && address.endsWith("]")
        ? address.substring(1, address.length() - 1)
        : address;
  }

  /** As it stands in a URL; every address of this machine is called localhost. */
  static String inUrl(String address) {
    if (address.equals("0.0.0.0") || address.equals("::")) {
      return "localhost";
    }
    return address.indexOf(':') >= 0 ? "[" + address + "]" : address;
  }
}
