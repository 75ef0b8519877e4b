package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.workflow.Caps;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.WorkflowDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How far a run has come: everything about it that changes.
 *
 * @param state where it is
 * @param message why it is there, if somebody should know
 * @param caps its caps
 * @param ending what it is on its way to, once nothing is in flight
 * @param steps its steps, in the order of the definition
 * @param notes what else it remembers
 */
public record RunProgress(
    RunState state,
    Optional<String> message,
    Caps caps,
    Ending ending,
    List<StepProgress> steps,
    Notes notes) {

  /** What a run is on its way to. */
  public enum Ending {
    /** Nothing in particular. */
    NONE,
    /** A step failed: nothing more starts, and what is in flight is called off. */
    FAIL,
    /** It was called off. */
    CANCEL,
    /** A step failed: nothing more starts, what is in flight ends, then what was done is undone. */
    COMPENSATE
  }

  /**
   * What else a run remembers.
   *
   * @param signals payloads of signals that no step has taken yet, by name, oldest first
   * @param undo how far undoing has come
   * @param ordered how many steps that can be undone have succeeded
   * @param looks when and how its jobs were looked at
   * @param output what it yielded
   */
  public record Notes(
      Map<String, List<JsonNode>> signals,
      Undo undo,
      int ordered,
      Looks looks,
      Optional<JsonNode> output) {
    static final Notes NONE = new Notes(Map.of(), Undo.NOT_BEGUN, 0, Looks.NONE, Optional.empty());

    Notes with(Looks next) {
      return new Notes(signals, undo, ordered, next, output);
    }
  }

  /**
   * Looks at the jobs of a run.
   *
   * @param quiet how often in a row a look found nothing new
   * @param full about when a tick last looked at every job in flight, in milliseconds since 1970 by
   *     the store's clock; 0 = unknown
   */
  public record Looks(int quiet, long full) {
    static final Looks NONE = new Looks(0, 0);
  }

  /**
   * How far undoing has come.
   *
   * @param done how many steps have been undone, latest first
   * @param running whether the next one is under way
   * @param failures what could not be undone
   */
  public record Undo(int done, boolean running, List<String> failures) {
    static final Undo NOT_BEGUN = new Undo(0, false, List.of());

    /** Whether anything was undone, or tried. */
    public boolean isBegun() {
      return done > 0 || running;
    }
  }

  /** Copies the list. */
  public RunProgress {
    steps = List.copyOf(steps);
  }

  /** A run that has not begun. */
  public static RunProgress of(WorkflowDefinition definition) {
    List<StepProgress> steps = new ArrayList<>();
    for (int i = 0; i < definition.steps().size(); i++) {
      steps.add(StepProgress.pending(i));
    }
    return new RunProgress(
        RunState.PENDING, Optional.empty(), definition.caps(), Ending.NONE, steps, Notes.NONE);
  }

  /** Whether it may go on by itself. */
  public boolean isLive() {
    return !state.finished();
  }

  /** The same, looked at once more in vain. */
  public RunProgress quiet() {
    return withNotes(notes.with(new Looks(notes.looks.quiet + 1, notes.looks.full)));
  }

  /** The same, after a tick looked at every job in flight at this time. */
  public RunProgress fullyLookedAt(long now) {
    return withNotes(notes.with(new Looks(notes.looks.quiet, now)));
  }

  RunProgress withNotes(Notes next) {
    return new RunProgress(state, message, caps, ending, steps, next);
  }

  RunProgress with(RunState next, Optional<String> why) {
    return new RunProgress(state.to(next), why, caps, ending, steps, notes);
  }

  RunProgress with(Ending next) {
    return new RunProgress(state, message, caps, next, steps, notes);
  }

  RunProgress withSteps(List<StepProgress> next) {
    return new RunProgress(state, message, caps, ending, next, notes);
  }

  /** With other caps. */
  public RunProgress with(Caps next) {
    return new RunProgress(state, message, next, ending, steps, notes);
  }
}
