package dev.sluice.server.view;

import dev.sluice.Page;
import java.util.List;
import java.util.function.Function;

/** A part of a list, with the cursor of the next part if there is one. */
public record Paged<T>(List<T> items, @Maybe String next) {
  /** All there is. */
  public static <T> Paged<T> of(List<T> items) {
    return new Paged<>(items, null);
  }

  /** A page of the store's. */
  public static <S, T> Paged<T> of(Page<S> page, Function<S, T> view) {
    return new Paged<>(page.items().stream().map(view).toList(), page.next().orElse(null));
  }
}
