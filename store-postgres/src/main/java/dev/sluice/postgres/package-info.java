/**
 * Jobs and limits on PostgreSQL 13 and newer. The protocol is in the SQL functions under {@code
 * migration/}; the classes here carry it to the runtime.
 */
package dev.sluice.postgres;
