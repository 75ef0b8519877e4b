package dev.sluice.cli.exec;

import dev.sluice.SluiceException;

/** The machine lacks a program that guarded commands need. */
public final class MissingToolException extends SluiceException {
  MissingToolException(String message) {
    super(message);
  }
}
