/** Other systems measured beside ours on the same server, and the bare SQL as the ceiling. */
package dev.sluice.bench.peers;
