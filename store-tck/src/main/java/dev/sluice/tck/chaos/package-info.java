/** Real worker processes, killed and frozen for real, and what must hold then. */
package dev.sluice.tck.chaos;
