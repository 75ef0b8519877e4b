package dev.sluice.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Speaks HTTP by hand, and as badly as a test likes. */
final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;

  RawClient(int port) throws IOException {
    this(port, 0);
  }

  /** With a small window for what comes back, if that is not 0. */
  RawClient(int port, int receiveBuffer) throws IOException {
    socket = new Socket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(new java.net.InetSocketAddress("127.0.0.1", port), 5_000);
    socket.setSoTimeout(30_000);
    out = socket.getOutputStream();
    in = socket.getInputStream();
  }

  RawClient send(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
    return this;
  }

  /** Everything up to the end of the connection. */
  String readAll() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** What comes until the text does. */
  String readUntil(String text) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(text) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("The connection ended after: " + read);
      }
      read.append((char) next);
    }
    return read.toString();
  }

  /** Whether the other side has hung up; waits that long for it. */
  boolean isHungUp(Duration within) throws IOException {
    socket.setSoTimeout((int) within.toMillis());
    try {
      return in.read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Whether the other side has answered or hung up; waits that long for it. */
  boolean isGivenUp(Duration within) throws IOException {
    socket.setSoTimeout((int) within.toMillis());
    try {
      in.read();
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Whether the connection ends after what is still to come; waits that long for each byte. */
  boolean isOver(Duration within) throws IOException {
    socket.setSoTimeout((int) within.toMillis());
    try {
      in.readAllBytes();
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Whether something has come. */
  boolean isReadable() throws IOException {
    return in.available() > 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
