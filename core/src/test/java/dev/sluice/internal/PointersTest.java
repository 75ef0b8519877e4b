package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.Task;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointersTest {
  private static final Group FAMILY = Group.of("print").anyValueOf("tenant");

  private static List<Group> groups(String pointer, String json) {
    return Pointers.of(Map.of(FAMILY, pointer)).groupsIn(json);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/tenant     | {\"tenant\":\"acme\"}              | acme",
        "/a/b        | {\"a\":{\"b\":\"deep\"}}           | deep",
        "/a~1b       | {\"a/b\":\"slash\"}                | slash",
        "/a~0b       | {\"a~b\":\"tilde\"}                | tilde",
        "/a~01b      | {\"a~1b\":\"both\"}                | both",
        "/list/1     | {\"list\":[\"x\",\"second\"]}      | second",
        "/1          | [\"x\",\"second\"]                 | second",
        "/1          | {\"1\":\"a name\"}                 | a name",
        "/           | {\"\":\"no name\"}                 | no name",
        "/n          | {\"n\":42}                         | 42",
        "/n          | {\"n\":-1.10}                      | -1.10",
        "/n          | {\"n\":123456789012345678901234567890} | 123456789012345678901234567890",
        "/b          | {\"b\":true}                       | true",
        "/b          | {\"b\":false}                      | false",
        "/tenant     | {\"tenant\":\"old\",\"tenant\":\"new\"} | new",
        "/tenant     | {\"tenant\":\"a/b=*\"}             | a/b=*",
      })
  void value_isFoundAsText(String pointer, String json, String value) {
    assertThat(groups(pointer, json)).containsExactly(Group.of("print").dimension("tenant", value));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/tenant | {}",
        "/tenant | {\"tenant\":null}",
        "/tenant | {\"tenant\":\"\"}",
        "/tenant | {\"tenant\":{\"id\":1}}",
        "/tenant | {\"tenant\":[\"acme\"]}",
        "/tenant | \"acme\"",
        "/tenant | null",
        "/a/b    | {\"a\":\"text\"}",
        "/list/2 | {\"list\":[1,2]}",
        "/list/- | {\"list\":[1,2]}",
        "/list/01 | {\"list\":[1,2]}",
      })
  void noValue_isInNoGroup(String pointer, String json) {
    assertThat(groups(pointer, json)).isEmpty();
  }

  @Test
  void valueTooLong_isRefusedLikeAnyOther() {
    String tooLong = "x".repeat(Group.MAX_LENGTH + 1);
    assertThatThrownBy(() -> groups("/tenant", "{\"tenant\":\"" + tooLong + "\"}"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll("value of dimension", "513 characters", "at most 512");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "tenant", "#/tenant", "/a~", "/a~2", "/~~1", "/a\u0000", "/a\ud800"})
  void badPointer_isRefusedAtOnce(String pointer) {
    assertThatThrownBy(
            () -> Task.named("print", String.class).maxConcurrentPer("tenant", pointer, 2))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll("pointer", "print/tenant=*");
  }

  @Test
  void pointerOfWhatIsNoDimension_isRefusedWithTheRemedy() {
    for (Group group : List.of(Group.of("print"), Group.of("print").anyKey(), FAMILY.value("a"))) {
      assertThatThrownBy(() -> Pointers.require(group, "/tenant"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContainingAll("'" + group + "'", "print/tenant=*");
    }
  }

  @Test
  void task_pointersCountAmongItsDimensions() {
    Task.Builder<String> task =
        Task.named("print", String.class)
            .maxConcurrentPer("a", "/a", 1)
            .maxConcurrentPer("b", text -> text, 1)
            .maxConcurrentPer("c", "/c", 1);

    assertThat(task.build().pointers().values()).containsExactly("/a", "/c");
    assertThatThrownBy(() -> task.maxConcurrentPer("d", "/d", 1))
        .hasMessageContainingAll("4 dimensions", "at most 3");
  }

  @Test
  void task_knownByName_declaresNothing() {
    Task<?> task = Task.byName("print", Map.of(FAMILY, "/tenant"));

    assertThat(task.limits()).isEmpty();
    assertThat(task.groupsIn("{\"tenant\":7}")).containsExactly(FAMILY.value("7"));
  }
}
