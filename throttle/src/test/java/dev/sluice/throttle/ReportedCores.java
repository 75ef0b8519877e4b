package dev.sluice.throttle;

/** A program that says how many cores it has, and why. */
final class ReportedCores {
  private ReportedCores() {}

  public static void main(String[] args) {
    CpuBudget budget = CpuBudget.detect();
    System.out.println("cores=" + budget.cores());
    budget.report().forEach(System.out::println);
  }
}
