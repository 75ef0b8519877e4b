/**
 * The public API of Sluice: tasks, jobs, workers and the concurrency limits that hold across all of
 * them.
 */
package dev.sluice;
