package dev.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccessTokenTest {
  @Test
  void parse_withName_matchesTheSecretAlone() {
    AccessTokens tokens =
        new AccessTokens(List.of(AccessToken.parse("alice=0123456789abcdef", Role.OPERATE)));

    assertThat(tokens.find("0123456789abcdef"))
        .get()
        .extracting(AccessToken::name)
        .isEqualTo("alice");
    assertThat(tokens.find("alice=0123456789abcdef")).isEmpty();
    assertThat(tokens.find("0123456789abcdee")).isEmpty();
    assertThat(tokens.find("")).isEmpty();
  }

  @Test
  void parse_paddedSecretWithName_isWhole() {
    AccessTokens tokens =
        new AccessTokens(List.of(AccessToken.parse("bob=c2VjcmV0c2VjcmV0c2Vj==", Role.READ)));

    assertThat(tokens.find("c2VjcmV0c2VjcmV0c2Vj=="))
        .get()
        .hasToString("bob (read)")
        .extracting(AccessToken::name)
        .isEqualTo("bob");
  }

  @Test
  void parse_nameWithShortOrNoSecret_isNotTakenForASecret() {
    for (String text : List.of("operations-team=x", "operations-team=", "operations-team==")) {
      assertThatThrownBy(() -> AccessToken.parse(text, Role.OPERATE))
          .as(text)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("at least 16")
          .hasMessageNotContaining("operations-team");
    }
  }

  @Test
  void parse_shortOrUnsendable_isRefused() {
    assertThatThrownBy(() -> AccessToken.parse("short", Role.READ))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> AccessToken.parse("0123456789 abcdef", Role.READ))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> AccessToken.parse("0123456789abcdef", Role.OPEN))
        .isInstanceOf(InvalidRequestException.class);
  }
}
