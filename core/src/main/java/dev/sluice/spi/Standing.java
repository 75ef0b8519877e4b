package dev.sluice.spi;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a worker holds, in the store's eyes.
 *
 * @param jobs the known jobs that still belong to the worker, each with the limited groups it is
 *     in; a known job that is missing here has been lost or finished already
 * @param slots every slot held
 * @param draining groups of these slots where more are held, by all workers together, than the
 *     limit allows now: start nothing in them, and give each slot back as its job ends
 */
public record Standing(Map<UUID, List<String>> jobs, List<HeldSlot> slots, Set<String> draining) {}
