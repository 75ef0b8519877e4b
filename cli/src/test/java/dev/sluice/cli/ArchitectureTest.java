package dev.sluice.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Modules point one way, and nobody reaches into another's inside. */
class ArchitectureTest {
  private static final String CORE_API = "dev.sluice";
  private static final String SPI = "dev.sluice.spi..";
  private static final String INTERNAL = "dev.sluice.internal..";
  private static final String POSTGRES = "dev.sluice.postgres..";
  private static final String EMBEDDED = "dev.sluice.embedded..";
  private static final String OBJECT = "dev.sluice.object..";
  private static final String OBJECT_STATE = "dev.sluice.object.state..";
  private static final String WORKFLOW = "dev.sluice.workflow..";
  private static final String WORKFLOW_TICK = "dev.sluice.workflow.tick..";
  private static final String WORKFLOW_INTERNAL = "dev.sluice.workflow.internal..";
  private static final String SCHEDULE = "dev.sluice.schedule..";
  private static final String THROTTLE = "dev.sluice.throttle..";
  private static final String THROTTLE_S3 = "dev.sluice.throttle.s3..";
  private static final String METRICS = "dev.sluice.metrics..";
  private static final String TRACING = "dev.sluice.tracing..";
  private static final String SERVER = "dev.sluice.server..";
  private static final String SERVER_API = "dev.sluice.server";
  private static final String CLI = "dev.sluice.cli..";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.sluice");

  @Test
  void import_everyModule_isThere() {
    assertThat(CLASSES.stream().map(JavaClass::getPackageName))
        .contains(
            "dev.sluice",
            "dev.sluice.spi",
            "dev.sluice.internal",
            "dev.sluice.postgres",
            "dev.sluice.object",
            "dev.sluice.object.state",
            "dev.sluice.embedded",
            "dev.sluice.workflow",
            "dev.sluice.workflow.tick",
            "dev.sluice.schedule",
            "dev.sluice.throttle",
            "dev.sluice.throttle.micrometer",
            "dev.sluice.throttle.s3",
            "dev.sluice.schedule",
            "dev.sluice.metrics",
            "dev.sluice.tracing",
            "dev.sluice.server",
            "dev.sluice.cli");
  }

  @Test
  void core_anything_dependsOnNothingElseOfOurs() {
    noClasses()
        .that()
        .resideInAnyPackage(CORE_API, SPI, INTERNAL)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            POSTGRES, OBJECT, EMBEDDED, WORKFLOW, SCHEDULE, METRICS, TRACING, SERVER, CLI)
        .check(CLASSES);
  }

  /** Throttles are of use to programs that never heard of jobs. */
  @Test
  void throttles_anything_needNothingElseOfOurs() {
    noClasses()
        .that()
        .resideInAPackage(THROTTLE)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            CORE_API, SPI, INTERNAL, POSTGRES, OBJECT, EMBEDDED, WORKFLOW, SCHEDULE, METRICS,
            TRACING, SERVER, CLI)
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage(THROTTLE)
        .and()
        .resideOutsideOfPackage(THROTTLE_S3)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(THROTTLE_S3, "software.amazon..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage(THROTTLE)
        .and()
        .resideOutsideOfPackage("dev.sluice.throttle.micrometer..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.micrometer..")
        .check(CLASSES);
  }

  @Test
  void spi_anything_doesNotKnowTheRuntime() {
    noClasses()
        .that()
        .resideInAPackage(SPI)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNAL)
        .check(CLASSES);
  }

  @Test
  void postgresStore_anything_dependsOnTheSeamAlone() {
    noClasses()
        .that()
        .resideInAPackage(POSTGRES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INTERNAL, OBJECT, EMBEDDED, WORKFLOW, SCHEDULE, METRICS, TRACING, SERVER, CLI)
        .check(CLASSES);
  }

  @Test
  void objectStore_anything_dependsOnTheSeamAlone() {
    noClasses()
        .that()
        .resideInAPackage(OBJECT)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INTERNAL, POSTGRES, EMBEDDED, WORKFLOW, SCHEDULE, METRICS, TRACING, SERVER, CLI)
        .check(CLASSES);
  }

  /** Steps of a commit may run several times, and in a simulation: they have no effect but one. */
  @Test
  void objectStoreState_anything_talksToNobody() {
    noClasses()
        .that()
        .resideInAPackage(OBJECT_STATE)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.object", "java.util.concurrent..", "java.nio.file..")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .check(CLASSES);
  }

  @Test
  void workflow_anything_dependsOnTheSeamAlone() {
    noClasses()
        .that()
        .resideInAPackage(WORKFLOW)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INTERNAL, POSTGRES, OBJECT, EMBEDDED, SCHEDULE, METRICS, TRACING, SERVER, CLI)
        .check(CLASSES);
  }

  /** What a tick decides follows from what it was given, and from nothing else. */
  @Test
  void workflowTick_anything_talksToNobody() {
    noClasses()
        .that()
        .resideInAPackage(WORKFLOW_TICK)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(WORKFLOW_INTERNAL, "java.util.concurrent..", "java.nio.file..")
        .orShould()
        .dependOnClassesThat()
        .haveSimpleNameEndingWith("Store")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .check(CLASSES);
  }

  @Test
  void embeddedPostgres_anything_dependsOnTheSeamAlone() {
    noClasses()
        .that()
        .resideInAPackage(EMBEDDED)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(POSTGRES, OBJECT, WORKFLOW, SCHEDULE, METRICS, TRACING, SERVER, CLI)
        .check(CLASSES);
    // The one exception: the embedded store is opened by whichever store works on a data source.
    noClasses()
        .that()
        .resideInAPackage(EMBEDDED)
        .and()
        .doNotHaveSimpleName("EmbeddedStoreProvider")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNAL)
        .check(CLASSES);
  }

  @Test
  void cli_anything_usesThePublicApiAlone() {
    noClasses()
        .that()
        .resideInAPackage(CLI)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INTERNAL, SPI, POSTGRES, OBJECT, EMBEDDED, WORKFLOW_TICK, WORKFLOW_INTERNAL)
        .check(CLASSES);
    // Of the server what its root package offers; the rest of it is its own.
    noClasses()
        .that()
        .resideInAPackage(CLI)
        .should()
        .dependOnClassesThat(resideInAPackage(SERVER).and(not(resideInAPackage(SERVER_API))))
        .check(CLASSES);
  }

  @Test
  void schedules_anything_dependOnTheSeamAlone() {
    noClasses()
        .that()
        .resideInAPackage(SCHEDULE)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INTERNAL, POSTGRES, OBJECT, EMBEDDED, WORKFLOW, METRICS, TRACING, SERVER, CLI)
        .check(CLASSES);
  }

  /** They hear what everybody can hear, and bring their libraries to nobody else. */
  @Test
  void metricsAndTracing_anything_dependOnTheApiAlone() {
    noClasses()
        .that()
        .resideInAnyPackage(METRICS, TRACING)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(INTERNAL, POSTGRES, OBJECT, EMBEDDED, WORKFLOW, SCHEDULE, SERVER, CLI)
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAnyPackage(CORE_API, SPI, INTERNAL, POSTGRES, OBJECT, EMBEDDED, WORKFLOW, SCHEDULE)
        .and()
        // An adapter beside what it adapts, for those who bring the library.
        .haveNameNotMatching(".*\\.WorkflowMetrics(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "io.opentelemetry..")
        .check(CLASSES);
  }

  @Test
  void server_anything_knowsNoStoreAndNoInside() {
    noClasses()
        .that()
        .resideInAPackage(SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INTERNAL, POSTGRES, OBJECT, EMBEDDED, WORKFLOW_TICK, WORKFLOW_INTERNAL, TRACING, CLI)
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.sluice..")
        .and()
        .resideOutsideOfPackage(SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.javalin..")
        .check(CLASSES);
  }

  /** Configuration files are the command line's: nobody else reads any. */
  @Test
  void library_anything_readsNoConfiguration() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice..")
        .and()
        .resideOutsideOfPackage("dev.sluice.cli.config..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml.jackson.dataformat.toml..")
        .check(CLASSES);
  }

  @Test
  void cli_packages_haveNoCycles() {
    slices().matching("dev.sluice.(cli..)").should().beFreeOfCycles().check(CLASSES);
  }
}
