/** The demo: two worker processes on limited tasks, and the proof that the limits held. */
package dev.sluice.cli.demo;
