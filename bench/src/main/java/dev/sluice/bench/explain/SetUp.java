package dev.sluice.bench.explain;

import dev.sluice.Group;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Which of a worker's tasks are limited. */
public enum SetUp {
  /** None. */
  BASELINE("concurrency-baseline", "no limits", 0, false),
  /** One of several, whose jobs name their slots. */
  SINGLE_TASK("concurrency-single-task", "one of five tasks at limit 10", 1, false),
  /** Each of them, and their slots are lent to workers. */
  ALL_TASKS("concurrency-all-tasks", "each of five tasks at limit 10, slots lent", 5, true);

  /** The tasks, whose jobs stand in line by turns. */
  static final List<String> TASKS = List.of("task-1", "task-2", "task-3", "task-4", "task-5");

  private static final int LIMIT = 10;

  private final String title;
  private final String summary;
  private final int limited;
  private final boolean hot;

  SetUp(String title, String summary, int limited, boolean hot) {
    this.title = title;
    this.summary = summary;
    this.limited = limited;
    this.hot = hot;
  }

  /** Its name among the scenarios, and of its file. */
  public String title() {
    return title;
  }

  /** What it is, in a few words. */
  public String summary() {
    return summary;
  }

  /** Whether any task is limited. */
  boolean isLimited() {
    return limited > 0;
  }

  /** Whether the slots of limited tasks are counted, and lent to workers. */
  boolean isHot() {
    return hot;
  }

  Map<Group, Integer> limits() {
    return TASKS.subList(0, limited).stream().collect(Collectors.toMap(Group::of, task -> LIMIT));
  }
}
