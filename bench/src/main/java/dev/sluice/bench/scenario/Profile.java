package dev.sluice.bench.scenario;

import java.util.Map;

/**
 * What was seen with clocks at work, in a round whose throughput does not count.
 *
 * @param claiming exchanges that brought jobs, as the workers saw them
 * @param completing exchanges that only reported outcomes, as the workers saw them
 * @param functions milliseconds per call of the store's SQL functions, by the server's own count
 * @param heapMegabytes what the process kept in memory afterwards
 */
record Profile(
    Distribution claiming,
    Distribution completing,
    Map<String, Double> functions,
    double heapMegabytes) {}
