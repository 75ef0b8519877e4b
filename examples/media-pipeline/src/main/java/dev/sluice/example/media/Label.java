package dev.sluice.example.media;

import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.Throttles;
import java.util.function.Function;

/** The kinds of work that are done under a throttle: in its figures, and on the timeline. */
enum Label {
  FETCH("disk_ytdlp", Throttles::disk),
  MERGE("disk_ffmpeg_merge", Throttles::disk),
  TRANSCODE("disk_ffmpeg_hls", Throttles::disk),
  UPLOAD("s3_upload", Throttles::s3),
  RECORD("db_write", Throttles::db);

  private final String text;
  private final Function<Throttles, Throttle> throttle;

  Label(String text, Function<Throttles, Throttle> throttle) {
    this.text = text;
    this.throttle = throttle;
  }

  /** The throttle that bounds it. */
  Throttle throttle(Throttles throttles) {
    return throttle.apply(throttles);
  }

  @Override
  public String toString() {
    return text;
  }
}
