/**
 * What a tick decides, as pure functions of a run's definition, its progress and the jobs that were
 * seen. Nothing here talks to a store, and nothing knows what time it is.
 */
package dev.sluice.workflow.tick;
