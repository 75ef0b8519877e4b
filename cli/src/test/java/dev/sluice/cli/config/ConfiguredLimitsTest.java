package dev.sluice.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of files, in a store. */
class ConfiguredLimitsTest {
  private static final Group GROUP = Group.of("call_external_api");

  @TempDir private Path directory;
  private final Sluice sluice = Sluice.open("memory:");

  @AfterEach
  void close() {
    sluice.close();
  }

  private List<String> apply(String name, String toml) throws IOException {
    Path file = Files.writeString(directory.resolve(name), "[concurrency.limits]\n" + toml);
    return new ConfiguredLimits(sluice.concurrency()).apply(ConfigurationLoader.loadAlone(file));
  }

  private OptionalInt limit() {
    return sluice.concurrency().status(GROUP).limit();
  }

  @Test
  void apply_newLimit_setsItInTheNameOfTheFile() throws IOException {
    assertThat(apply("a.toml", "call_external_api = 10")).singleElement().asString().contains("10");
    assertThat(limit()).hasValue(10);
    LimitChange change = sluice.concurrency().changes(Optional.of(GROUP), 1).get(0);
    assertThat(change.level()).isEqualTo(LimitLevel.CONFIG);
    assertThat(change.by()).isEqualTo("file " + directory.resolve("a.toml"));
  }

  @Test
  void apply_again_changesNothing() throws IOException {
    apply("a.toml", "call_external_api = 10");
    assertThat(apply("a.toml", "call_external_api = 10")).isEmpty();
    assertThat(sluice.concurrency().changes(Optional.empty(), 10)).hasSize(1);
  }

  @Test
  void apply_limitWithAPointer_putsBothOnRecordOnce() throws IOException {
    Group family = Group.of("print").anyValueOf("tenant");
    String toml = "\"print/tenant=*\" = { limit = 2, pointer = \"%s\" }";
    assertThat(apply("a.toml", toml.formatted("/tenant")))
        .singleElement()
        .asString()
        .contains("'print/tenant=*' is 2 by the pointer /tenant");
    assertThat(sluice.concurrency().pointers()).containsEntry(family, "/tenant");
    assertThat(sluice.concurrency().status(family).limit()).hasValue(2);
    assertThat(apply("a.toml", toml.formatted("/tenant"))).isEmpty();

    assertThat(apply("a.toml", toml.formatted("/customer"))).hasSize(1);
    assertThat(sluice.concurrency().pointers()).containsEntry(family, "/customer");
  }

  @Test
  void apply_limitGoneFromTheFile_removesIt() throws IOException {
    apply("a.toml", "call_external_api = 10");
    assertThat(apply("a.toml", "")).singleElement().asString().contains("is gone");
    assertThat(limit()).isEmpty();
    assertThat(apply("a.toml", "")).isEmpty();
  }

  @Test
  void apply_limitGoneAfterAThousandOtherChanges_removesItStill() throws IOException {
    apply("a.toml", "call_external_api = 10");
    for (int i = 0; i < 1_100; i++) {
      sluice.concurrency().setLimit("another", i);
    }
    assertThat(apply("a.toml", "call_external_api = 10")).isEmpty();
    assertThat(apply("a.toml", "")).singleElement().asString().contains("is gone");
    assertThat(limit()).isEmpty();
  }

  @Test
  void apply_limitOfAnotherFile_staysAsItIs() throws IOException {
    apply("a.toml", "call_external_api = 10");
    assertThat(apply("b.toml", "")).isEmpty();
    assertThat(limit()).hasValue(10);
    apply("b.toml", "call_external_api = 20");
    assertThat(apply("a.toml", "")).as("the other file has it now").isEmpty();
    assertThat(limit()).hasValue(20);
  }

  @Test
  void apply_operatorsLimit_staysAboveIt() throws IOException {
    sluice.concurrency().setLimit(GROUP, 3);
    apply("a.toml", "call_external_api = 10");
    assertThat(limit()).hasValue(3);
    assertThat(apply("a.toml", "call_external_api = 10")).isEmpty();
    sluice.concurrency().removeLimit(GROUP);
    assertThat(limit()).hasValue(10);
  }
}
