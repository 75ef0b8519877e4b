package dev.sluice.metrics;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.Page;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Held slots and limits of groups: of all groups if there are names for all of them, else of the
 * busiest. The others are not read, so that a sample costs the same however many there are.
 */
final class GroupGauges implements StoreGauges.Sample {
  private static final int LONGEST_PAGE = 1_000;

  /** After how many samples to see whether there still are more groups than names. */
  private static final int COUNTED_ANEW = 60;

  private static final Comparator<GroupSummary> BUSIEST_FIRST =
      Comparator.comparingInt(GroupSummary::waiting)
          .thenComparingDouble(GroupSummary::pressure)
          .reversed()
          .thenComparing(GroupSummary::group);

  private final ConcurrencyLimits limits;
  private final int names;
  private final GaugeRows active;
  private final GaugeRows limit;
  private int busiestOnly;

  GroupGauges(MeterRegistry registry, ConcurrencyLimits limits, int names) {
    this.limits = limits;
    this.names = names;
    active = new GaugeRows(registry, "sluice.concurrency.slots.active", "Slots held now");
    limit = new GaugeRows(registry, "sluice.concurrency.slots.limit", "The limit in force");
  }

  @Override
  public void take() {
    List<GroupSummary> groups =
        groups().stream()
            .filter(summary -> !summary.group().isFamily())
            .sorted(BUSIEST_FIRST)
            .limit(names)
            .toList();
    Map<Tags, Double> actives = new LinkedHashMap<>();
    Map<Tags, Double> bounds = new LinkedHashMap<>();
    for (GroupSummary summary : groups) {
      Tags tags = Tags.of("group", summary.group().toString());
      actives.put(tags, (double) summary.active());
      summary.limit().ifPresent(number -> bounds.put(tags, (double) number));
    }
    active.show(actives);
    limit.show(bounds);
  }

  private List<GroupSummary> groups() {
    int one = Math.min(names + 1, LONGEST_PAGE);
    if (busiestOnly == 0) {
      Page<GroupSummary> page = limits.summaries(GroupQuery.BY_NAME.limit(one));
      if (page.next().isEmpty()) {
        return page.items();
      }
      busiestOnly = COUNTED_ANEW;
    }
    busiestOnly--;
    return limits.summaries(GroupQuery.BUSIEST.limit(one)).items();
  }

  @Override
  public void clear() {
    active.clear();
    limit.clear();
  }
}
