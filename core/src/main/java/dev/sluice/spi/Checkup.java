package dev.sluice.spi;

import dev.sluice.Diagnosis;
import dev.sluice.Diagnosis.Finding;
import dev.sluice.JobState;
import dev.sluice.SluiceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An examination of a store under way: gathers what its provider finds. One thread's own.
 *
 * <p>A check that throws a {@link SluiceException} has failed, and the message is what was found:
 * it names the thing and the remedy, as all our messages do.
 */
public final class Checkup {
  private static final int ROUND_TRIPS = 15;

  private final String store;
  private final List<Finding> findings = new ArrayList<>();

  /** An examination of the store of this name, which must not show a password. */
  public Checkup(String store) {
    this.store = store;
  }

  /** Something is as it should be. */
  public void good(String subject, String seen) {
    good(subject, seen, Map.of());
  }

  /** Something is as it should be, and was measured. */
  public void good(String subject, String seen, Map<String, Double> figures) {
    findings.add(new Finding(subject, true, seen, Optional.empty(), figures));
  }

  /** Something is wrong. */
  public void bad(String subject, String seen, String remedy) {
    findings.add(new Finding(subject, false, seen, Optional.of(remedy), Map.of()));
  }

  /** Something is wrong, and this says what and what to do. */
  public void bad(String subject, SluiceException failure) {
    findings.add(new Finding(subject, false, failure.getMessage(), Optional.empty(), Map.of()));
  }

  /** Makes a check; its result, or empty if it failed, which is then on record. */
  public <T> Optional<T> attempt(String subject, Supplier<T> check) {
    try {
      return Optional.of(check.get());
    } catch (SluiceException e) {
      bad(subject, e);
      return Optional.empty();
    }
  }

  /**
   * Times some requests.
   *
   * @param requests by what they are called in the report: "a read"
   * @return whether all of them were answered
   */
  public boolean roundTrips(Map<String, Runnable> requests) {
    Map<String, Double> figures = new LinkedHashMap<>();
    List<String> words = new ArrayList<>();
    Optional<Boolean> answered =
        attempt(
            "round trip",
            () -> {
              requests.forEach(
                  (name, request) -> {
                    double[] millis = timed(request);
                    double median = millis[millis.length / 2];
                    double slowest = millis[millis.length - 1];
                    words.add("%s takes %s".formatted(name, inMillis(median)));
                    String figure = name.replaceFirst("^an? ", "").replace(' ', '_');
                    figures.put(figure + "_median_ms", median);
                    figures.put(figure + "_slowest_ms", slowest);
                  });
              return true;
            });
    if (answered.isPresent()) {
      String seen = String.join(", ", words) + "; median of " + ROUND_TRIPS;
      good("round trip", seen, figures);
    }
    return answered.isPresent();
  }

  private static double[] timed(Runnable request) {
    // The first one pays for connections and classes that are only loaded now.
    request.run();
    double[] millis = new double[ROUND_TRIPS];
    for (int i = 0; i < millis.length; i++) {
      long start = System.nanoTime();
      request.run();
      millis[i] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(millis);
    return millis;
  }

  private static String inMillis(double millis) {
    return String.format(Locale.ROOT, millis < 10 ? "%.2f ms" : "%.0f ms", millis);
  }

  /** Puts on record how many jobs there are. */
  public void jobs(Map<JobState, Long> counts) {
    Map<String, Double> figures = new LinkedHashMap<>();
    List<String> words = new ArrayList<>();
    for (JobState state : JobState.values()) {
      long jobs = counts.getOrDefault(state, 0L);
      figures.put(state.toString(), (double) jobs);
      if (jobs > 0) {
        words.add(String.format(Locale.ROOT, "%,d %s", jobs, state));
      }
    }
    good("jobs", words.isEmpty() ? "none" : String.join(", ", words), figures);
  }

  /** What was found. */
  public Diagnosis diagnosis() {
    return new Diagnosis(store, findings);
  }
}
