/** Shell commands as handlers, each with a watchdog that ends it before its lease can be lost. */
package dev.sluice.cli.exec;
