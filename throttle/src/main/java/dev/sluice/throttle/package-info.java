/**
 * Concurrency inside one process: {@link dev.sluice.throttle.CpuBudget} finds out how many
 * processors it really has, a {@link dev.sluice.throttle.Throttle} bounds what it does at once, and
 * {@link dev.sluice.throttle.Retry} tries again without standing in anybody's way. Nothing here
 * needs the rest of Sluice.
 */
package dev.sluice.throttle;
