package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.PermanentFailure;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  record Mail(String to, Instant at) {}

  private final Json json = new Json(Json.newMapper(), 64);

  @Test
  void writeAndRead_record_comesBackEqual() {
    Mail mail = new Mail("a@b.c", Instant.parse("2030-01-01T00:00:00Z"));

    assertThat(json.read(json.write("payload", mail), Mail.class)).isEqualTo(mail);
  }

  @Test
  void read_unknownProperty_isIgnored() {
    assertThat(json.read("{\"to\":\"x\",\"extra\":1}", Mail.class).to()).isEqualTo("x");
  }

  @Test
  void write_exactlyTheLimit_passes() {
    assertThat(json.write("payload", "x".repeat(62))).hasSize(64);
  }

  @Test
  void write_oneByteTooMuch_namesSizesAndRemedy() {
    assertThatThrownBy(() -> json.write("payload of task 't'", "x".repeat(63)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("payload of task 't'")
        .hasMessageContaining("65 bytes")
        .hasMessageContaining("64")
        .hasMessageContaining("maxPayloadBytes");
  }

  @Test
  void write_limit_countsBytesNotCharacters() {
    assertThatThrownBy(() -> json.write("payload", "é".repeat(32)))
        .hasMessageContaining("66 bytes");
  }

  @Test
  void write_cycle_isRefused() {
    Object[] cycle = new Object[1];
    cycle[0] = cycle;

    assertThatThrownBy(() -> json.write("result", Map.of("a", cycle)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("result");
  }

  @Test
  void read_otherShape_failsForGood() {
    assertThatThrownBy(() -> json.read("[1]", Mail.class))
        .isInstanceOf(PermanentFailure.class)
        .hasMessageContaining(Mail.class.getName());
  }
}
