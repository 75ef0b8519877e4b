package dev.sluice.server.api;

import dev.sluice.InvalidRequestException;
import dev.sluice.LimitReachedException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.server.security.AuditLog;
import dev.sluice.server.security.Caller;
import dev.sluice.server.security.Gatekeeper;
import dev.sluice.server.security.Incoming;
import dev.sluice.server.security.Role;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.ProblemView;
import dev.sluice.server.view.ViewJson;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a request to its route: lets it in, checks its parameters, runs it, and writes what it
 * answers or what was wrong. Whatever happens inside, an answer shows no more than a sentence; the
 * rest is in the log under a number that the answer names.
 */
public final class Dispatcher {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

  private final Gatekeeper gatekeeper;
  private final Bodies bodies;

  /** With this gatekeeper, for bodies up to so many bytes. */
  public Dispatcher(Gatekeeper gatekeeper, int mostBytes) {
    this.gatekeeper = gatekeeper;
    bodies = new Bodies(mostBytes);
  }

  /** Answers a request to a route, at once or when its body has come; then calls {@code done}. */
  public void dispatch(Route route, Context context, Runnable done) throws IOException {
    boolean later = false;
    try {
      Optional<Caller> caller = admit(route, context);
      if (caller.isPresent()) {
        later = begin(route, new Call(context, caller.get()), done);
      }
    } finally {
      if (!later) {
        done.run();
      }
    }
  }

  private Optional<Caller> admit(Route route, Context context) throws IOException {
    Incoming request = new JavalinRequest(context);
    Caller caller = Caller.anybody(request.address());
    try {
      caller = gatekeeper.identify(request, route.role());
      gatekeeper.admit(request, caller, route.role(), route.method().isWrite());
      return Optional.of(caller);
    } catch (Problem problem) {
      write(context, problem);
      if (route.method().isWrite() && gatekeeper.isWorthALine(request, problem)) {
        AuditLog.write(caller, route.method() + " " + route.path(), "", problem.status());
      }
      return Optional.empty();
    }
  }

  /** Whether the answer comes later, when the body has come. */
  private boolean begin(Route route, Call call, Runnable done) throws IOException {
    try {
      requireKnown(route, call.context());
      if (route.body() != null) {
        bodies.collect(
            call.context(),
            route.role(),
            (body, failure) -> resume(route, call, body, failure, done));
        return true;
      }
    } catch (Problem problem) {
      finish(route, call, refused(problem));
      return false;
    }
    finish(route, call, route.operation());
    return false;
  }

  private void resume(Route route, Call call, byte[] body, Throwable failure, Runnable done) {
    try {
      call.body(new RequestBody(body));
      finish(route, call, failure == null ? route.operation() : refused(failure));
    } catch (IOException e) {
      log.debug("An answer could not be written.", e);
    } finally {
      done.run();
    }
  }

  private static Operation refused(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return call -> {
      if (cause instanceof Problem problem) {
        throw problem;
      }
      throw new IllegalStateException("A body could not be read", cause);
    };
  }

  private void finish(Route route, Call call, Operation operation) throws IOException {
    int status;
    try {
      Answer answer = operation.run(call);
      status = answer.status();
      write(call.context(), answer);
    } catch (Exception e) {
      Problem problem = problem(e, route.method().isWrite());
      status = problem.status();
      write(call.context(), problem);
    }
    if (route.method().isWrite() && isWorthALine(call.caller(), status)) {
      AuditLog.write(call.caller(), route.method() + " " + route.path(), call.subject(), status);
    }
  }

  /** Anybody can try to log in; what is no more than noise must not fill the log. */
  private static boolean isWorthALine(Caller caller, int status) {
    return caller.role() != Role.OPEN || status < 300 || status == 401;
  }

  private static void requireKnown(Route route, Context context) {
    List<String> known = route.queryNames();
    context
        .queryParamMap()
        .forEach(
            (name, values) -> {
              if (!known.contains(name)) {
                throw Problem.badRequest(
                    known.isEmpty()
                        ? "There is no parameter '%s' here.".formatted(name)
                        : "There is no parameter '%s' here; known are: %s."
                            .formatted(name, String.join(", ", known)));
              }
              values.forEach(value -> requireNoNul(name, value));
            });
    context.pathParamMap().forEach(Dispatcher::requireNoNul);
  }

  private static void requireNoNul(String name, String value) {
    if (value.indexOf(0) >= 0) {
      throw Problem.badRequest("'%s' holds a NUL character.".formatted(name));
    }
  }

  /** What the caller is told about a failure. */
  public static Problem problem(Exception e, boolean write) {
    if (e instanceof Problem problem) {
      return problem;
    } else if (e instanceof InvalidRequestException) {
      return new Problem(write ? 422 : 400, e.getMessage());
    } else if (e instanceof LimitReachedException) {
      return Problem.conflict(e.getMessage());
    } else if (e instanceof StoreUnavailableException || e instanceof StoreIncompatibleException) {
      log.warn("The store did not answer a request.", e);
      return new Problem(503, "The store cannot be reached, or did not answer in time; try again.")
          .header("Retry-After", "5");
    } else if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      return new Problem(503, "The server is stopping.").header("Retry-After", "5");
    }
    String number = UUID.randomUUID().toString().substring(0, 8);
    log.error("A request failed, number {}.", number, e);
    return new Problem(500, "The server failed; its log says why, under " + number + ".");
  }

  private static void write(Context context, Answer answer) throws IOException {
    if (answer.contentType() == null) {
      return;
    }
    context.status(answer.status());
    context.header("Cache-Control", "no-store");
    answer.headers().forEach(context::header);
    if (answer.contentType().isEmpty()) {
      return;
    }
    context.contentType(answer.contentType());
    if (answer.body() instanceof byte[] bytes) {
      context.result(bytes);
    } else if (answer.body() instanceof String text) {
      context.result(text);
    } else {
      context.result(ViewJson.MAPPER.writeValueAsBytes(answer.body()));
    }
  }

  /** Writes a problem. */
  public static void write(Context context, Problem problem) throws IOException {
    context.status(problem.status());
    context.header("Cache-Control", "no-store");
    problem.headers().forEach(context::header);
    context.contentType(ProblemView.CONTENT_TYPE);
    context.result(ViewJson.MAPPER.writeValueAsBytes(problem.view(context.path())));
  }

  /** A problem without more keys, as bytes. */
  public static byte[] bytes(int status, String detail, String instance) {
    try {
      return ViewJson.MAPPER.writeValueAsBytes(Problem.view(status, detail, instance, Map.of()));
    } catch (IOException e) {
      throw new IllegalStateException("A problem could not be written", e);
    }
  }
}
