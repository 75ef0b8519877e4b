package dev.sluice.object;

/** Requests as a bucket bills them, with the list prices of S3 Standard in us-east-1. */
public enum RequestKind {
  GET(0.40),
  PUT(5.00),
  LIST(5.00),
  DELETE(0);

  private final double dollarsPerMillion;

  RequestKind(double dollarsPerMillion) {
    this.dollarsPerMillion = dollarsPerMillion;
  }

  /** What so many of them cost. */
  double dollars(long requests) {
    return requests * dollarsPerMillion / 1_000_000;
  }
}
