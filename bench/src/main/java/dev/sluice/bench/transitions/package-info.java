/** A queue in a bucket with an object for each transition of a job, to compare with. */
package dev.sluice.bench.transitions;
