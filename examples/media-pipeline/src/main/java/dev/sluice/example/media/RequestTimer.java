package dev.sluice.example.media;

import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/** Notes on a timeline when uploads were under way, as the S3 client saw it. */
final class RequestTimer implements ExecutionInterceptor {
  private static final ExecutionAttribute<Timeline.Open> OPEN =
      new ExecutionAttribute<>("media-pipeline-open");

  private final Timeline timeline;

  RequestTimer(Timeline timeline) {
    this.timeline = timeline;
  }

  @Override
  public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes those) {
    SdkRequest request = context.request();
    if (request instanceof PutObjectRequest || request instanceof UploadPartRequest) {
      String key = request.getValueForField("Key", String.class).orElseThrow();
      String video = key.substring(0, key.indexOf('/'));
      those.putAttribute(OPEN, timeline.open(Label.UPLOAD, video));
    }
  }

  @Override
  public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes those) {
    close(those);
  }

  @Override
  public void onExecutionFailure(Context.FailedExecution context, ExecutionAttributes those) {
    close(those);
  }

  private static void close(ExecutionAttributes those) {
    Timeline.Open open = those.getAttribute(OPEN);
    if (open != null) {
      open.close();
      those.putAttribute(OPEN, null);
    }
  }
}
