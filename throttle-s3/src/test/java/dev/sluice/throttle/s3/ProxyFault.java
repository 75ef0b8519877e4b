package dev.sluice.throttle.s3;

/** What {@link FailingProxy} can do to a request. */
enum ProxyFault {
  /** Pass it on, and the answer back. */
  NONE,
  /** Pass half of its body on, and hang up on both sides. */
  BREAK_REQUEST,
  /** Answer 503 and ask to be left alone for a second. */
  SLOW_DOWN,
  /** Answer 500 and pass nothing on. */
  ERROR,
  /** Answer 200 with an error in the body, and pass nothing on. */
  ERROR_IN_BODY,
  /** Answer 403 and pass nothing on. */
  DENY,
  /** Pass it on, and hang up instead of passing the answer back. */
  LOSE_REPLY,
  /** Pass half of the answer's body back, and hang up. */
  BREAK_REPLY
}
