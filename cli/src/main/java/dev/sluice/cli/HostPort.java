package dev.sluice.cli;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where to listen: {@code 9090}, {@code 0.0.0.0:9090}, {@code [::1]:9090}.
 *
 * @param address the address; empty = not said
 * @param port the port; 0 = a free one
 */
record HostPort(Optional<String> address, int port) {
  private static final Pattern FORM = Pattern.compile("(?:(\\[[^]]+]|[^:]+):)?(\\d{1,5})");
  private static final int LAST_PORT = 65_535;

  static HostPort parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches() || Integer.parseInt(form.group(2)) > LAST_PORT) {
      throw new IllegalArgumentException(
          "'%s' is not an address to listen on. Write PORT or ADDRESS:PORT, such as 9090 or 127.0.0.1:9090; port 0 takes a free one."
              .formatted(text.length() > 60 ? text.substring(0, 60) + "…" : text));
    }
    return new HostPort(
        Optional.ofNullable(form.group(1)).map(a -> a.replaceAll("^\\[|]$", "")),
        Integer.parseInt(form.group(2)));
  }
}
