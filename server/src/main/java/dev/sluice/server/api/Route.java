package dev.sluice.server.api;

import dev.sluice.server.security.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A row of the table of routes.
 *
 * @param method the method
 * @param path the path, with parameters in braces
 * @param role who may call it
 * @param doc what the document says about it
 * @param body what is sent along; null = nothing is
 * @param operation what it does
 */
public record Route(
    Method method, String path, Role role, Doc doc, Class<?> body, Operation operation) {
  private static final Pattern IN_BRACES = Pattern.compile("\\{(\\w+)}");

  /**
   * What the document says.
   *
   * @param tag the heading it stands under
   * @param summary in a line
   * @param parameters of path and query
   * @param replies all but problems
   */
  public record Doc(String tag, String summary, List<Parameter> parameters, List<Reply> replies) {}

  /** The names of its parameters in the query. */
  List<String> queryNames() {
    return doc.parameters.stream()
        .filter(parameter -> parameter.place() == Parameter.Place.QUERY)
        .map(Parameter::name)
        .toList();
  }

  static Builder get(String path) {
    return new Builder(Method.GET, path, Role.READ);
  }

  static Builder post(String path) {
    return new Builder(Method.POST, path, Role.OPERATE);
  }

  static Builder put(String path) {
    return new Builder(Method.PUT, path, Role.OPERATE);
  }

  static Builder delete(String path) {
    return new Builder(Method.DELETE, path, Role.OPERATE);
  }

  /** Puts a route together. */
  static final class Builder {
    private final Method method;
    private final String path;
    private final List<Parameter> parameters = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();
    private Role role;
    private String tag = "";
    private String summary = "";
    private Class<?> body;

    private Builder(Method method, String path, Role role) {
      this.method = method;
      this.path = path;
      this.role = role;
      Matcher matcher = IN_BRACES.matcher(path);
      while (matcher.find()) {
        String name = matcher.group(1);
        parameters.add(
            new Parameter(
                name,
                Parameter.Place.PATH,
                name.equals("id") ? "uuid" : "string",
                true,
                List.of(),
                ""));
      }
    }

    Builder open() {
      role = Role.OPEN;
      return this;
    }

    Builder says(String tag, String summary) {
      this.tag = tag;
      this.summary = summary;
      return this;
    }

    Builder takes(Parameter... some) {
      parameters.addAll(List.of(some));
      return this;
    }

    Builder takesBody(Class<?> type) {
      body = type;
      return this;
    }

    Builder answers(Reply... some) {
      replies.addAll(List.of(some));
      return this;
    }

    Builder answers(Class<?> type, String description) {
      return answers(Reply.json(200, type, description));
    }

    Route run(Operation operation) {
      return new Route(
          method,
          path,
          role,
          new Doc(tag, summary, List.copyOf(parameters), List.copyOf(replies)),
          body,
          Objects.requireNonNull(operation, "operation"));
    }
  }
}
