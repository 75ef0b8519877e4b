package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.workflow.StepState;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * How far a step has come.
 *
 * @param number its number in the ids of its jobs, which it keeps for as long as the run lasts
 * @param state where it is
 * @param attempt which attempt is or was the latest; 1 = the first
 * @param order when it succeeded, among the steps that can be undone; 0 = not
 * @param error why it failed, if it did
 * @param extra what a step of its kind remembers
 */
public record StepProgress(
    int number, StepState state, int attempt, int order, Optional<String> error, Extra extra) {

  /** What a step of some kind remembers. */
  public sealed interface Extra {}

  /** Nothing. */
  public record Nothing() implements Extra {
    static final Nothing IT = new Nothing();
  }

  /**
   * A step over a list. It says nothing about elements that succeeded, however many there are.
   *
   * @param size how many elements there are
   * @param begun how many of them have been started, from the first on
   * @param inFlight those whose job has not been seen to end
   * @param again those to be started again
   * @param failed those that failed, or were called off
   * @param attempts which attempt is the latest, of elements with more than one
   */
  public record Items(
      int size,
      int begun,
      IntSet inFlight,
      IntSet again,
      IntSet failed,
      Map<Integer, Integer> attempts)
      implements Extra {
    static Items of(int size) {
      return new Items(size, 0, IntSet.EMPTY, IntSet.EMPTY, IntSet.EMPTY, Map.of());
    }

    /** Which attempt at this element is the latest. */
    public int attempt(int item) {
      return attempts.getOrDefault(item, 1);
    }

    /** How many elements have succeeded. */
    public int succeeded() {
      return begun - inFlight.size() - again.size() - failed.size();
    }

    Items started(IntSet items, int beginning) {
      return new Items(
          size, begun + beginning, inFlight.plus(items), again.minus(items), failed, attempts);
    }

    Items ended(IntSet done, IntSet newlyFailed) {
      return new Items(
          size,
          begun,
          inFlight.minus(done).minus(newlyFailed),
          again,
          failed.plus(newlyFailed),
          attempts);
    }

    Items nextAttempt(IntSet items) {
      Map<Integer, Integer> changed = new TreeMap<>(attempts);
      items.stream().forEach(item -> changed.merge(item, 2, (latest, two) -> latest + 1));
      return new Items(size, begun, inFlight, again, failed, changed);
    }

    /** The failed ones are to be started again. */
    Items revived() {
      return new Items(size, begun, inFlight, again.plus(failed), IntSet.EMPTY, attempts)
          .nextAttempt(failed);
    }
  }

  /**
   * A wait.
   *
   * @param due about when it is over, in milliseconds since 1970 by the store's clock; 0 = unknown.
   *     Nobody goes by it but the sweeper: the wait is over when its timer's job has ended
   */
  public record Wait(long due) implements Extra {}

  /** Another run. */
  public record Child(UUID run) implements Extra {}

  /** A result that no job has: that of a signal or of another run. */
  public record Value(JsonNode value) implements Extra {}

  static StepProgress pending(int number) {
    return new StepProgress(number, StepState.PENDING, 1, 0, Optional.empty(), Nothing.IT);
  }

  StepProgress with(StepState next) {
    return new StepProgress(number, next, attempt, order, error, extra);
  }

  StepProgress with(Extra next) {
    return new StepProgress(number, state, attempt, order, error, next);
  }

  StepProgress succeeded(int inOrder) {
    return new StepProgress(number, StepState.SUCCEEDED, attempt, inOrder, Optional.empty(), extra);
  }

  StepProgress failed(String why) {
    return new StepProgress(number, StepState.FAILED, attempt, 0, Optional.of(why), extra);
  }

  StepProgress again(StepState next) {
    return new StepProgress(number, next, attempt + 1, 0, Optional.empty(), extra);
  }

  /** The elements of a step over a list; empty if it is none, or has not started. */
  public Optional<Items> items() {
    return extra instanceof Items items ? Optional.of(items) : Optional.empty();
  }
}
