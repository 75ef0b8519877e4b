package dev.sluice.example.media;

import dev.sluice.example.media.Video.Rendition;
import dev.sluice.throttle.CpuBudget.Load;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Throttles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command lines, sized to the processors this process has. Each program runs under the disk
 * throttle. In greedy mode that lets in one at a time, which may use every core; otherwise the
 * cores are divided among as many as it lets in.
 */
final class MediaTools {
  /** The file that tracks are merged into. */
  static final String MERGED = "video.mkv";

  /** The playlist of a rendition. */
  static final String PLAYLIST = "index.m3u8";

  /** Where ffmpeg describes a rendition: bandwidth, resolution, codecs. */
  static final String VARIANT = "variant.m3u8";

  /** How every command of ffmpeg begins. */
  static final List<String> FFMPEG =
      List.of("ffmpeg", "-hide_banner", "-loglevel", "warning", "-nostdin");

  private final Throttles throttles;
  private final Timeline timeline;
  private final int connections;

  /**
   * Programs under these throttles.
   *
   * @param environment may have {@code YTDLP_CONNECTIONS}: how many fragments of a video are
   *     fetched at once; default what the processors suggest for input and output
   */
  MediaTools(Throttles throttles, Environment environment, Timeline timeline) {
    this.throttles = throttles;
    this.timeline = timeline;
    this.connections =
        environment
            .positiveInt("YTDLP_CONNECTIONS")
            .orElseGet(() -> throttles.cpu().computeDefault(Load.IO));
  }

  /** How many threads a transcoding uses. */
  int threads() {
    return Math.max(1, throttles.cpu().cores() / throttles.disk().limit());
  }

  /** Fetches the best video and the best audio track into a directory. */
  void fetch(Video video, Path directory) throws IOException, InterruptedException {
    run(Label.FETCH, video.id(), directory, fetching(video.url()));
  }

  List<List<String>> fetching(String url) {
    return List.of(
        List.of("yt-dlp", "--ignore-config", "--no-cache-dir", "--no-progress"),
        List.of("-N", String.valueOf(connections), "-f", "bv,ba"),
        List.of("-o", "%(format_id)s.%(ext)s", "--", url));
  }

  /** Puts tracks into one file in a directory, as they are. */
  void merge(String video, List<Path> tracks, Path directory)
      throws IOException, InterruptedException {
    List<String> inputs = new ArrayList<>();
    List<String> maps = new ArrayList<>();
    for (int i = 0; i < tracks.size(); i++) {
      inputs.addAll(List.of("-i", tracks.get(i).toString()));
      maps.addAll(List.of("-map", String.valueOf(i)));
    }
    run(
        Label.MERGE,
        video,
        directory,
        List.of(FFMPEG, inputs, maps, List.of("-c", "copy", MERGED)));
  }

  /** Makes a rendition in a directory: a playlist and its segments of two seconds. */
  void transcode(String video, Path merged, Rendition rendition, Path directory)
      throws IOException, InterruptedException {
    run(Label.TRANSCODE, video, directory, transcoding(merged, rendition));
  }

  /** To read, to scale and to write it, each with so many threads. */
  List<List<String>> transcoding(Path merged, Rendition rendition) {
    int rate = rendition.kilobits();
    String threads = String.valueOf(threads());
    return List.of(
        FFMPEG,
        List.of("-threads", threads, "-i", merged.toString()),
        List.of("-filter_threads", threads, "-vf", "scale=-2:" + rendition.height()),
        List.of("-c:v", "libx264", "-preset", "veryfast", "-threads", threads),
        List.of("-b:v", rate + "k", "-maxrate", rate + "k", "-bufsize", 2 * rate + "k"),
        List.of("-force_key_frames", "expr:gte(t,n_forced*2)", "-c:a", "aac", "-b:a", "96k"),
        List.of("-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"),
        List.of("-master_pl_name", VARIANT, "-hls_segment_filename", "%05d.ts"),
        List.of(PLAYLIST));
  }

  private void run(Label label, String video, Path directory, List<List<String>> parts)
      throws IOException, InterruptedException {
    List<String> command = parts.stream().flatMap(List::stream).toList();
    label
        .throttle(throttles)
        .run(
            label.toString(),
            () -> {
              try (Timeline.Open span = timeline.open(label, video)) {
                Program.run(directory, command);
              }
            });
  }
}
