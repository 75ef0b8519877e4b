package dev.sluice.throttle;

/** An environment variable has a value that cannot be used. The message names it. */
public final class InvalidSettingException extends ThrottleException {
  private final String variable;

  InvalidSettingException(String variable, String value, String allowed) {
    super(
        "%s is '%s', which is not %s. Correct it, or unset it to use the default."
            .formatted(variable, value, allowed));
    this.variable = variable;
  }

  /** Which variable. */
  public String variable() {
    return variable;
  }
}
