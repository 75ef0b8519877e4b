package dev.sluice.object;

/** What {@link FaultyS3Server} can do to a request. */
enum S3Fault {
  /** Carry it out and answer. */
  NONE,
  /** Answer 503 and do nothing. */
  SLOW_DOWN,
  /** Carry it out and answer 500. */
  ERROR_AFTERWARDS,
  /** Answer 409 and do nothing. */
  CONFLICT,
  /** Answer 403 and do nothing. */
  DENY,
  /** Hang up without carrying it out. */
  LOSE_REQUEST,
  /** Carry it out and hang up. */
  LOSE_REPLY,
  /** Hang up, and carry it out when {@link FaultyS3Server#landLateRequests} is called. */
  LATE,
  /** Keep it until the server is closed, and do nothing. */
  HANG
}
