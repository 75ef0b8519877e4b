package dev.sluice.bench.explain;

import java.util.List;

/**
 * What was found for one set-up.
 *
 * @param setUp which
 * @param waiting how many jobs were waiting
 * @param steps the claim and the completion
 * @param complaints what should not be, a sentence each; empty = all is well
 * @param remarks what else was found
 */
public record Explanation(
    SetUp setUp, int waiting, List<Step> steps, List<String> complaints, List<String> remarks) {}
