package dev.sluice.cli;

import dev.sluice.AuditReport;
import dev.sluice.ConcurrencyLimits;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.InvalidRequestException;
import dev.sluice.SlotInfo;
import dev.sluice.Sluice;
import dev.sluice.UnusedGroup;
import dev.sluice.cli.text.Printable;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the groups, their limits and slots; sets limits; takes slots away by force. */
@Command(
    name = "concurrency",
    description = "Show and set concurrency limits, and free their slots.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = ConcurrencyCommand.Set.class,
    footer = {
      "Examples:",
      "  sluice concurrency status",
      "  sluice concurrency status --search tenant=acme",
      "  sluice concurrency status send_email/tenant=acme",
      "  sluice concurrency log send_email",
      "  sluice concurrency set send_email --limit 5      holds at once, on every worker",
      "  sluice concurrency set 'send_email/tenant=*' --limit 2",
      "  sluice concurrency set 'send_email/tenant=*' --limit 2 --pointer /tenant",
      "  sluice concurrency set send_email --remove",
      "  sluice concurrency release send_email 3 --force",
      "",
      "A group is written as it is printed: TASK, TASK/KEY or TASK/DIMENSION=VALUE, with / = %% *"
          + " inside a part as %%2F %%3D %%25 %%2A. TASK/* and TASK/DIMENSION=* stand for each of theirs."
    })
final class ConcurrencyCommand implements Runnable {
  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  ConcurrencyCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "'sluice concurrency' needs a command.");
  }

  @Command(
      name = "status",
      description = "Show the busiest groups, or one group with the holders of its slots.")
  void status(
      @Parameters(paramLabel = "GROUP", arity = "0..1") Group group,
      @Option(names = "--all", description = "Every group, by name.") boolean all,
      @Option(
              names = "--search",
              paramLabel = "TEXT",
              defaultValue = "",
              description = "Only groups with this in their name.")
          String search,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "How many of the busiest, 1 to 1000. Default: 50")
          int limit) {
    if (group != null && (all || !search.isEmpty())) {
      throw new InvalidRequestException(
          "'%s' is one group; --all and --search are for lists. Leave one of them out."
              .formatted(group));
    }
    GroupQuery.BUSIEST.limit(limit);
    try (Sluice sluice = root.openToRead()) {
      if (group != null) {
        new StatusSheet(root).one(sluice.concurrency().status(group), pointer(sluice, group));
      } else if (all) {
        new GroupsSheet(root).all(sluice.concurrency(), search);
      } else {
        new GroupsSheet(root).busiest(sluice.concurrency(), search, limit);
      }
    }
  }

  /** Where payloads have the values of a dimension, if this is one and a pointer is on record. */
  private static Optional<String> pointer(Sluice sluice, Group group) {
    return group.isDimension()
        ? Optional.ofNullable(sluice.concurrency().pointers().get(group))
        : Optional.empty();
  }

  @Command(
      name = "log",
      description =
          "Show who changed which limit when, newest first: operators and configuration files.")
  void log(
      @Parameters(paramLabel = "GROUP", arity = "0..1") Group group,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "How many. Default: 50")
          int limit) {
    if (limit < 1) {
      throw new InvalidRequestException("--limit is " + limit + "; use 1 or more.");
    }
    try (Sluice sluice = root.openToRead()) {
      new LimitLogSheet(root)
          .print(sluice.concurrency().changes(Optional.ofNullable(group), limit));
    }
  }

  @Command(
      name = "audit",
      description = {
        "Work out from the holders on record who holds what, and compare it with slots and limits.",
        "Workers do so by themselves every now and then. Exit code 1: something was found."
      })
  int audit(@Option(names = "--fix", description = "Repair what can be.") boolean fix) {
    try (Sluice sluice = root.openToRead()) {
      AuditReport report = sluice.concurrency().audit(fix);
      new AuditSheet(root).print(report);
      return report.isClean() ? ExitCode.OK : ExitCode.NEGATIVE;
    }
  }

  @Command(
      name = "release",
      description = {
        "Take a slot away from its holder. The holder is not stopped: until it ends, one more than"
            + " the limit may run. Only for holders that are known to be gone."
      })
  int release(
      @Parameters(paramLabel = "GROUP") Group group,
      @Parameters(paramLabel = "SLOT_ID", description = "As 'concurrency status GROUP' shows it.")
          int slot,
      @Option(names = "--force", description = "Really do it.") boolean force) {
    if (slot < 0) {
      throw new InvalidRequestException(
          "Slot " + slot + " is not possible; slots are numbered from 0.");
    }
    try (Sluice sluice = root.open()) {
      if (!force) {
        Optional<SlotInfo> holder =
            sluice.concurrency().status(group).slots().stream()
                .filter(held -> held.slotId() == slot)
                .findFirst();
        if (holder.isPresent()) {
          root.remark(
              Printable.of(
                  "sluice: Slot %d of group '%s' is held by %s. Nothing was changed: its holder would go on beside the next one. If it is gone for good, add --force."
                      .formatted(slot, group, describe(holder.get()))));
          return ExitCode.NEGATIVE;
        }
        return free(group, slot);
      }
      Optional<SlotInfo> holder = sluice.concurrency().forceRelease(group, slot);
      if (holder.isEmpty()) {
        return free(group, slot);
      }
      root.say(
          Printable.of(
              "Slot %d of group '%s' is free; it was held by %s."
                  .formatted(slot, group, describe(holder.get()))));
      return ExitCode.OK;
    }
  }

  private int free(Group group, int slot) {
    root.remark(
        Printable.of(
            "sluice: Slot %d of group '%s' is not held. See 'sluice concurrency status %s'."
                .formatted(slot, group, group)));
    return ExitCode.NEGATIVE;
  }

  private String describe(SlotInfo slot) {
    return slot.taskId().map(job -> "job " + job).orElse("no job at the moment")
        + slot.workerId().map(worker -> " on worker " + worker).orElse("")
        + ", since "
        + root.times().full(slot.since());
  }

  /** Sets the operator's limit, or takes it away. */
  @Command(
      name = "set",
      description = {
        "Set the limit of a group, above what code and submits say. It holds when the command"
            + " returns: raising wakes the waiting, lowering drains, 0 holds the group."
      })
  static final class Set implements Runnable {
    private final SluiceCommand root;

    @Parameters(paramLabel = "GROUP")
    private Group group;

    @ArgGroup(multiplicity = "1")
    private Change change;

    @Option(
        names = "--pointer",
        paramLabel = "/NAME",
        description = {
          "With --limit of TASK/DIMENSION=*: where the JSON of a payload has the value, as a JSON"
              + " pointer (RFC 6901). Every job is in its group then, from whichever program it comes."
        })
    private String pointer;

    Set(SluiceCommand root) {
      this.root = root;
    }

    /** One of the two. */
    static final class Change {
      @Option(names = "--limit", paramLabel = "N", required = true, description = "The limit.")
      private Integer limit;

      @Option(
          names = "--remove",
          required = true,
          description = "Take the operator's limit away; what code or submits say holds again.")
      private boolean remove;
    }

    @Override
    public void run() {
      if (change.limit != null && change.limit < 0) {
        throw new InvalidRequestException(
            "The limit %d of group '%s' is negative. Use 0 to hold the group, or 1 and more; --remove lifts the limit."
                .formatted(change.limit, group));
      }
      if (pointer != null && change.limit == null) {
        throw new InvalidRequestException(
            "--pointer goes with --limit; without a limit a pointer does nothing. Leave it out.");
      }
      try (Sluice sluice = root.open()) {
        if (change.limit == null) {
          sluice.concurrency().removeLimit(group);
        } else {
          if (pointer == null) {
            sluice.unused(group).map(UnusedGroup::message).ifPresent(root::warn);
          }
          set(sluice.concurrency());
        }
        ConcurrencyStatus status = sluice.concurrency().status(group);
        Optional<String> inForce = pointer(sluice, group);
        if (root.json()) {
          root.sayJson(StatusSheet.asMap(status, inForce));
        } else {
          root.say(
              Printable.of(
                  "Group '%s': %s%s."
                      .formatted(
                          group,
                          StatusSheet.limitInWords(status),
                          inForce.map("; the payload has the value at "::concat).orElse(""))));
        }
      }
    }

    private void set(ConcurrencyLimits limits) {
      if (pointer == null) {
        limits.setLimit(group, change.limit);
      } else {
        limits.setLimit(group, change.limit, pointer);
      }
    }
  }
}
