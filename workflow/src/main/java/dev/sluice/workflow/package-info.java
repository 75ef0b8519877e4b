/**
 * Workflows: graphs of steps, each a job, with caps on how many are in flight. Begin with {@link
 * dev.sluice.workflow.Workflows}.
 */
package dev.sluice.workflow;
