package dev.sluice.bench.explain;

import dev.sluice.Group;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Which of a worker's tasks are limited. */
public enum SetUp {
  /** None. */
  BASELINE("concurrency-baseline", "no limits", 0),
  /** One of several. */
  SINGLE_TASK("concurrency-single-task", "one of five tasks at limit 10", 1),
  /** Each of them. */
  ALL_TASKS("concurrency-all-tasks", "each of five tasks at limit 10", 5);

  /** The tasks, whose jobs stand in line by turns. */
  static final List<String> TASKS = List.of("task-1", "task-2", "task-3", "task-4", "task-5");

  private static final int LIMIT = 10;

  private final String title;
  private final String summary;
  private final int limited;

  SetUp(String title, String summary, int limited) {
    this.title = title;
    this.summary = summary;
    this.limited = limited;
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

  Map<Group, Integer> limits() {
    return TASKS.subList(0, limited).stream().collect(Collectors.toMap(Group::of, task -> LIMIT));
  }
}
