package dev.sluice.example.media;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A test picture with a tone, as many sites serve their videos: in fragments of a second, sound and
 * picture apart.
 */
final class SampleVideo {
  /** What to fetch; it names all the rest. */
  static final String MANIFEST = "video.mpd";

  private static final List<String> PICTURE =
      List.of("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25");
  private static final List<String> TONE = List.of("-f", "lavfi", "-i", "sine=frequency=440");
  private static final List<String> CODECS =
      List.of("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac");
  private static final List<String> FRAGMENTS =
      List.of("-g", "25", "-keyint_min", "25", "-f", "dash", "-seg_duration", "1");
  private static final List<String> TRACKS =
      List.of("-map", "0:v", "-map", "1:a", "-adaptation_sets", "id=0,streams=v id=1,streams=a");

  private SampleVideo() {}

  /** Makes a video of so many seconds in a directory. */
  static void make(Path directory, int seconds) throws IOException, InterruptedException {
    List<String> end = List.of("-t", String.valueOf(seconds), MANIFEST);
    Program.run(
        directory,
        List.of(MediaTools.FFMPEG, PICTURE, TONE, CODECS, FRAGMENTS, TRACKS, end).stream()
            .flatMap(List::stream)
            .toList());
  }
}
