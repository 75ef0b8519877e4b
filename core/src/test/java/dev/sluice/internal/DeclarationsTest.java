package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.internal.Declarations.Known;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeclarationsTest {
  private static final Group CLASS = Group.of("process");
  private static final Group ANY = CLASS.anyKey();

  private final Declarations declarations = new Declarations(List.of());

  @Test
  void firstNumberOfAKey_isTheFamilys() {
    assertThat(declarations.declare(CLASS.key("a"), 2)).isEqualTo(1);
    assertThat(declarations.declare(CLASS.key("a"), 2)).isEqualTo(1);
    assertThat(declarations.declare(CLASS.key("b"), 2)).isEqualTo(1);

    assertThat(declarations.known()).isEqualTo(new Known(1, Map.of(ANY, 2)));
  }

  @Test
  void otherNumberOfAKey_isItsOwn() {
    declarations.declare(CLASS.key("a"), 2);
    assertThat(declarations.declare(CLASS.key("b"), 9)).isEqualTo(2);
    assertThat(declarations.declare(CLASS.key("b"), 9)).isEqualTo(2);
    assertThat(declarations.declare(CLASS.key("a"), 2)).as("as old as it was").isEqualTo(1);

    assertThat(declarations.known()).isEqualTo(new Known(2, Map.of(ANY, 2, CLASS.key("b"), 9)));
  }

  @Test
  void differentNumbersOfOneGroup_lowestCounts() {
    declarations.declare(CLASS, 5);
    assertThat(declarations.declare(CLASS, 3)).isEqualTo(2);
    assertThat(declarations.declare(CLASS, 5)).isEqualTo(2);

    assertThat(declarations.known()).isEqualTo(new Known(2, Map.of(CLASS, 3)));
  }

  @Test
  void tooManyNumbers_lowestHoldsForTheOthers() {
    declarations.declare(CLASS.key("first"), 5_000);
    for (int i = 0; i < Declarations.MOST_OF_THEIR_OWN; i++) {
      declarations.declare(CLASS.key("key-" + i), 1_000 + i);
    }
    long lowered = Declarations.MOST_OF_THEIR_OWN + 2;
    assertThat(declarations.declare(CLASS.key("late"), 7)).isEqualTo(lowered);
    assertThat(declarations.declare(CLASS.key("late"), 7)).isEqualTo(lowered);
    assertThat(declarations.declare(CLASS.key("later"), 9)).isEqualTo(lowered);

    assertThat(declarations.known().limits())
        .hasSize(Declarations.MOST_OF_THEIR_OWN + 1)
        .containsEntry(ANY, 7);
  }
}
