/**
 * Real worker processes, killed and frozen for real while limits change, and what must hold then.
 */
package dev.sluice.tck.chaos;
