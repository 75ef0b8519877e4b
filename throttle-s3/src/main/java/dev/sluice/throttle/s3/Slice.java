package dev.sluice.throttle.s3;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a file or an object.
 *
 * @param number counted from 1, as S3 does
 * @param start its first byte
 * @param length how many bytes
 */
record Slice(int number, long start, long length) {
  /** A whole in parts of this size; the last may be smaller. None if there is nothing to cut. */
  static List<Slice> cut(long whole, long size) {
    List<Slice> slices = new ArrayList<>();
    for (long start = 0; start < whole; start += size) {
      slices.add(new Slice(slices.size() + 1, start, Math.min(size, whole - start)));
    }
    return slices;
  }
}
