package dev.sluice;

import java.util.regex.Pattern;

/**
 * Stores' URLs as they may be printed. Everything that prints, logs or serves one goes through
 * here, so that there is one place to get it right.
 */
public final class StoreUrls {
  /** What stands for a secret. */
  public static final String MASK = "***";

  private static final Pattern PATHS = Pattern.compile("(?i)(?:file|embedded):(?!//[^/]).*");
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)([?&][^=&]*(?:pass|pwd|secret|token|key|credential)[^=&]*=)[^&]*");

  private StoreUrls() {}

  /**
   * The URL without its password, and without parameters that sound like secrets. Where a password
   * with an unescaped special character cannot be told from a host or a path, nothing but the
   * scheme is left.
   */
  public static String masked(String url) {
    return PARAMETER.matcher(withoutPassword(url)).replaceAll("$1" + MASK);
  }

  private static String withoutPassword(String url) {
    if (url.indexOf('@') < 0 || PATHS.matcher(url).matches()) {
      return url;
    }
    int slashes = url.indexOf("//");
    if (slashes < 0) {
      return url.substring(0, url.indexOf(':') + 1) + MASK;
    }
    String scheme = url.substring(0, slashes + 2);
    String rest = url.substring(slashes + 2);
    int end = endOfAuthority(rest);
    int at = rest.lastIndexOf('@');
    int colon = rest.indexOf(':');
    if (scheme.indexOf('@') >= 0) {
      return MASK;
    }
    if (colon < 0 || colon > at) {
      return url;
    }
    // An at sign behind the authority: the password may reach up to it, or may not.
    return at > end
        ? scheme + MASK
        : scheme + rest.substring(0, colon + 1) + MASK + rest.substring(at);
  }

  private static int endOfAuthority(String rest) {
    int end = 0;
    while (end < rest.length() && "/?#".indexOf(rest.charAt(end)) < 0) {
      end++;
    }
    return end;
  }
}
