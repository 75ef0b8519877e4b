package dev.sluice.server.api;

/** The methods of HTTP that are used here. */
public enum Method {
  GET,
  POST,
  PUT,
  DELETE;

  /** Whether it changes anything. */
  public boolean isWrite() {
    return this != GET;
  }
}
