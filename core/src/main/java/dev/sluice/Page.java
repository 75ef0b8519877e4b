package dev.sluice;

import java.util.List;
import java.util.Optional;

/**
 * A part of a long list.
 *
 * @param items what is on this page
 * @param next the cursor of the next page; empty = this was the last
 * @param <T> what is listed
 */
public record Page<T>(List<T> items, Optional<String> next) {}
