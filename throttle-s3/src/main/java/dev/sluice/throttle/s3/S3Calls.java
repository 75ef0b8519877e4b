package dev.sluice.throttle.s3;

import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.Work;
import java.io.IOException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The way to the bucket: each request under the throttle, by its label, and again if that may help.
 *
 * @param client does not repeat requests by itself
 */
record S3Calls(S3Client client, Throttle throttle, Retry retry) {
  static final String HEAD = "s3_head";
  static final String PUT = "s3_put";
  static final String UPLOAD = "s3_upload";
  static final String DOWNLOAD = "s3_download";

  /** A call that sends a file; one that ends early is no failure of the bucket's. */
  <T> T send(String label, Work<? extends T, IOException> request)
      throws IOException, InterruptedException {
    try {
      return call(label, request);
    } catch (RuntimeException e) {
      for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
        if (cause instanceof IntegrityException changed) {
          throw changed;
        }
      }
      throw e;
    }
  }

  <T, E extends Exception> T call(String label, Work<? extends T, E> request)
      throws E, InterruptedException {
    try {
      return retry.<T, E>run(label, throttle, request);
    } catch (AbortedException e) {
      // How the SDK says that the thread was interrupted; it sets the flag besides.
      Thread.interrupted();
      InterruptedException interrupt = new InterruptedException(e.getMessage());
      interrupt.initCause(e);
      throw interrupt;
    }
  }
}
