/** What goes on in a running system, worked out from what workers say about themselves. */
package dev.sluice.cli.watch;
