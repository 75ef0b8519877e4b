/** The workloads, and the harness that preloads, warms up, alternates and measures them. */
package dev.sluice.bench.scenario;
