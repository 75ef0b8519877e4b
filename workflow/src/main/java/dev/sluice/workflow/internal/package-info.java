/** Carries out what ticks decide: reads, writes, submits, wakes and sweeps. */
package dev.sluice.workflow.internal;
