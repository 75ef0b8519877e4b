/**
 * {@code ./sluice bench}: measures what limits cost, beside the bare SQL and beside the peers.
 *
 * <ul>
 *   <li>{@code scenario}: the workloads, and the harness that alternates them
 *   <li>{@code throttle}: what JMH runs in processes of its own
 *   <li>{@code server}: the PostgreSQL they run on, and what it counts by itself
 *   <li>{@code explain}: what the claim and the completion read
 *   <li>{@code peers}: other systems on the same server
 *   <li>{@code report}: what was found, as table, JSON and chart
 * </ul>
 */
package dev.sluice.bench;
