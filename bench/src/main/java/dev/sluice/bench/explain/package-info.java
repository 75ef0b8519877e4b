/** What the claim and the completion read: plans, indexes, rows. */
package dev.sluice.bench.explain;
