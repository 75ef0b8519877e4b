package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class SqlErrorsTest {
  private static SluiceException translated(String state) {
    return SqlErrors.translate("db:5432", new SQLException("what it says", state));
  }

  @Test
  void isolation_isTheConnectionsFaultAndNotTheDatas() {
    assertThat(translated("SL002"))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("what it says")
        .hasMessageContaining("Set the isolation of the connection to READ COMMITTED");
  }

  @Test
  void refusedData_isAnInvalidRequest() {
    assertThat(translated("22P05")).isInstanceOf(InvalidRequestException.class);
    assertThat(translated("23514")).isInstanceOf(InvalidRequestException.class);
  }
}
