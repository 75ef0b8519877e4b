package dev.sluice.bench.explain;

import dev.sluice.StoreUnavailableException;
import dev.sluice.bench.server.Endpoint;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLWarning;

/**
 * Listens to what auto_explain says of every statement a store executes, those inside of functions
 * included. The store works on {@link #dataSource}, whose connections have auto_explain on and send
 * each plan along as a notice; the notices of a statement are read when the store closes it.
 */
final class PlanRecorder {
  private static final List<String> SWITCH_ON =
      List.of(
          "LOAD 'auto_explain'",
          "SET auto_explain.log_min_duration = 0",
          "SET auto_explain.log_analyze = on",
          "SET auto_explain.log_buffers = on",
          "SET auto_explain.log_timing = off",
          "SET auto_explain.log_nested_statements = on",
          "SET auto_explain.log_format = json",
          "SET auto_explain.log_level = notice");
  private static final String PLAN = "plan:";

  private final DataSource source;

  /** Of this thread, while it records: a store's own threads are none of our business. */
  private final ThreadLocal<List<StatementPlan>> recorded = new ThreadLocal<>();

  /** Of other threads, while somebody asks for that. */
  private final AtomicReference<Eavesdropping> eavesdropping = new AtomicReference<>();

  private record Eavesdropping(Predicate<Thread> whose, List<StatementPlan> plans) {}

  PlanRecorder(Endpoint endpoint) {
    PGSimpleDataSource plain = new PGSimpleDataSource();
    plain.setUrl(endpoint.jdbcUrl());
    plain.setUser(endpoint.user());
    plain.setPassword(endpoint.password());
    this.source = proxy(DataSource.class, plain);
  }

  /** Where the store gets its connections. */
  DataSource dataSource() {
    return source;
  }

  /** The plans of all statements that this thread executes meanwhile, in the order they end. */
  List<StatementPlan> record(Runnable work) {
    List<StatementPlan> plans = new ArrayList<>();
    recorded.set(plans);
    try {
      work.run();
      return plans;
    } finally {
      recorded.remove();
    }
  }

  /** The plans of all statements that these threads execute meanwhile, in the order they end. */
  List<StatementPlan> record(Predicate<Thread> whose, Callable<?> work) throws Exception {
    List<StatementPlan> plans = Collections.synchronizedList(new ArrayList<>());
    eavesdropping.set(new Eavesdropping(whose, plans));
    try {
      work.call();
    } finally {
      eavesdropping.set(null);
    }
    return List.copyOf(plans);
  }

  private Optional<List<StatementPlan>> listeners() {
    List<StatementPlan> own = recorded.get();
    Eavesdropping others = eavesdropping.get();
    if (own == null && others != null && others.whose.test(Thread.currentThread())) {
      return Optional.of(others.plans);
    }
    return Optional.ofNullable(own);
  }

  private <T> T proxy(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {type}, new Listener(target)));
  }

  private static void switchOn(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : SWITCH_ON) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      connection.close();
      throw new StoreUnavailableException(
          "Plans are read by auto_explain, which cannot be switched on: %s. Use embedded:, or a superuser."
              .formatted(e.getMessage()),
          e);
    }
  }

  private void collect(Statement statement) throws SQLException {
    Optional<List<StatementPlan>> plans = listeners();
    if (plans.isEmpty() || statement.isClosed()) {
      return;
    }
    for (SQLWarning warning = statement.getWarnings();
        warning != null;
        warning = warning.getNextWarning()) {
      if (warning instanceof PSQLWarning notice && notice.getMessage().contains(PLAN)) {
        String context = notice.getServerErrorMessage().getWhere();
        plans.get().add(StatementPlan.parse(notice.getMessage(), context));
      }
    }
  }

  /** Passes every call on, and listens. */
  private final class Listener implements InvocationHandler {
    private final Object target;

    Listener(Object target) {
      this.target = target;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      if (target instanceof Statement statement && method.getName().equals("close")) {
        collect(statement);
      }
      Object result;
      try {
        result = method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
      if (target instanceof DataSource && result instanceof Connection connection) {
        switchOn(connection);
        return proxy(Connection.class, connection);
      }
      return target instanceof Connection && result instanceof PreparedStatement statement
          ? proxy(PreparedStatement.class, statement)
          : result;
    }
  }
}
