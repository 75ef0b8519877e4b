package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeclarationsTest {
  private static final Group CLASS = Group.of("process");
  private static final Group ANY = CLASS.anyKey();

  private final Declarations declarations = new Declarations(List.of());

  @Test
  void firstNumberOfAKey_isTheFamilys() {
    assertThat(declarations.declare(CLASS.key("a"), 2)).isFalse();
    assertThat(declarations.declare(CLASS.key("a"), 2)).isTrue();
    assertThat(declarations.declare(CLASS.key("b"), 2)).isTrue();

    assertThat(declarations.known().limits()).isEqualTo(Map.of(ANY, 2));
  }

  @Test
  void otherNumberOfAKey_isItsOwn() {
    declarations.declare(CLASS.key("a"), 2);
    assertThat(declarations.declare(CLASS.key("b"), 9)).isFalse();
    assertThat(declarations.declare(CLASS.key("b"), 9)).isTrue();

    assertThat(declarations.known().limits()).isEqualTo(Map.of(ANY, 2, CLASS.key("b"), 9));
  }

  @Test
  void differentNumbersOfOneGroup_lowestCounts() {
    declarations.declare(CLASS, 5);
    assertThat(declarations.declare(CLASS, 3)).isFalse();
    assertThat(declarations.declare(CLASS, 5)).isTrue();

    assertThat(declarations.known().limits()).isEqualTo(Map.of(CLASS, 3));
  }

  @Test
  void tooManyNumbers_lowestHoldsForTheOthers() {
    declarations.declare(CLASS.key("first"), 5_000);
    for (int i = 0; i < Declarations.MOST_OF_THEIR_OWN; i++) {
      declarations.declare(CLASS.key("key-" + i), 1_000 + i);
    }
    assertThat(declarations.declare(CLASS.key("late"), 7)).isFalse();
    assertThat(declarations.declare(CLASS.key("late"), 7)).isTrue();
    assertThat(declarations.declare(CLASS.key("later"), 9)).isTrue();

    assertThat(declarations.known().limits())
        .hasSize(Declarations.MOST_OF_THEIR_OWN + 1)
        .containsEntry(ANY, 7);
  }
}
