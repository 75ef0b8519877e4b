/** What a throttle costs the work that runs under it. */
package dev.sluice.bench.throttle;
