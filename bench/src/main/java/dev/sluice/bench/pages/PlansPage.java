package dev.sluice.bench.pages;

import java.util.Map;

/** The plans of the slowest calls, to read. */
final class PlansPage {
  private PlansPage() {}

  static String of(Size size, Map<Call, String> plans, String command) {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        <!-- Written by ./sluice bench pages with --docs; a change by hand is lost. -->
        # Plans: what the slowest calls of the API read

        ```sh
        %s
        ```

        With %s. Of each call the statements that took longest, those inside of functions included; being watched, each takes
        longer than it would. The time and the pages of a statement include those of the functions it calls.
        """
            .formatted(command, size));
    plans.forEach(
        (call, plan) ->
            page.append("\n## %s\n\n```text\n".formatted(call.name()))
                .append("GET %s\n\n".formatted(call.path()))
                .append(plan.stripTrailing())
                .append("\n```\n"));
    return page.toString();
  }
}
