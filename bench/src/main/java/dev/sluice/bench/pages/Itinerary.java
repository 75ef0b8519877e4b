package dev.sluice.bench.pages;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Every call there is to time: each route that can be read, as a page asks for it, and with what
 * would be hard on a store: rare filters, a search without a hit, the end of a long list, the group
 * with the longest line, the oldest job.
 */
final class Itinerary {
  private static final String API = "/api/v1";
  private static final String NOWHERE = "no-such-thing";

  /** How many pages of a thousand jobs lie before a page that counts as far down. */
  private static final int FAR = 20;

  private final Population population;
  private final Furniture furniture;
  private final Visitor visitor;
  private final List<Call> calls = new ArrayList<>();

  Itinerary(Population population, Furniture furniture, Visitor visitor) {
    this.population = population;
    this.furniture = furniture;
    this.visitor = visitor;
  }

  /**
   * The calls.
   *
   * @throws IllegalStateException if a route of the API's document would not be called
   */
  List<Call> calls() throws InterruptedException {
    List.of("/", "/healthz", "/readyz", "/metrics").forEach(path -> calls.add(Call.plain(path)));
    for (String route :
        List.of(
            "openapi.json",
            "session",
            "overview",
            "alerts",
            "series",
            "queues",
            "workers",
            "schedules",
            "doctor",
            "events")) {
      calls.add(Call.plain(API + "/" + route));
    }
    groups();
    jobs();
    job();
    add("/schedules/{name}", "", "/schedules/" + furniture.schedule());
    add("/schedule", "", "/schedule?name=" + encoded(furniture.schedule()));
    workflows();
    requireComplete();
    return List.copyOf(calls);
  }

  private void groups() throws InterruptedException {
    add("/groups", "busiest", "/groups?order=busiest");
    add("/groups", "busiest, a thousand", "/groups?order=busiest&limit=1000");
    add("/groups", "busiest, search", "/groups?order=busiest&search=t-0000");
    add("/groups", "by name", "/groups?order=name");
    add("/groups", "by name, a thousand", "/groups?order=name&limit=1000");
    add(
        "/groups",
        "by name, near the end",
        "/groups?order=name&cursor=" + farDown("/groups?order=name"));
    add("/groups", "search, few hits", "/groups?order=name&search=00042");
    add("/groups", "search, no hit", "/groups?order=name&search=" + NOWHERE);
    Cast cast = population.cast();
    group("longest line, most slots", Group.of(Cast.RENDER));
    group("held", Cast.HELD);
    group("permits", Group.of("stripe"));
    group("a tenant", cast.tenant(1));
    group("unknown", Group.of(NOWHERE));
    group("family of all tenants", Group.of(Cast.DELIVER).anyValueOf(Cast.TENANT));
    add("/limit-changes", "", "/limit-changes");
    add("/limit-changes", "of a group", "/limit-changes?group=" + encoded(Cast.HELD.toString()));
  }

  private void group(String what, Group group) {
    add("/group", what, "/group?group=" + encoded(group.toString()));
  }

  private void jobs() throws InterruptedException {
    add("/jobs", "newest", "/jobs");
    add("/jobs", "a thousand", "/jobs?limit=1000");
    add("/jobs", "far down", "/jobs?cursor=" + farDown("/jobs"));
    for (String state :
        List.of("scheduled", "ready", "waiting", "running", "succeeded", "failed", "cancelled")) {
      add("/jobs", state, "/jobs?state=" + state);
    }
    add(
        "/jobs",
        "waiting, far down",
        "/jobs?state=waiting&cursor=" + farDown("/jobs?state=waiting"));
    add("/jobs", "of a rare task", "/jobs?task=" + Cast.RARE);
    add("/jobs", "of an unknown task", "/jobs?task=" + NOWHERE);
    add("/jobs", "of a queue", "/jobs?queue=" + Cast.LONELY_QUEUE);
    add("/jobs", "of an unknown queue", "/jobs?queue=" + NOWHERE);
    add("/jobs", "failed, of a task with none", "/jobs?state=failed&task=" + Cast.RARE);
    add("/jobs", "failed, of a task", "/jobs?state=failed&task=" + Cast.CHARGE);
    add("/jobs", "of the largest group", "/jobs?group=" + Cast.RENDER);
    String tenant = encoded(population.cast().tenant(1).toString());
    add("/jobs", "of a tenant", "/jobs?group=" + tenant);
    add("/jobs", "waiting, of a tenant", "/jobs?state=waiting&group=" + tenant);
    add("/jobs", "failed, of a tenant", "/jobs?state=failed&group=" + tenant);
    add("/jobs", "of an unknown group", "/jobs?group=" + NOWHERE);
    add("/jobs", "text, many hits", "/jobs?text=c-00042");
    add("/jobs", "text, no hit", "/jobs?text=" + NOWHERE);
    add("/jobs", "text, no hit, waiting", "/jobs?state=waiting&text=" + NOWHERE);
    add(
        "/jobs",
        "text, no hit, of a task",
        "/jobs?task=%s&text=%s".formatted(Cast.RENDER, NOWHERE));
  }

  private void job() throws InterruptedException {
    look("oldest of all", population.first(Cast.CHARGE));
    look("oldest waiting", population.first(Cast.REPORT));
    look("last in the longest line", population.last(Cast.RENDER));
    look("of a busy tenant", population.last(Cast.DELIVER));
    look("in a queue that is paused", population.last(Cast.NOTIFY));
    look("in a queue without workers", population.last(Cast.IMPORT));
    look("not due", population.last(Cast.ARCHIVE));
    look("running", some("running"));
    look("failed", some("failed"));
  }

  private void look(String what, UUID job) {
    add("/jobs/{id}", what, "/jobs/" + job);
    add("/jobs/{id}/why", what, "/jobs/" + job + "/why");
  }

  private UUID some(String state) throws InterruptedException {
    JsonNode jobs = visitor.get(API + "/jobs?limit=1&state=" + state);
    return UUID.fromString(jobs.path("items").path(0).path("id").asText());
  }

  private void workflows() {
    add("/workflows", "", "/workflows");
    add("/workflows", "running", "/workflows?state=running");
    add("/workflows", "unknown type", "/workflows?type=" + NOWHERE);
    add("/workflows/{id}", "many steps", "/workflows/" + furniture.largestRun());
    add("/workflows/{id}", "few steps", "/workflows/" + furniture.run());
    add(
        "/workflows/{id}/why",
        "",
        "/workflows/%s/why?step=%s".formatted(furniture.largestRun(), Furniture.waitingStep()));
  }

  private void add(String route, String what, String path) {
    calls.add(new Call(API + route, what, API + path));
  }

  /** The cursor of a page that many others come before. */
  private String farDown(String list) throws InterruptedException {
    String at = "";
    String join = list.contains("?") ? "&" : "?";
    for (int page = 0; page < FAR; page++) {
      String next = visitor.get(API + list + join + "limit=1000" + at).path("next").asText();
      if (next.isEmpty()) {
        break;
      }
      at = "&cursor=" + encoded(next);
    }
    return at.replaceFirst("&cursor=", "");
  }

  private void requireComplete() throws InterruptedException {
    Set<String> missing = new TreeSet<>();
    visitor
        .get(API + "/openapi.json")
        .path("paths")
        .properties()
        .forEach(
            path -> {
              if (path.getValue().has("get")) {
                missing.add(path.getKey());
              }
            });
    missing.removeAll(calls.stream().map(Call::route).collect(Collectors.toSet()));
    if (!missing.isEmpty()) {
      throw new IllegalStateException("nobody times these routes: " + missing);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
