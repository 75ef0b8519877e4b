package dev.sluice.postgres;

import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * The types of the arrays that calls carry, each with the class of its elements.
 *
 * <p>The driver goes by the class of the Java array: it sends a {@code Long[]} in binary, and an
 * {@code Object[]} of the same elements as text that it writes, and the server reads, character by
 * character. It has no binary form for {@code UUID[]}; that one is written here, unless the
 * connection hides the driver's own or sends parameters within the statement's text.
 */
enum SqlArray {
  BOOL("bool", Boolean[]::new),
  INT2("int2", Short[]::new),
  INT4("int4", Integer[]::new),
  INT8("int8", Long[]::new),
  TEXT("text", String[]::new),
  UUID("uuid", UUID[]::new) {
    @Override
    Array on(Connection connection, Object[] elements) throws SQLException {
      if (!connection.isWrapperFor(BaseConnection.class)) {
        return super.on(connection, elements);
      }
      BaseConnection driver = connection.unwrap(BaseConnection.class);
      return driver.getPreferQueryMode() == PreferQueryMode.SIMPLE
          ? super.on(connection, elements)
          : new PgArray(driver, Oid.UUID_ARRAY, binary((UUID[]) elements));
    }
  },
  /** As text. */
  JSONB("jsonb", String[]::new),
  /** As text. */
  TIMESTAMPTZ("timestamptz", Object[]::new);

  private final String type;
  private final IntFunction<Object[]> newArray;

  SqlArray(String type, IntFunction<Object[]> newArray) {
    this.type = type;
    this.newArray = newArray;
  }

  /**
   * A parameter: an array as soon as there is a connection to carry it.
   *
   * @param elements an array of the type's own class
   */
  record Values(SqlArray type, Object[] elements) {
    Array on(Connection connection) throws SQLException {
      return type.on(connection, elements);
    }
  }

  Array on(Connection connection, Object[] elements) throws SQLException {
    return connection.createArrayOf(type, elements);
  }

  Values of(Collection<?> elements) {
    return new Values(this, elements.stream().toArray(newArray));
  }

  /** A value of each row, in their order. */
  <R> Values of(Collection<R> rows, Function<? super R, ?> value) {
    Object[] elements = newArray.apply(rows.size());
    int i = 0;
    for (R row : rows) {
      elements[i++] = value.apply(row);
    }
    return new Values(this, elements);
  }

  /**
   * The wire form: dimensions, whether there are nulls, the elements' type, their number and the
   * index of the first; then each with its length, -1 for null.
   */
  private static byte[] binary(UUID[] ids) {
    ByteBuffer bytes = ByteBuffer.allocate(20 + 20 * ids.length);
    bytes.putInt(1).putInt(1).putInt(Oid.UUID).putInt(ids.length).putInt(1);
    for (UUID id : ids) {
      if (id == null) {
        bytes.putInt(-1);
      } else {
        bytes.putInt(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
      }
    }
    return java.util.Arrays.copyOf(bytes.array(), bytes.position());
  }
}
