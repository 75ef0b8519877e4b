package dev.sluice.bench.pages;

import dev.sluice.Sluice;
import dev.sluice.bench.explain.RequestExplainer;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.scenario.Bench;
import dev.sluice.bench.scenario.Progress;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.server.BenchDatabase;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times every call a page makes, on a system with a great many jobs and groups. The first call of
 * each is told by itself: the server has just started and has seen nothing yet. Then all calls are
 * made in turn, again and again.
 */
public final class PagesBenchmark implements Scenario {
  /** How often each call is timed if nobody says. */
  public static final int DEFAULT_RUNS = 20;

  private static final StoreSettings STORE = new StoreSettings("sluice", 4);
  private static final int EXPLAINED = 10;

  private final Size size;
  private final Map<Call, String> plans = new LinkedHashMap<>();

  public PagesBenchmark(Size size) {
    this.size = size;
  }

  @Override
  public String name() {
    return "pages";
  }

  @Override
  public String family() {
    return "pages";
  }

  @Override
  public String summary() {
    return "What the dashboard's pages ask the API for, with %s on PostgreSQL.".formatted(size);
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    Progress progress = bench.progress();
    progress.begin(name(), Population.STEPS + 2 + bench.plan().runs());
    try (BenchDatabase database = bench.server().createDatabase("sluice_bench_pages");
        JobStore store = StoreProviders.open(database.url(), STORE);
        Population population = Population.fill(store, size, progress);
        LiveWorkers workers = new LiveWorkers(database.url())) {
      List<Call> calls = furnish(database, population);
      database.settle();
      List<Visits> visits = new ArrayList<>();
      try (Served served = new Served(Sluice.open(database.url()), database.url())) {
        Visitor visitor = new Visitor(served.address());
        for (Call call : calls) {
          visits.add(new Visits(call, visitor.time(call)));
        }
        progress.step("every call made once");
        again(bench, visitor, visits);
      }
      explain(database, visits);
      progress.step("the slowest explained");
      return new PagesSection(size, visits).section(this);
    } finally {
      progress.end();
    }
  }

  /** The plans of the slowest calls as a page of the documentation; after {@link #run}. */
  public String plansPage(String command) {
    return PlansPage.of(size, plans, command);
  }

  private static List<Call> furnish(BenchDatabase database, Population population)
      throws InterruptedException {
    try (Served served = new Served(Sluice.open(database.url()), database.url())) {
      Visitor visitor = new Visitor(served.address());
      List<Call> calls = new Itinerary(population, new Furniture(visitor), visitor).calls();
      // Once through everything: what Java needs for its classes is no figure of ours.
      for (Call call : calls) {
        visitor.time(call);
      }
      return calls;
    }
  }

  private static void again(Bench bench, Visitor visitor, List<Visits> visits)
      throws InterruptedException {
    for (int round = 1; round <= bench.plan().runs(); round++) {
      for (Visits each : visits) {
        each.add(visitor.time(each.call()));
      }
      bench.progress().step("round %d".formatted(round));
    }
  }

  private void explain(BenchDatabase database, List<Visits> visits) throws InterruptedException {
    RequestExplainer explainer = new RequestExplainer(database.endpoint(), Served::answers);
    try (Served served = new Served(Sluice.open(explainer.dataSource()), database.url())) {
      Visitor visitor = new Visitor(served.address());
      for (Visits slow : Visits.slowest(visits, EXPLAINED)) {
        visitor.time(slow.call());
        plans.put(slow.call(), explainer.explain(() -> visitor.time(slow.call())));
      }
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
