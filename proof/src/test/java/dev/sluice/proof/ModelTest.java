package dev.sluice.proof;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tlc2.TLC;

/**
 * TLC looks at every state that the models can get into. The design has to keep every invariant;
 * each mutant, which is the design with one thing left out or done wrong, has to break the one that
 * is there to notice.
 */
class ModelTest {

  private static final Pattern STATES =
      Pattern.compile("(\\d+) states generated, (\\d+) distinct states found, 0 states left");

  private static final String DESIGN = "none";

  @TempDir static Path directory;

  @TestFactory
  Stream<DynamicTest> claimsInColdGroups() {
    String[] invariants = {
      "LimitHolds",
      "OneOwner",
      "AtMostN",
      "AllOrNothing",
      "OnlyClaimedJobsName",
      "NoDeadlock",
      "NoneForgotten"
    };
    return Stream.of(
        holds(
            "three jobs, some come back", cold().jobs(3, 0, 0).with("Retries", "TRUE"), invariants),
        holds(
            "two slots, jobs behind jobs",
            cold().jobs(3, 0, 0).with("N", 2).with("Depth", 2),
            invariants),
        holds("a job in two groups", cold().jobs(1, 0, 1), invariants),
        holds("groups that share a latch", cold().jobs(1, 0, 1).with("Shared", "TRUE"), invariants),
        holds(
            "groups that share a latch, and a permit",
            cold().jobs(1, 1, 0).permits(1).with("Shared", "TRUE"),
            invariants),
        holds(
            "a permit and a death",
            cold().permits(1).with("Depth", 2).with("Crashes", 1),
            invariants),
        holds(
            "a death, and jobs that come back",
            cold().with("Depth", 2).with("Crashes", 1).with("Retries", "TRUE"),
            invariants),
        holds("three workers", cold().workers(3), invariants),
        breaks("OneOwner", "look by a snapshot from before the latch", cold()),
        breaks("LimitHolds", "look by a snapshot from before the latch", cold()),
        breaks("LimitHolds", "the latch is not taken", cold()),
        breaks("LimitHolds", "the latch is shared", cold()),
        breaks("LimitHolds", "a number named before is named again without a look", cold()),
        breaks("LimitHolds", "the worker runs two jobs in a slot", cold().with("Depth", 2)),
        breaks(
            "LimitHolds",
            "claims and permits go by different latches",
            cold().jobs(1, 0, 1).permits(1)),
        breaks(
            "OneOwner",
            "a group with a job of the worker is the worker's own",
            cold().jobs(3, 0, 0).with("N", 2)),
        breaks("AllOrNothing", "a job is claimed with some of its slots", cold().jobs(1, 0, 1)),
        breaks("NoneForgotten", "set aside without locks", cold()),
        breaks(
            "NoneForgotten", "set aside without locks of permits", cold().jobs(1, 0, 0).permits(1)),
        breaks(
            "NoneForgotten",
            "jobs that are put back count as filling",
            cold().with("Retries", "TRUE")),
        breaks("NoneForgotten", "call back in the statement of the end", cold()),
        breaks("NoneForgotten", "recovery calls no job back", cold().with("Crashes", 1)),
        breaks("OnlyClaimedJobsName", "recovery leaves names", cold().with("Crashes", 1)),
        breaks("NoDeadlock", "a claim waits for latches", cold().jobs(0, 0, 2)));
  }

  @TestFactory
  Stream<DynamicTest> keysOfAFamily() {
    String[] invariants = {"LimitHolds", "NeverMore", "OneOwner", "AllNamed", "SlotsAreKnown"};
    return Stream.of(
        holds("some keys in use, and some not", keys().with("Retries", "TRUE"), invariants),
        holds("a latch for each key", keys().with("Shared", "FALSE"), invariants),
        holds(
            "a number of its own, that goes",
            keys().with("Family", 2).with("Own", 1).with("Owns", "{0}").with("Versions", 1),
            invariants),
        holds("a first number for one of two keys", first().jobs(1, 1), invariants),
        holds(
            "a first number, and the family's comes and goes",
            first().with("Firsts", "{1, 2}").with("Families", "{0, 1}").with("Versions", 2),
            invariants),
        holds("a first number, and a permit", first().permits(1), invariants),
        holds(
            "a first number, a death, and jobs that come back",
            first().with("Deaths", 1).with("Retries", "TRUE"),
            invariants),
        breaks("OneOwner", "keys of a family are not looked at", keys()),
        breaks("OneOwner", "look before the latches", keys()),
        breaks("OneOwner", "a latch that is not to be had bars nothing", keys()),
        breaks("OneOwner", "a key in use by another worker is decided about as unused", keys()),
        breaks("OneOwner", "the latch is shared though the family has a number", keys()),
        breaks("OneOwner", "the latch is shared though the key has a number", first()),
        breaks(
            "NeverMore", "a key's own number is ignored", keys().with("Family", 2).with("Own", 1)),
        breaks("LimitHolds", "the version is not compared again", first()),
        breaks("AllNamed", "the numbers are not read again", first()),
        breaks("AllNamed", "a first number comes without the latch", first()),
        breaks("SlotsAreKnown", "a first number does not raise the version", first()),
        breaks("AllNamed", "the number of a key with unfinished jobs is forgotten", first()),
        breaks(
            "OneOwner",
            "numbers change while claims are under way",
            first().with("Firsts", "{}").with("Families", "{1}")));
  }

  @TestFactory
  Stream<DynamicTest> limitsThatChange() {
    String[] invariants = {
      "LimitHolds", "NeverMore", "OnRecord", "OneOwner", "NamesFitTheMode", "NoSlotIsLost"
    };
    return Stream.of(
        holds("heat, raise, lower, lift", heat().with("First", 1).with("Versions", 2), invariants),
        holds(
            "a permit, and heat",
            heat().with("First", 1).with("Limits", "{1}").with("Permits", 1),
            invariants),
        holds("a first limit", heat().with("First", 0), invariants),
        holds("a first limit for a key", heat().with("First", 0).with("Keyed", "TRUE"), invariants),
        breaks("NoSlotIsLost", "heat does not raise the version", heat().with("First", 1)),
        breaks("LimitHolds", "heat forgets the slots of running jobs", heat().with("First", 1)),
        breaks("LimitHolds", "a claim does not check the version", heat().with("First", 0)),
        breaks("LimitHolds", "the first limit names nothing", heat().with("First", 0)),
        breaks(
            "LimitHolds",
            "the version is checked before the latch only",
            heat().with("First", 0).with("Keyed", "TRUE")));
  }

  @TestFactory
  Stream<DynamicTest> callsThatAreLate() {
    String[] invariants = {"LimitHolds", "OnRecord", "NothingIsLost"};
    return Stream.of(
        holds("jobs that name the slot", late().with("Hot", "FALSE"), invariants),
        holds("a slot that is lent", late().with("Hot", "TRUE"), invariants),
        holds("a death", late().jobs(1).with("Hot", "TRUE").with("Deaths", 1), invariants),
        breaks("NothingIsLost", "an exchange does not name its epoch", late().with("Hot", "FALSE")),
        breaks(
            "OnRecord",
            "an exchange does not name its epoch",
            late().with("Hot", "TRUE").with("Calls", 4)),
        breaks(
            "OnRecord",
            "a reconcile is carried out late",
            late().workers(1).with("Hot", "FALSE").with("Calls", 5)),
        breaks(
            "NothingIsLost",
            "the row of a dead worker stays",
            late().with("Hot", "FALSE").with("Deaths", 1)));
  }

  private static Model cold() {
    return new Model("cold")
        .workers(2)
        .permits(0)
        .jobs(2, 0, 0)
        .with("N", 1)
        .with("Depth", 1)
        .with("Crashes", 0)
        .with("Retries", "FALSE")
        .with("Shared", "FALSE");
  }

  /** Keys of a family of limit 1. */
  private static Model keys() {
    return new Model("keys")
        .workers(2)
        .permits(0)
        .jobs(2, 1)
        .with("Shared", "TRUE")
        .with("Family", 1)
        .with("Own", 0)
        .with("Firsts", "{}")
        .with("Families", "{}")
        .with("Owns", "{}")
        .with("Versions", 0)
        .with("Deaths", 0)
        .with("Retries", "FALSE");
  }

  /** A key of a family without a limit, to which a submit may give its first. */
  private static Model first() {
    return keys().jobs(2, 0).with("Family", 0).with("Firsts", "{1}").with("Versions", 1);
  }

  private static Model heat() {
    return new Model("heat")
        .workers(2)
        .jobs(2)
        .with("Limits", "{1, 2}")
        .with("Keyed", "FALSE")
        .with("Depth", 2)
        .with("Permits", 0)
        .with("Versions", 1);
  }

  private static Model late() {
    return new Model("late").workers(2).jobs(2).with("Calls", 3).with("Deaths", 0);
  }

  private DynamicTest holds(String name, Model model, String... invariants) {
    return dynamicTest(
        model.name + ": " + name,
        () -> {
          String said = check(model.with("Mutant", quoted(DESIGN)), invariants);
          assertThat(said).contains("Model checking completed. No error has been found.");
          Matcher states = STATES.matcher(said);
          assertThat(states.find()).as(said).isTrue();
          System.out.printf("%s: %s: %s states%n", model.name, name, states.group(2));
        });
  }

  private DynamicTest breaks(String invariant, String mutant, Model model) {
    return dynamicTest(
        model.name + ": " + mutant + " -> " + invariant,
        () ->
            assertThat(check(model.with("Mutant", quoted(mutant)), invariant))
                .contains("Error: Invariant " + invariant + " is violated."));
  }

  /**
   * What TLC says of a model: in a JVM of its own, for it keeps its state in static fields. The
   * first leave the classes that they loaded to the others, which start sooner by a quarter.
   */
  private String check(Model model, String... invariants) throws Exception {
    Path own = Files.createTempDirectory(directory, model.name);
    Path spec = own.resolve(model.name + ".tla");
    try (InputStream in = ModelTest.class.getResourceAsStream(model.name + ".tla")) {
      Files.write(spec, in.readAllBytes());
    }
    assertThat(Files.readString(spec).contains(model.constants.get("Mutant")))
        .as("a mutant that the model knows")
        .isTrue();
    Path config = Files.writeString(own.resolve(model.name + ".cfg"), model.config(invariants));
    Path said = own.resolve("said");
    Path loaded = own.resolve("classes.jsa");
    Path classes = directory.resolve("classes.jsa");
    boolean first = !Files.exists(classes);
    Path tlc = Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx512m", "-Djava.io.tmpdir=" + own));
    command.add(first ? "-XX:ArchiveClassesAtExit=" + loaded : "-XX:SharedArchiveFile=" + classes);
    command.addAll(List.of("-cp", tlc.toString(), TLC.class.getName()));
    // Some behaviours of the models end; where no transactions are to wait in a circle, an
    // invariant says so.
    command.addAll(
        List.of(
            "-deadlock",
            "-nowarning",
            "-workers",
            "1",
            "-metadir",
            own.resolve("states").toString()));
    command.addAll(List.of("-config", config.toString(), spec.toString()));
    Process process =
        new ProcessBuilder(command)
            .directory(own.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    if (first && Files.exists(loaded)) {
      Files.move(loaded, classes, ATOMIC_MOVE);
    }
    return Files.readString(said, UTF_8);
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  /** A specification, and the constants it is looked at with. */
  private static final class Model {
    final String name;
    final Map<String, String> constants = new LinkedHashMap<>();

    Model(String name) {
      this.name = name;
      with("NoWorker", "NoWorker");
    }

    Model with(String constant, Object value) {
      constants.put(constant, value.toString());
      return this;
    }

    Model workers(int count) {
      return with("Workers", some("w", count));
    }

    Model permits(int count) {
      return with("Permits", some("p", count));
    }

    Model jobs(int count) {
      return with("Jobs", some("j", count));
    }

    Model jobs(int ofTheFirst, int ofTheSecond) {
      return with("A", some("a", ofTheFirst)).with("B", some("b", ofTheSecond));
    }

    Model jobs(int ofTheFirst, int ofTheSecond, int ofBoth) {
      return jobs(ofTheFirst, ofTheSecond).with("AB", some("ab", ofBoth));
    }

    String config(String... invariants) {
      return constants.entrySet().stream()
          .map(c -> "CONSTANT " + c.getKey() + " = " + c.getValue())
          .collect(
              Collectors.joining(
                  "\n",
                  "SPECIFICATION Spec\nSYMMETRY Symmetry\n",
                  "\nINVARIANTS " + String.join(" ", invariants) + "\n"));
    }

    private static String some(String letter, int count) {
      return IntStream.range(0, count)
          .mapToObj(i -> letter + i)
          .collect(Collectors.joining(", ", "{", "}"));
    }
  }
}
