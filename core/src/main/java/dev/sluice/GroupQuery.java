package dev.sluice;

import java.util.Objects;

/**
 * Which groups to list. Immutable, built as a chain from {@link #BUSIEST} or {@link #BY_NAME}.
 *
 * @param order in which order
 * @param search only groups whose canonical name contains this text, whatever its case; empty = all
 * @param held only groups and families that a limit of their own holds at 0; groups of a held
 *     family are left out. A page may hold fewer than asked for although more follow
 * @param limit how many a page holds, 1 to 1000; default 50
 * @param cursor where the page starts: {@link Page#next()} of the page before; empty = at the
 *     beginning
 */
public record GroupQuery(Order order, String search, boolean held, int limit, String cursor) {
  /** The orders of a list of groups. */
  public enum Order {
    /**
     * Held slots first: by how many jobs wait for them and how full they are. One page only: what
     * is in use changes while one reads. Groups in which nobody is, and families, come last or not
     * at all.
     */
    BUSIEST,
    /** By canonical name; every group that has a limit, a family included, or a held slot. */
    NAME
  }

  /** The busiest groups, 50 of them. */
  public static final GroupQuery BUSIEST = new GroupQuery(Order.BUSIEST, "", false, 50, "");

  /** Every group by name, 50 a page. */
  public static final GroupQuery BY_NAME = new GroupQuery(Order.NAME, "", false, 50, "");

  /** The groups held at 0 by name, 50 a page. */
  public static final GroupQuery HELD = new GroupQuery(Order.NAME, "", true, 50, "");

  /** Checks the page size. */
  public GroupQuery {
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(search, "search");
    if (limit < 1 || limit > 1000) {
      throw new InvalidRequestException(
          "A page of " + limit + " groups is not possible; use 1 to 1000.");
    }
  }

  /** Whose name contains this text. */
  public GroupQuery search(String search) {
    return new GroupQuery(order, search, held, limit, cursor);
  }

  /** This many a page. */
  public GroupQuery limit(int limit) {
    return new GroupQuery(order, search, held, limit, cursor);
  }

  /** Starting where the page before ended. */
  public GroupQuery cursor(String cursor) {
    return new GroupQuery(order, search, held, limit, cursor);
  }
}
