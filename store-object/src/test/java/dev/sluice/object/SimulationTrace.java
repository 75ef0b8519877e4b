package dev.sluice.object;

/** Plays one seed, and prints what became of it: for comparing JVMs. */
final class SimulationTrace {
  private SimulationTrace() {}

  public static void main(String[] args) {
    Simulation simulation = new Simulation(Long.parseLong(args[0]), Flaw.NONE);
    simulation.play().forEach(System.out::println);
    System.out.println("trace " + simulation.trace());
  }
}
