/** The PostgreSQL that the benchmarks run on, and what it counts by itself. */
package dev.sluice.bench.server;
