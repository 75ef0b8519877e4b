package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PortsTest {

  @Test
  void choose_staysBelowTheRangeOfOutgoingConnections() {
    assertThat(new Ports(new Random(7)).choose()).isBetween(Ports.FIRST, Ports.LAST);
  }

  @Test
  void isFree_portWithAListener_isNot() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertThat(Ports.isFree(socket.getLocalPort())).isFalse();
    }
  }
}
