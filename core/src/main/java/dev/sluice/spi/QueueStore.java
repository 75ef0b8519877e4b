package dev.sluice.spi;

import dev.sluice.Queues;

/** The queues on record; what {@link Queues} offers users. */
public interface QueueStore extends Queues {}
