package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupTest {
  @Test
  void toString_eachKind_readsAsDocumented() {
    assertThat(Group.of("send_email")).hasToString("send_email");
    assertThat(Group.of("send_email").key("user-1")).hasToString("send_email/user-1");
    assertThat(Group.of("send_email").dimension("tenant", "acme"))
        .hasToString("send_email/tenant=acme");
    assertThat(Group.of("send_email").anyKey()).hasToString("send_email/*");
    assertThat(Group.of("send_email").anyValueOf("tenant")).hasToString("send_email/tenant=*");
  }

  @Test
  void toString_reservedCharactersInParts_areEscaped() {
    assertThat(Group.of("a/b=c%d*")).hasToString("a%2Fb%3Dc%25d%2A");
    assertThat(Group.of("line\nfeed")).hasToString("line%0Afeed");
    assertThat(Group.of("Grüße 漢字 🚀")).hasToString("Grüße 漢字 🚀");
  }

  @Test
  void toString_partsThatWouldCollideUnescaped_differ() {
    List<Group> groups =
        List.of(
            Group.of("a/b"),
            Group.of("a").key("b"),
            Group.of("a%2Fb"),
            Group.of("a").key("b=c"),
            Group.of("a").dimension("b", "c"),
            Group.of("a").key("*"),
            Group.of("a").anyKey(),
            Group.of("a").dimension("b", "*"),
            Group.of("a").anyValueOf("b"));

    assertThat(groups.stream().map(Group::toString).distinct()).hasSameSizeAs(groups);
  }

  @Test
  void toString_randomParts_isInjectiveAndParsesBack() {
    long seed = System.nanoTime();
    System.out.println("GroupTest seed " + seed);
    Random random = new Random(seed);
    Map<String, List<String>> seen = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      List<String> parts = List.of(part(random), part(random), part(random));
      Group group =
          switch (random.nextInt(3)) {
            case 0 -> Group.of(parts.get(0));
            case 1 -> Group.of(parts.get(0)).key(parts.get(1));
            default -> Group.of(parts.get(0)).dimension(parts.get(1), parts.get(2));
          };
      List<String> used = parts.subList(0, 1 + separators(group));
      assertThat(seen.computeIfAbsent(group.toString(), name -> used)).isEqualTo(used);
      assertThat(Group.parse(group.toString())).isEqualTo(group);
      assertThat(group.isFamily()).isFalse();
    }
  }

  private static int separators(Group group) {
    return (int) group.toString().chars().filter(c -> c == '/' || c == '=').count();
  }

  private static String part(Random random) {
    String alphabet = "ab/=%*2F\u0000\t 🚀é";
    int[] characters = alphabet.codePoints().toArray();
    StringBuilder part = new StringBuilder();
    for (int length = 1 + random.nextInt(3); length > 0; length--) {
      part.appendCodePoint(characters[random.nextInt(characters.length)]);
    }
    return part.toString();
  }

  @Test
  void family_ofKeyedGroups_isTheirFamily() {
    Group task = Group.of("task");

    assertThat(task.key("k").family()).contains(task.anyKey());
    assertThat(task.dimension("d", "v").family()).contains(task.anyValueOf("d"));
    assertThat(task.family()).isEmpty();
    assertThat(task.anyKey().family()).isEmpty();
    assertThat(task.anyKey().isFamily()).isTrue();
    assertThat(task.anyValueOf("d").isFamily()).isTrue();
    assertThat(task.dimension("d", "v").plain()).isEqualTo(task);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "/", "a/", "/a", "a/b/c", "a=b", "a*", "*", "a%", "a%2", "a%2f", "a/="})
  void parse_notCanonical_isRefused(String text) {
    assertThatThrownBy(() -> Group.parse(text)).isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void of_tooLongOrEmpty_isRefused() {
    String longest = "x".repeat(Group.MAX_LENGTH);

    assertThat(Group.of(longest)).hasToString(longest);
    assertThatThrownBy(() -> Group.of(longest + "x"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("513");
    assertThatThrownBy(() -> Group.of("%".repeat(200))).hasMessageContaining("600");
    assertThatThrownBy(() -> Group.of("a").key(longest)).hasMessageContaining("514");
    assertThatThrownBy(() -> Group.of("")).hasMessageContaining("empty");
    assertThatThrownBy(() -> Group.of("a").key("")).hasMessageContaining("empty");
  }

  @Test
  void of_halfASurrogatePair_isRefused() {
    assertThatThrownBy(() -> Group.of("a\uD83D")).hasMessageContaining("surrogate");
    assertThatThrownBy(() -> Group.of("\uDE80a")).hasMessageContaining("surrogate");
  }

  @Test
  void key_ofKeyedGroup_isRefused() {
    Group keyed = Group.of("a").key("b");

    assertThatThrownBy(() -> keyed.key("c")).isInstanceOf(InvalidRequestException.class);
  }
}
