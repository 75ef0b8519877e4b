package dev.sluice.object;

import java.util.List;

/**
 * A part of a list.
 *
 * @param objects what was found, in key order
 * @param isLast whether nothing was left behind it
 */
record ObjectPage(List<ListedObject> objects, boolean isLast) {

  /** Where the next page starts: pass it as {@code after}. Empty if this page is. */
  String next() {
    return objects.isEmpty() ? "" : objects.get(objects.size() - 1).key();
  }
}
