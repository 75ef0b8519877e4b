/** The figures of throttles and retries as meters; needs {@code micrometer-core}. */
package dev.sluice.throttle.micrometer;
