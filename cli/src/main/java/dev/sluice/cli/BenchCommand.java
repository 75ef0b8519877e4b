package dev.sluice.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Stands in the list of commands for a program of its own, which the launcher runs instead. */
@Command(
    name = "bench",
    description = "Measure what limits cost; from a checkout: './sluice bench --help'.")
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Unmatched private List<String> ignored;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "The benchmarks are a program of their own: run './sluice bench' in a checkout.");
  }
}
