package dev.sluice.bench.server;

/**
 * What Linux says of a process in {@code /proc/PID/stat}, in ticks of a hundredth of a second.
 *
 * @param parent the id of the process that started it
 * @param ownTicks CPU time of its own, in user mode and in the kernel
 * @param reapedTicks the same of those it had started and that have ended
 */
record ProcStat(long parent, long ownTicks, long reapedTicks) {
  private static final int PARENT = 1;
  private static final int USER = 11;
  private static final int SYSTEM = 12;
  private static final int REAPED_USER = 13;
  private static final int REAPED_SYSTEM = 14;

  /**
   * Reads the line.
   *
   * @throws IllegalArgumentException if it is no such line
   */
  static ProcStat parse(String line) {
    // The second field is a name in parentheses, which may hold spaces and parentheses itself.
    String[] fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ");
    if (!line.contains(")") || fields.length <= REAPED_SYSTEM) {
      throw new IllegalArgumentException("no line of /proc/PID/stat: " + line);
    }
    return new ProcStat(
        Long.parseLong(fields[PARENT]),
        Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM]),
        Long.parseLong(fields[REAPED_USER]) + Long.parseLong(fields[REAPED_SYSTEM]));
  }
}
