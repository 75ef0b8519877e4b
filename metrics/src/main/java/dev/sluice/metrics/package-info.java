/** Figures about jobs, limits and workers, for any Micrometer registry. */
package dev.sluice.metrics;
