package dev.sluice.server;

import dev.sluice.Sluice;

/** The API on a store in memory. */
class MemoryApiIT extends ApiContract {
  @Override
  Sluice open() {
    return Sluice.open("memory:");
  }
}
