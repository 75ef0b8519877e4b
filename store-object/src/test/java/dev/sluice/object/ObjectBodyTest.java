package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ObjectBodyTest {
  private static final String TOKEN = "0123456789abcdef";

  @Test
  void tokenThatIsNotInTheBytes_isRefused() {
    assertThatThrownBy(() -> ObjectBody.withToken(bytes("{}"), TOKEN))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tokenThatIsShort_isRefused() {
    assertThatThrownBy(() -> ObjectBody.withToken(bytes("short"), "short"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16");
  }

  @Test
  void object_isRecognisedByAllItsBytes() {
    ObjectBody body = ObjectBody.withToken(bytes("{" + TOKEN + "}"), TOKEN);

    assertThat(body.isIn(object("{" + TOKEN + "}"))).isTrue();
    assertThat(body.isIn(object("{" + TOKEN + ", and more}"))).isFalse();
  }

  @Test
  void bodyWithoutToken_isNeverRecognised() {
    assertThat(ObjectBody.withoutToken(bytes("x")).isIn(object("x"))).isFalse();
  }

  private static StoredObject object(String text) {
    return new StoredObject(bytes(text), "tag", Instant.EPOCH, Instant.EPOCH);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
