package dev.sluice.object;

import dev.sluice.InvalidRequestException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Where objects are: in memory, in a directory, or in a bucket. */
sealed interface ObjectStoreUrl {
  /** How such URLs look, for messages. */
  String FORMS =
      "s3://bucket/prefix?endpoint=https://host&region=name&path-style=true, file:directory, memory:name";

  /**
   * {@code memory:name}.
   *
   * @param name which store of this JVM; may be empty
   */
  record Memory(String name) implements ObjectStoreUrl {
    @Override
    public String toString() {
      return "memory:" + name;
    }
  }

  /**
   * {@code file:directory} or {@code file:///directory}, the path written as it is.
   *
   * @param path the directory, absolute or below where the process was started
   */
  record Directory(Path path) implements ObjectStoreUrl {
    @Override
    public String toString() {
      return "file:" + path;
    }
  }

  /**
   * {@code s3://bucket/prefix?endpoint=…&region=…&path-style=…}, special characters
   * percent-encoded.
   *
   * @param bucket the bucket's name
   * @param prefix how all keys start, without slashes at its ends; empty = the whole bucket
   * @param endpoint the server, or null for that of AWS
   * @param region the region, or null to look in the environment and the profile
   * @param pathStyle whether the bucket goes into the path rather than the host name; by default
   *     only if there is an endpoint
   */
  record Bucket(String bucket, String prefix, URI endpoint, String region, boolean pathStyle)
      implements ObjectStoreUrl {
    static final String SCHEME = "s3://";
    static final int MAX_PREFIX_BYTES = 1_024 - 1 - ObjectKeys.MAX_BYTES;

    @Override
    public String toString() {
      return SCHEME + bucket + "/" + prefix + (endpoint == null ? "" : " at " + endpoint);
    }
  }

  /** Whether the URL is of one of these kinds, well-formed or not. */
  static boolean isObjectStore(String url) {
    return url.startsWith("memory:") || url.startsWith("file:") || url.startsWith("s3:");
  }

  /**
   * Reads a URL.
   *
   * @throws InvalidRequestException if it is malformed; the message names the part and the remedy
   */
  static ObjectStoreUrl parse(String url) {
    if (url.startsWith("memory:")) {
      return new Memory(url.substring("memory:".length()));
    }
    if (url.startsWith("file:")) {
      return directory(url.substring("file:".length()));
    }
    if (url.startsWith(Bucket.SCHEME)) {
      return bucket(url.substring(Bucket.SCHEME.length()));
    }
    throw new InvalidRequestException("The store's URL is of no known form. Write " + FORMS + ".");
  }

  private static Directory directory(String rest) {
    String path = rest;
    if (rest.startsWith("//")) {
      path = rest.substring(2);
      if (!path.startsWith("/")) {
        throw new InvalidRequestException(
            "The URL 'file:%s' names the host '%s', and a directory must be local. Write file:/%s or file:./%s."
                .formatted(rest, path.split("/")[0], path, path));
      }
    }
    if (path.contains("?")) {
      throw new InvalidRequestException(
          "The URL 'file:%s' has a question mark; the only option of a directory is ?shards=."
              .formatted(rest));
    }
    if (path.isBlank()) {
      throw new InvalidRequestException(
          "The URL 'file:' names no directory. Write file:./data or file:/var/lib/sluice.");
    }
    try {
      return new Directory(Path.of(path));
    } catch (InvalidPathException e) {
      throw new InvalidRequestException(
          "The directory '%s' in the store's URL is no path: %s.".formatted(path, e.getReason()),
          e);
    }
  }

  private static Bucket bucket(String rest) {
    String[] halves = rest.split("\\?", 2);
    String[] place = halves[0].split("/", 2);
    String bucket = place[0];
    if (bucket.contains("@")) {
      throw new InvalidRequestException(
          "Credentials do not belong into the store's URL. Set AWS_ACCESS_KEY_ID and"
              + " AWS_SECRET_ACCESS_KEY, or use a profile, and write s3://bucket/prefix.");
    }
    if (!bucket.matches("[A-Za-z0-9._-]{3,63}")) {
      throw new InvalidRequestException(
          "The bucket '%s' in the store's URL is no bucket's name: 3 to 63 letters, digits, dots and hyphens. Write s3://bucket/prefix."
              .formatted(bucket));
    }
    String prefix = place.length == 1 ? "" : prefix(decode("prefix", place[1]));
    Map<String, String> options = options(halves.length == 1 ? "" : halves[1]);
    URI endpoint = options.containsKey("endpoint") ? endpoint(options.get("endpoint")) : null;
    boolean pathStyle =
        options.containsKey("path-style") ? pathStyle(options.get("path-style")) : endpoint != null;
    return new Bucket(bucket, prefix, endpoint, region(options.get("region")), pathStyle);
  }

  private static String prefix(String text) {
    String prefix = text.replaceAll("^/+|/+$", "");
    if (prefix.isEmpty()) {
      return prefix;
    }
    if (prefix.getBytes(StandardCharsets.UTF_8).length > Bucket.MAX_PREFIX_BYTES) {
      throw new InvalidRequestException(
          "The prefix '%s' in the store's URL is longer than %d bytes. Choose a shorter one."
              .formatted(prefix, Bucket.MAX_PREFIX_BYTES));
    }
    return ObjectKeys.requireValid(prefix);
  }

  private static Map<String, String> options(String query) {
    Map<String, String> options = new TreeMap<>();
    Set<String> known = Set.of("endpoint", "region", "path-style");
    for (String option : query.isEmpty() ? new String[0] : query.split("&")) {
      String[] sides = option.split("=", 2);
      if (!known.contains(sides[0]) || sides.length == 1) {
        throw new InvalidRequestException(
            "The store's URL has the option '%s'; known are endpoint=, region=, path-style= and shards=."
                .formatted(sides[0]));
      }
      if (options.put(sides[0], decode(sides[0], sides[1])) != null) {
        throw new InvalidRequestException(
            "The store's URL has the option '%s' twice. Leave one out.".formatted(sides[0]));
      }
    }
    return options;
  }

  private static URI endpoint(String text) {
    try {
      URI endpoint = new URI(text);
      boolean web = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
      if (web && endpoint.getHost() != null && endpoint.getRawUserInfo() == null) {
        return endpoint;
      }
    } catch (URISyntaxException e) {
      throw new InvalidRequestException(badEndpoint(text), e);
    }
    throw new InvalidRequestException(badEndpoint(text));
  }

  private static String badEndpoint(String text) {
    return "The endpoint '%s' in the store's URL is no server. Write endpoint=https://host:port."
        .formatted(text.replaceAll("//[^@/]*@", "//…@"));
  }

  private static boolean pathStyle(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new InvalidRequestException(
          "The option path-style in the store's URL is '%s'. Write path-style=true or path-style=false."
              .formatted(text));
    }
    return Boolean.parseBoolean(text);
  }

  private static String region(String text) {
    if (text != null && !text.matches("[a-zA-Z0-9-]+")) {
      throw new InvalidRequestException(
          "The region '%s' in the store's URL is no region's name. Write one such as region=eu-central-1."
              .formatted(text));
    }
    return text;
  }

  private static String decode(String part, String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "The %s '%s' in the store's URL has a percent sign that starts no code. Write %%25 for it."
              .formatted(part, text),
          e);
    }
  }
}
