package dev.sluice.workflow;

/** Hears of ticks, for metrics. Called on the ticking thread: be quick, and throw nothing. */
@FunctionalInterface
public interface WorkflowListener {
  /** A tick was written and carried out. */
  void onTick(TickReport report);
}
