package dev.sluice.server.api;

/** What a route does. */
@FunctionalInterface
public interface Operation {
  /** Answers a call that was let in. */
  Answer run(Call call) throws Exception;
}
