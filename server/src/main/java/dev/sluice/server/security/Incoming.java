package dev.sluice.server.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** What of a request matters to whether it is let in. */
public interface Incoming {
  /** A header, if it is there. */
  Optional<String> header(String name);

  /** A cookie, if it is there. */
  Optional<String> cookie(String name);

  /** The address of the other end of the connection, whatever headers claim. */
  String address();

  /** Under which rates are counted: the address, or the network of an IPv6 address. */
  default String client() {
    String address = address();
    if (address.indexOf(':') < 0) {
      return address;
    }
    try {
      byte[] bytes = InetAddress.getByName(address).getAddress();
      return bytes.length == 16 ? HexFormat.of().formatHex(Arrays.copyOf(bytes, 8)) : address;
    } catch (UnknownHostException e) {
      return address;
    }
  }
}
