/** What is going on: a sample every few seconds, the last minutes, and those who watch live. */
package dev.sluice.server.live;
