package dev.sluice.object;

import dev.sluice.object.KeyPaths.Kind;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * One page of a list of files, found by a walk that visits no folder it can do without.
 *
 * <p>The walk keeps the smallest keys it has met, one more than the page holds, and enters a folder
 * only if the keys in it can be among them. Folders come in the order of their first possible key,
 * so it ends early; yet nothing depends on the order, which a long name can break (its folder and
 * the folder of a part of the same spelling share a range of keys).
 */
final class DirectoryLister {
  private static final Comparator<Found> IN_ORDER =
      Comparator.comparing(Found::start, ObjectKeys.ORDER);

  private static final int MOST_READINGS = 3;

  private final Folders folders;
  private final String prefix;
  private final String after;
  private final int wanted;
  private final TreeMap<String, Path> files = new TreeMap<>(ObjectKeys.ORDER);

  private DirectoryLister(Folders folders, String prefix, String after, int wanted) {
    this.folders = folders;
    this.prefix = prefix;
    this.after = after;
    this.wanted = wanted;
  }

  static ObjectPage list(KeyPaths paths, Folders folders, String prefix, String after, int limit)
      throws IOException {
    String start = after;
    while (true) {
      DirectoryLister lister = new DirectoryLister(folders, prefix, start, limit + 1);
      String common = prefix.substring(0, prefix.lastIndexOf('/') + 1);
      lister.walk(paths.folder(common), common);
      boolean isLast = lister.files.size() <= limit;
      if (!isLast) {
        lister.files.pollLastEntry();
      }
      List<ListedObject> objects = lister.describe();
      if (isLast || !objects.isEmpty()) {
        return new ObjectPage(objects, isLast);
      }
      // All of them were deleted between the walk and the reading: go on behind them.
      start = lister.files.lastKey();
    }
  }

  /**
   * Something that stands in a folder.
   *
   * @param start the key, or how all keys below start
   */
  private record Found(Path path, Kind kind, String start) {}

  private void walk(Path folder, String base) throws IOException {
    List<Found> all = read(folder, base);
    if (all.isEmpty()) {
      folders.noteMaybeEmpty(folder);
    }
    all.sort(IN_ORDER);
    for (Found found : all) {
      if (isBeyondPage(found.start)) {
        return;
      }
      if (found.kind == Kind.OBJECT) {
        meet(found);
      } else if (mayHold(found.start)) {
        walk(found.path, found.start);
      }
    }
  }

  private boolean isBeyondPage(String key) {
    return files.size() == wanted && ObjectKeys.ORDER.compare(key, files.lastKey()) > 0;
  }

  private void meet(Found file) {
    if (file.start.startsWith(prefix) && ObjectKeys.ORDER.compare(file.start, after) > 0) {
      files.put(file.start, file.path);
      if (files.size() > wanted) {
        files.pollLastEntry();
      }
    }
  }

  private boolean mayHold(String start) {
    boolean underPrefix = start.startsWith(prefix) || prefix.startsWith(start);
    boolean behind = ObjectKeys.ORDER.compare(start, after) > 0 || after.startsWith(start);
    return underPrefix && behind;
  }

  /**
   * What stands in the folder. Some file systems pass over a name that is replaced while they read
   * the folder, so a folder that changed meanwhile is read again, and what either showed counts.
   */
  private static List<Found> read(Path folder, String base) throws IOException {
    Set<Found> all = new HashSet<>();
    try {
      FileTime changed = null;
      for (int reading = 0; reading < MOST_READINGS; reading++) {
        FileTime before = Files.getLastModifiedTime(folder);
        if (before.equals(changed)) {
          break;
        }
        changed = before;
        readInto(all, folder, base);
      }
    } catch (NoSuchFileException | NotDirectoryException nothingThere) {
      // What was read before the folder went away, if anything, is found to be gone later.
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return new ArrayList<>(all);
  }

  private static void readInto(Set<Found> all, Path folder, String base) throws IOException {
    try (DirectoryStream<Path> names = Files.newDirectoryStream(folder)) {
      for (Path path : names) {
        KeyPaths.entry(path.getFileName().toString())
            .ifPresent(entry -> all.add(new Found(path, entry.kind(), base + entry.text())));
      }
    }
  }

  private List<ListedObject> describe() throws IOException {
    List<ListedObject> objects = new ArrayList<>();
    for (var file : files.entrySet()) {
      ObjectFile.describe(file.getKey(), file.getValue()).ifPresent(objects::add);
    }
    return objects;
  }
}
