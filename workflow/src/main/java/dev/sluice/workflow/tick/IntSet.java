package dev.sluice.workflow.tick;

import java.util.BitSet;
import java.util.Collection;
import java.util.stream.IntStream;

/** An immutable set of numbers that is small to write when they lie close together. */
public final class IntSet {
  /** Nothing. */
  public static final IntSet EMPTY = new IntSet(new BitSet());

  private final BitSet bits;

  private IntSet(BitSet bits) {
    this.bits = bits;
  }

  /** These numbers. */
  public static IntSet of(int... numbers) {
    BitSet bits = new BitSet();
    for (int number : numbers) {
      bits.set(number);
    }
    return new IntSet(bits);
  }

  /** These numbers. */
  public static IntSet of(Collection<Integer> numbers) {
    return of(numbers.stream().mapToInt(Integer::intValue).toArray());
  }

  /** Reads {@code 0-4,7,9-12}. */
  public static IntSet parse(String text) {
    BitSet bits = new BitSet();
    if (!text.isEmpty()) {
      for (String range : text.split(",")) {
        int dash = range.indexOf('-');
        int from = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
        int to = dash < 0 ? from : Integer.parseInt(range.substring(dash + 1));
        bits.set(from, to + 1);
      }
    }
    return new IntSet(bits);
  }

  /** This and the other. */
  public IntSet plus(IntSet other) {
    BitSet copy = (BitSet) bits.clone();
    copy.or(other.bits);
    return new IntSet(copy);
  }

  /** This without the other. */
  public IntSet minus(IntSet other) {
    BitSet copy = (BitSet) bits.clone();
    copy.andNot(other.bits);
    return new IntSet(copy);
  }

  /** How many there are. */
  public int size() {
    return bits.cardinality();
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return bits.isEmpty();
  }

  /** Whether this number is in it. */
  public boolean contains(int number) {
    return bits.get(number);
  }

  /** The numbers, lowest first. */
  public IntStream stream() {
    return bits.stream();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IntSet set && set.bits.equals(bits);
  }

  @Override
  public int hashCode() {
    return bits.hashCode();
  }

  /** What {@link #parse} reads. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int from = bits.nextSetBit(0); from >= 0; ) {
      int end = bits.nextClearBit(from);
      text.append(text.isEmpty() ? "" : ",").append(from);
      if (end - 1 > from) {
        text.append('-').append(end - 1);
      }
      from = bits.nextSetBit(end);
    }
    return text.toString();
  }
}
