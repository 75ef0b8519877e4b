package dev.sluice.server.view;

import dev.sluice.Alert;
import dev.sluice.Group;

/**
 * Something that keeps jobs from getting done; queue, task and group say where to look. Jobs are
 * due ones that have not started, or failed attempts of a failing task.
 */
public record AlertView(
    Alert.Kind kind,
    @Maybe String queue,
    @Maybe String task,
    @Maybe String group,
    long jobs,
    @Maybe Double ageSeconds,
    String seen,
    String remedy) {
  /** An alert. */
  public static AlertView of(Alert alert) {
    return new AlertView(
        alert.kind(),
        alert.place().queue().orElse(null),
        alert.place().task().orElse(null),
        alert.place().group().map(Group::toString).orElse(null),
        alert.jobs(),
        alert.age().map(ViewJson::seconds).orElse(null),
        alert.seen(),
        alert.remedy());
  }
}
