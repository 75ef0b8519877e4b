package dev.sluice.object;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by what a bucket would bill them as. Any number of threads may use it. */
public final class RequestMeter {
  private final Map<RequestKind, Counters> byKind = new EnumMap<>(RequestKind.class);

  /** A meter that stands at zero. */
  public RequestMeter() {
    for (RequestKind kind : RequestKind.values()) {
      byKind.put(kind, new Counters());
    }
  }

  void count(RequestKind kind, long requests, long sent, long received) {
    Counters counters = byKind.get(kind);
    counters.requests.add(requests);
    counters.sent.add(sent);
    counters.received.add(received);
  }

  void countLost(RequestKind kind) {
    byKind.get(kind).lost.increment();
  }

  void countFailed(RequestKind kind) {
    byKind.get(kind).failed.increment();
  }

  /** What was counted so far. */
  public RequestReport report() {
    Map<RequestKind, RequestReport.Usage> usage = new EnumMap<>(RequestKind.class);
    byKind.forEach((kind, counters) -> usage.put(kind, counters.usage()));
    return new RequestReport(usage);
  }

  private static final class Counters {
    final LongAdder requests = new LongAdder();
    final LongAdder lost = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder sent = new LongAdder();
    final LongAdder received = new LongAdder();

    RequestReport.Usage usage() {
      return new RequestReport.Usage(
          requests.sum(), lost.sum(), failed.sum(), sent.sum(), received.sum());
    }
  }
}
