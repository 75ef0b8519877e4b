package dev.sluice.object;

import dev.sluice.InvalidRequestException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The URL of a store, which may say with how many shards it begins: {@code s3://bucket?shards=4},
 * {@code file:./data?shards=4}.
 *
 * @param place where the objects are, without that option
 * @param shards how many shards; empty = one if the store is new, else as many as it has
 */
record ShardedUrl(String place, OptionalInt shards) {
  private static final Pattern OPTION = Pattern.compile("([?&])shards=([^&]*)(&|$)");

  static ShardedUrl parse(String url) {
    Matcher option = OPTION.matcher(url);
    if (!option.find()) {
      return new ShardedUrl(url, OptionalInt.empty());
    }
    String before = url.substring(0, option.start());
    String after = url.substring(option.end());
    String place = after.isEmpty() ? before : before + option.group(1) + after;
    return new ShardedUrl(place, OptionalInt.of(number(option.group(2))));
  }

  private static int number(String text) {
    if (!text.matches("[1-9][0-9]?") || Integer.parseInt(text) > StoreFormat.MOST_SHARDS) {
      throw new InvalidRequestException(
          "The option shards in the store's URL is '%s'. Write a number from 1 to %d."
              .formatted(text, StoreFormat.MOST_SHARDS));
    }
    return Integer.parseInt(text);
  }
}
