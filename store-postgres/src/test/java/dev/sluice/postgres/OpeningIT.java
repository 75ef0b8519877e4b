package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Opening the store: the schema, its versions, and servers that cannot be used. */
class OpeningIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  @Test
  void manyProcessesAtOnce_applyEachMigrationOnce() throws Exception {
    ExecutorService openers = Executors.newFixedThreadPool(6);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<?>> opened = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      opened.add(
          openers.submit(
              () -> {
                start.await();
                fixture.open().close();
                return null;
              }));
    }
    start.countDown();
    for (Future<?> each : opened) {
      each.get();
    }
    openers.shutdown();

    assertThat(fixture.number("SELECT count(*) FROM ${schema}.schema_version"))
        .isEqualTo(fixture.number("SELECT max(version) FROM ${schema}.schema_version"))
        .isPositive();
  }

  @Test
  void schemaThatNeedsNewerCode_isRefusedAndLeftAlone() throws Exception {
    fixture.open().close();
    fixture.execute(
        "INSERT INTO ${schema}.schema_version (version, name, oldest_code) VALUES (999, 'from_the_future', 999)");

    assertThatThrownBy(() -> fixture.open())
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining(fixture.namespace())
        .hasMessageContaining("999")
        .hasMessageContaining("Upgrade");
    assertThat(fixture.number("SELECT max(version) FROM ${schema}.schema_version")).isEqualTo(999);
  }

  @Test
  void schemaThatIsNewerButCompatible_isUsed_soThatADeployCanRoll() throws Exception {
    fixture.open().close();
    fixture.execute(
        "INSERT INTO ${schema}.schema_version (version, name, oldest_code) VALUES (999, 'adds_an_index', 1)");

    try (Sluice sluice = fixture.open()) {
      assertThat(sluice.jobs().counts()).isNotEmpty();
    }
  }

  @Test
  void unreachableServer_isNamedInTheMessage() throws Exception {
    int nobodyListens;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobodyListens = socket.getLocalPort();
    }

    assertThatThrownBy(
            () -> Sluice.open("postgresql://someone:secret@127.0.0.1:" + nobodyListens + "/app"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("127.0.0.1:" + nobodyListens)
        .hasMessageNotContaining("secret");
  }

  @Test
  void wrongPassword_saysSoWithoutShowingIt() {
    String wrong = SERVER.url().replaceFirst("//[^@]*@", "//stranger:wr0ng-s3cret@");

    assertThatThrownBy(() -> Sluice.open(wrong))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("password")
        .hasMessageNotContaining("wr0ng-s3cret");
  }

  @Test
  void missingDatabase_isNamed() {
    String missing = SERVER.url().replaceFirst("/[^/?]+(\\?|$)", "/no_such_database$1");

    assertThatThrownBy(() -> Sluice.open(missing))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("no_such_database");
  }

  @Test
  void unknownUrl_listsTheKnownForms() {
    assertThatThrownBy(() -> Sluice.open("mongodb://user:secret@host/db"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("postgresql://")
        .hasMessageContaining("embedded:")
        .hasMessageNotContaining("secret");
  }

  @Test
  void schemaNameThatCouldBreakSql_isRefused() {
    assertThatThrownBy(() -> SluiceOptions.url("embedded:").schema("x; DROP TABLE y"))
        .isInstanceOf(InvalidRequestException.class);
  }
}
