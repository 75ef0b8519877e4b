package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * The choice of a port on the loopback address.
 *
 * <p>A new port comes from below the range that Linux gives to outgoing connections, so that it is
 * still free when the server starts again tomorrow.
 */
final class Ports {

  static final int FIRST = 15_000;
  static final int LAST = 31_999;
  private static final int TRIES = 100;

  private final RandomGenerator random;

  Ports(RandomGenerator random) {
    this.random = random;
  }

  int choose() {
    for (int i = 0; i < TRIES; i++) {
      int port = random.nextInt(FIRST, LAST + 1);
      if (isFree(port)) {
        return port;
      }
    }
    try (ServerSocket any = new ServerSocket(0, 1, loopback())) {
      return any.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("No free port on 127.0.0.1", e);
    }
  }

  static boolean isFree(int port) {
    try (ServerSocket ignored = new ServerSocket(port, 1, loopback())) {
      return true;
    } catch (IOException | IllegalArgumentException taken) {
      return false;
    }
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }
}
