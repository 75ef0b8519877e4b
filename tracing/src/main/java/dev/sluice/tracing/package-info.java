/** Traces of jobs from submit to run, on OpenTelemetry. */
package dev.sluice.tracing;
