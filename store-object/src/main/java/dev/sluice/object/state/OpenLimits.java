package dev.sluice.object.state;

import dev.sluice.LimitChange;
import dev.sluice.object.state.ShardState.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Workers, limits and slots, in this draft. Whoever changes them touches the draft. */
final class OpenLimits {
  final Map<String, LimitRule> rules;
  final Map<String, SortedMap<Integer, SlotHolder>> slots;
  final Map<String, WorkerEntry> workers;
  final List<ChangeLog.Logged> changes;
  final OpenAsks asks;
  private final Set<String> ownSlots = new HashSet<>();
  private long token;
  private long rulesVersion;
  private long rulesChanged;
  private long nextChange;

  OpenLimits(Limits base, Runnable touch) {
    rules = new HashMap<>(base.rules());
    slots = new HashMap<>(base.slots());
    workers = new HashMap<>(base.workers());
    changes = new ArrayList<>(base.log().pending());
    token = base.token() + 1;
    asks = new OpenAsks(base.asks(), touch);
    rulesVersion = base.rulesVersion();
    rulesChanged = base.rulesChanged();
    nextChange = base.log().next();
  }

  Limits seal() {
    return new Limits(
        token,
        rulesVersion,
        rulesChanged,
        rules,
        slots,
        workers,
        new ChangeLog(nextChange, changes),
        asks.seal());
  }

  long token() {
    return token;
  }

  /** Lets the token be above this one; whether it was not. */
  boolean raiseToken(long above) {
    boolean behind = token <= above;
    token = Math.max(token, above + 1);
    return behind;
  }

  long rulesVersion() {
    return rulesVersion;
  }

  long rulesChanged() {
    return rulesChanged;
  }

  void raiseRulesVersion(long commit) {
    rulesVersion++;
    rulesChanged = commit;
  }

  void log(LimitChange change) {
    changes.add(new ChangeLog.Logged(nextChange++, change));
  }

  void putRule(String name, LimitRule rule) {
    if (rule.equals(LimitRule.NONE)) {
      rules.remove(name);
    } else {
      rules.put(name, rule);
    }
  }

  /** The state that the draft began with keeps its own maps. */
  void putSlot(String group, int slot, SlotHolder holder) {
    SortedMap<Integer, SlotHolder> held =
        slots.compute(
            group,
            (name, before) ->
                before != null && ownSlots.contains(name)
                    ? before
                    : before == null ? new TreeMap<>() : new TreeMap<>(before));
    ownSlots.add(group);
    if (holder == null) {
      held.remove(slot);
    } else {
      held.put(slot, holder);
    }
    if (held.isEmpty()) {
      slots.remove(group);
      ownSlots.remove(group);
    }
  }
}
