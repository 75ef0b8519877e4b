/**
 * A real, durable PostgreSQL that needs no installation and is shared by the processes of one
 * machine.
 */
package dev.sluice.embedded;
