/** What the commands print: tables, bars, ages, durations and colours. */
package dev.sluice.cli.text;
