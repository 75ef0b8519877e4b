package dev.sluice.schedule;

import java.util.List;

/**
 * What a declaration has changed; names of schedules.
 *
 * @param created those that were not there
 * @param updated those that were different
 * @param removed those the same source had declared before, and does not any more
 * @param unchanged those that were as declared
 * @param overruled those declared here that somebody with more say has changed or created: an
 *     operator, or for code a configuration file; left as they are
 */
public record Declared(
    List<String> created,
    List<String> updated,
    List<String> removed,
    List<String> unchanged,
    List<String> overruled) {}
