package dev.sluice.object.state;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The keys of segments. */
public final class SegmentKeys {
  /** Below this, segments as they were submitted. */
  public static final String INBOX = "inbox/";

  /** Below this, segments of jobs that are tried again. */
  public static final String RETURNS = "returns/";

  private static final Pattern SUBMITTED =
      Pattern.compile("inbox/([0-9a-zA-Z-]+)/([0-9]{12})(-guarded)?\\.json");
  private static final Pattern RETURNED =
      Pattern.compile("returns/([0-9]{12})-[0-9a-zA-Z-]+\\.json");

  private SegmentKeys() {}

  /**
   * A submitted segment.
   *
   * @param producer who submitted it
   * @param sequence which of its segments
   * @param guarded whether it counts only once a commit has admitted it
   */
  public record Submitted(String producer, long sequence, boolean guarded) {
    /** Its key. */
    public String key() {
      return "%s%s/%012d%s.json".formatted(INBOX, producer, sequence, guarded ? "-guarded" : "");
    }
  }

  /** Reads the key of a submitted segment; empty if it is none. */
  public static Optional<Submitted> submitted(String key) {
    Matcher matcher = SUBMITTED.matcher(key);
    return matcher.matches()
        ? Optional.of(
            new Submitted(
                matcher.group(1), Long.parseLong(matcher.group(2)), matcher.group(3) != null))
        : Optional.empty();
  }

  /** The key of a segment of jobs that a commit returned. */
  public static String returned(long version, String nonce) {
    return "%s%012d-%s.json".formatted(RETURNS, version, nonce);
  }

  /** The version in such a key; empty if it is none. */
  public static Optional<Long> versionOf(String key) {
    Matcher matcher = RETURNED.matcher(key);
    return matcher.matches() ? Optional.of(Long.parseLong(matcher.group(1))) : Optional.empty();
  }
}
