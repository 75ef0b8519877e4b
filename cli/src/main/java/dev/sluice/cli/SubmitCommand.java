package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.OnLimit;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.cli.text.Printable;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Submits jobs and, if asked to, waits for them. */
@Command(
    name = "submit",
    description = "Submit jobs of a task; prints their ids, one a line.",
    footer = {
      "Examples:",
      "  sluice submit send_email --payload '{\"to\": \"someone@example.org\"}'",
      "  sluice submit resize --payload @job.json --count 100 --wait",
      "  sluice submit report --key db-7 --limit 1        at most one for db-7 at once",
      "  sluice submit invoice --per tenant=acme          counts in the task's limit per tenant",
      "  sluice submit import --group heavy --limit 5 --on-limit reject"
    })
final class SubmitCommand implements Callable<Integer> {
  private static final int BATCH = 1_000;

  private final SluiceCommand root;

  @Parameters(paramLabel = "TASK", description = "The task's name.")
  private String task;

  @Option(
      names = "--payload",
      paramLabel = "JSON|@FILE|-",
      description = "The payload: JSON, a file, or - for standard input. Default: {}")
  private String payload = "{}";

  @Option(names = "--count", paramLabel = "N", description = "How many equal jobs. Default: 1")
  private int count = 1;

  @Option(names = "--key", description = "The concurrency key: narrows the group to TASK/KEY.")
  private String key;

  @Option(
      names = "--group",
      description = "The concurrency group, as a plain name. Default: the task's own.")
  private String group;

  @Option(
      names = "--per",
      paramLabel = "DIMENSION=VALUE",
      description = {
        "The job's value in a dimension of its task: the group TASK/DIMENSION=VALUE.",
        "May be given several times."
      })
  private List<String> per = List.of();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "The limit of that group, where it has none yet; 0 holds.")
  private Integer limit;

  @Option(names = "--delay", paramLabel = "D", description = "Not before: 500ms, 20s, 2h.")
  private Duration delay = Duration.ZERO;

  @Option(names = "--priority", paramLabel = "P", description = "Higher starts first. Default: 0")
  private int priority;

  @Option(names = "--queue", description = "The queue. Default: default")
  private String queue = SubmitOptions.DEFAULT_QUEUE;

  @Option(names = "--timeout", paramLabel = "D", description = "How long an attempt may run.")
  private Duration timeout;

  @Option(
      names = "--on-limit",
      paramLabel = "wait|reject",
      description = "What to do when the group is full. Default: wait")
  private OnLimit onLimit = OnLimit.WAIT;

  @Option(
      names = "--dedupe-key",
      paramLabel = "KEY",
      description = "At most one unfinished job of the task has this key.")
  private String dedupeKey;

  @Option(
      names = "--wait",
      description = "Wait until every job has finished. Ctrl-C ends the wait, not the jobs.")
  private boolean wait;

  SubmitCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    // Everything is checked before the store is opened: a mistake changes nothing and costs
    // nothing.
    Task.byName(task, Map.of());
    SubmitOptions options = options();
    JsonNode json = Payload.read(payload, System.in);
    if (count < 1) {
      throw new InvalidRequestException("--count is " + count + "; use 1 or more.");
    }
    try (Sluice sluice = root.open()) {
      Task<JsonNode> described = sluice.taskNamed(task);
      Set<UUID> ids = new LinkedHashSet<>();
      int rejected = 0;
      for (int left = count; left > 0; left -= BATCH) {
        List<JsonNode> payloads = Collections.nCopies(Math.min(left, BATCH), json);
        for (Submission submission : sluice.submitAll(described, payloads, o -> options)) {
          report(submission);
          if (submission instanceof Submission.Rejected) {
            rejected++;
          } else {
            ids.add(submission.id());
          }
        }
      }
      boolean allSucceeded =
          !wait || ids.isEmpty() || new Following(root, sluice, task).follow(ids);
      return rejected == 0 && allSucceeded ? ExitCode.OK : ExitCode.NEGATIVE;
    }
  }

  private SubmitOptions options() {
    SubmitOptions options =
        SubmitOptions.DEFAULTS.queue(queue).priority(priority).delay(delay).onLimit(onLimit);
    if (key != null) {
      if (key.isBlank()) {
        throw new InvalidRequestException(
            "--key is empty; give it at least one character, or leave the option out.");
      }
      options = options.concurrencyKey(key);
    }
    if (group != null) {
      options = options.concurrencyGroup(group);
    }
    for (String value : per) {
      int equals = value.indexOf('=');
      if (equals < 1 || equals == value.length() - 1) {
        throw new InvalidRequestException(
            "--per is '%s'; write it as DIMENSION=VALUE, for example tenant=acme."
                .formatted(value));
      }
      options = options.per(value.substring(0, equals), value.substring(equals + 1));
    }
    if (limit != null && limit < 0) {
      throw new InvalidRequestException(
          "--limit is %d; use 0 to hold the group, or 1 and more.".formatted(limit));
    } else if (limit != null) {
      options = options.concurrencyLimit(limit);
    }
    if (timeout != null) {
      options = options.timeout(timeout);
    }
    return dedupeKey == null ? options : options.dedupeKey(dedupeKey);
  }

  private void report(Submission submission) {
    if (root.json()) {
      root.sayJson(asMap(submission));
    } else if (submission instanceof Submission.Rejected rejected) {
      root.remark(
          Printable.of(
              "rejected: %s, group '%s' has %d pending or running jobs at a limit of %d"
                  .formatted(
                      Submission.Rejected.REASON,
                      rejected.group(),
                      rejected.count(),
                      rejected.limit())));
    } else {
      root.say(submission.id().toString());
      if (submission instanceof Submission.Duplicate) {
        root.remark("duplicate: the job " + submission.id() + " is there already");
      }
    }
  }

  private static Map<String, Object> asMap(Submission submission) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (submission instanceof Submission.Rejected rejected) {
      map.put("outcome", "rejected");
      map.put("reason", Submission.Rejected.REASON);
      map.put("group", rejected.group().toString());
      map.put("limit", rejected.limit());
      map.put("count", rejected.count());
    } else {
      map.put("outcome", submission.accepted() ? "submitted" : "duplicate");
      map.put("id", submission.id().toString());
    }
    return map;
  }
}
