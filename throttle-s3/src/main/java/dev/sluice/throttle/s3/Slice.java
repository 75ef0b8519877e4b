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
  Slice {
    if (number < 1 || start < 0 || length < 0) {
      throw new IllegalArgumentException(
          "Slice %d from %d of %d bytes is none.".formatted(number, start, length));
    }
  }

  /** A whole in parts of this size; the last may be smaller. None if there is nothing to cut. */
  static List<Slice> cut(long whole, long size) {
    if (size < 1) {
      throw new IllegalArgumentException("Parts of %d bytes never end.".formatted(size));
    }
    List<Slice> slices = new ArrayList<>();
    for (long start = 0; start < whole; start += size) {
      slices.add(new Slice(slices.size() + 1, start, Math.min(size, whole - start)));
    }
    return slices;
  }
}
