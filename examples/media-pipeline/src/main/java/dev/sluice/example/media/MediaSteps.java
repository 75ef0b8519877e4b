package dev.sluice.example.media;

import dev.sluice.example.media.Catalogue.Entry;
import dev.sluice.example.media.MediaPipeline.IndexOrder;
import dev.sluice.example.media.MediaPipeline.MergeOrder;
import dev.sluice.example.media.MediaPipeline.TranscodeOrder;
import dev.sluice.example.media.MediaPipeline.UploadOrder;
import dev.sluice.example.media.Video.Rendition;
import dev.sluice.example.media.Video.Uploaded;
import dev.sluice.example.media.Video.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the steps do. A job may run twice: its worker may die, or lose its lease while its handler
 * still runs. So each of these leaves what it leaves once, however often it is called, even by two
 * at a time. Files appear whole, under names that follow from the order, see {@link Workspace};
 * objects are put again as they were; the catalogue keeps what it has.
 */
final class MediaSteps {
  private static final String TRACKS = "tracks";
  private static final String MERGED = "merged";
  private static final String HLS = "hls";
  private static final String MASTER = "master.m3u8";

  private final MediaTools tools;
  private final Workspace workspace;
  private final Bucket bucket;
  private final Catalogue catalogue;

  MediaSteps(MediaTools tools, Workspace workspace, Bucket bucket, Catalogue catalogue) {
    this.tools = tools;
    this.workspace = workspace;
    this.bucket = bucket;
    this.catalogue = catalogue;
  }

  /** Fetches the tracks of a video: the names of their files. */
  List<String> fetch(Video video) throws IOException, InterruptedException {
    Path tracks = workspace.produce(video.id(), TRACKS, draft -> tools.fetch(video, draft));
    return files(tracks);
  }

  /** Puts the tracks together. */
  void merge(MergeOrder order) throws IOException, InterruptedException {
    Path from = workspace.path(order.video(), TRACKS);
    List<Path> tracks = order.tracks().stream().map(from::resolve).toList();
    workspace.produce(order.video(), MERGED, draft -> tools.merge(order.video(), tracks, draft));
  }

  /** Makes one rendition of a video, in segments. */
  Variant transcode(TranscodeOrder order) throws IOException, InterruptedException {
    Path merged = workspace.path(order.video(), MERGED).resolve(MediaTools.MERGED);
    Rendition rendition = order.rendition();
    Path made =
        workspace.produce(
            order.video(),
            HLS + "/" + rendition.name(),
            draft -> tools.transcode(order.video(), merged, rendition, draft));
    List<String> files = new ArrayList<>(files(made));
    files.remove(MediaTools.VARIANT);
    return new Variant(rendition.name(), streamInfo(made.resolve(MediaTools.VARIANT)), files);
  }

  /** What the line says that a playlist of playlists has above each of them. */
  private static String streamInfo(Path playlist) throws IOException {
    try (Stream<String> lines = Files.lines(playlist)) {
      return lines
          .filter(line -> line.startsWith("#EXT-X-STREAM-INF:"))
          .findFirst()
          .orElseThrow(() -> new IOException(playlist + " describes no stream."));
    }
  }

  /** Writes the playlist of all renditions, and lists every file to upload. */
  List<String> index(IndexOrder order) throws IOException {
    StringBuilder master = new StringBuilder("#EXTM3U\n#EXT-X-VERSION:3\n");
    List<String> files = new ArrayList<>();
    for (Variant variant : order.variants()) {
      master.append(variant.streamInfo()).append('\n');
      master.append(variant.name()).append('/').append(MediaTools.PLAYLIST).append('\n');
      variant.files().forEach(file -> files.add(variant.name() + "/" + file));
    }
    workspace.write(order.video(), HLS + "/" + MASTER, master.toString());
    files.add(MASTER);
    return files;
  }

  /** Uploads a file. */
  Uploaded upload(UploadOrder order) throws IOException, InterruptedException {
    Path file = workspace.path(order.video(), HLS).resolve(order.file());
    return bucket.upload(file, order.video() + "/" + order.file());
  }

  /** Records a video whose files are all in the bucket: its number in the catalogue. */
  long record(Video video, Iterator<Uploaded> uploads) throws SQLException, InterruptedException {
    int files = 0;
    long bytes = 0;
    while (uploads.hasNext()) {
      files++;
      bytes += uploads.next().bytes();
    }
    return catalogue.record(new Entry(video.id(), video.id() + "/" + MASTER, files, bytes));
  }

  /** Removes what the other steps left in the workspace. */
  void discard(Video video) throws IOException {
    workspace.discard(video.id());
  }

  private static List<String> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
