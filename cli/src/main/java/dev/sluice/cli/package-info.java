/** The {@code sluice} command: its subcommands, their options and their exit codes. */
package dev.sluice.cli;
