package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContendersTest {
  private final Contenders all = Contenders.all(remark -> {});

  @Test
  void only_names_choosesThemInThatOrder() {
    assertThat(all.only(List.of("bare-sql", "sluice")).names())
        .containsExactly("bare-sql", "sluice");
  }

  @Test
  void only_unknownName_namesThoseThereAre() {
    assertThatThrownBy(() -> all.only(List.of("quartz")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'quartz'")
        .hasMessageContaining("db-scheduler, jobrunr");
  }

  @Test
  void all_peers_tellTheirVersion() {
    assertThat(all.list())
        .filteredOn(contender -> contender.profile().role() == Profile.Role.PEER)
        .hasSize(8)
        .allSatisfy(
            contender ->
                assertThat(contender.profile().settings().get("version")).matches("\\d+\\.\\d+.*"));
  }

  @Test
  void inPath_jarOfALibrary_isTheVersionInItsName() {
    assertThat(LibraryVersion.inPath("/libraries/db-scheduler-16.12.0.jar")).isEqualTo("16.12.0");
    assertThat(LibraryVersion.inPath("/libraries/transact-1.1.0-m6.jar")).isEqualTo("1.1.0-m6");
    assertThat(LibraryVersion.inPath("/core/target/classes/")).isEqualTo("built here");
  }
}
