package dev.sluice.bench.report;

import java.util.List;

/**
 * What one scenario found.
 *
 * @param name the scenario
 * @param summary what it does, in a sentence
 * @param subjects what was measured
 * @param ratios what was compared
 * @param curves how figures grow with something; empty for most scenarios
 * @param remarks what a reader has to know to judge the figures
 */
public record Section(
    String name,
    String summary,
    List<Subject> subjects,
    List<Ratio> ratios,
    List<Curve> curves,
    List<String> remarks) {}
