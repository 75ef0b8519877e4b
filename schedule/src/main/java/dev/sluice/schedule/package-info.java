/** Jobs by the clock: cron and fixed intervals, each occurrence submitted once. */
package dev.sluice.schedule;
