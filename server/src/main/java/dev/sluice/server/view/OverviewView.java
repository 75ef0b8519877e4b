package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The whole system at a glance, as of the latest sample. */
public record OverviewView(
    Instant now,
    Store store,
    String version,
    @JsonUnwrapped Figures figures,
    Instant sampledAt,
    @Maybe Instant staleSince) {

  /** Which store, without secrets: its name is that of its database, bucket or directory. */
  public record Store(String kind, String name, String address) {}

  /** What was counted; violations since the server started; alerts, the worst first. */
  public record Figures(
      Map<String, Long> counts,
      Rates rates,
      List<QueueView> queues,
      List<GroupView> groups,
      Fleet workers,
      long violations,
      List<AlertView> alerts) {}

  /** Per second. */
  public record Rates(double started, double succeeded, double failed, double retried) {}

  /** The live workers together. */
  public record Fleet(int alive, int running, int concurrency) {}
}
