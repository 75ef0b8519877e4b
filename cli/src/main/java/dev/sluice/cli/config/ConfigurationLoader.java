package dev.sluice.cli.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Puts a configuration together from everything around a process. Used once. */
public final class ConfigurationLoader {
  private static final String PROFILE = "SLUICE_PROFILE";
  private static final String CONFIG = "SLUICE_CONFIG";

  private static final Pattern SERVICE_LINK =
      Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\\d+_(TCP|UDP|SCTP)(_.*)?)");
  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://[\\w.:\\[\\]]+");

  private final Surroundings surroundings;
  private final ConfigRequest request;
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> ignored = new ArrayList<>();
  private final List<Path> files = new ArrayList<>();

  private ConfigurationLoader(Surroundings surroundings, ConfigRequest request) {
    this.surroundings = surroundings;
    this.request = request;
  }

  /** Reads everything; what is wrong is among {@link Configuration#problems}. */
  public static Configuration load(Surroundings surroundings, ConfigRequest request) {
    return new ConfigurationLoader(surroundings, request).load();
  }

  /** Reads one file by itself, with no environment and no other file beside it. */
  public static Configuration loadAlone(Path file) {
    Surroundings nothing = new Surroundings(Map.of(), file.toAbsolutePath().getRoot(), file);
    ConfigRequest request = new ConfigRequest(Optional.of(file), Optional.empty(), Map.of());
    return new ConfigurationLoader(nothing, request).load();
  }

  private Configuration load() {
    List<Layer> layers = new ArrayList<>();
    layers.add(flags());
    layers.add(environment());
    List<Layer> bases = new ArrayList<>();
    Map<String, List<Layer>> profiles = new LinkedHashMap<>();
    projectFile().ifPresent(file -> read(file, "project", bases, profiles));
    Path user = ConfigLocations.user(surroundings);
    if (Files.isRegularFile(user) && !files.contains(user)) {
      read(user, "user", bases, profiles);
    }
    layers.addAll(chosen(profiles));
    layers.addAll(bases);
    return new Configuration(layers, files, problems, warnings, ignored);
  }

  private Optional<Path> projectFile() {
    Optional<Path> named = request.file().or(() -> variable(CONFIG).map(Path::of));
    return named.isPresent()
        ? named.map(file -> surroundings.directory().resolve(file).normalize())
        : ConfigLocations.project(surroundings, ignored::add);
  }

  private Layer flags() {
    Layer layer = new Layer("flag", Optional.empty());
    request
        .flags()
        .forEach(
            (setting, value) ->
                layer.values().put(setting, new Layer.Given(value, setting.flag())));
    return layer;
  }

  private Layer environment() {
    Layer layer = new Layer("environment", Optional.empty());
    Set<String> known = new LinkedHashSet<>(List.of(PROFILE, CONFIG));
    for (Setting<?> setting : Settings.all()) {
      known.addAll(setting.variables());
      setting.variables().stream()
          .filter(name -> variable(name).isPresent())
          .findFirst()
          .ifPresent(name -> fromVariable(setting, name, layer));
    }
    // Other programs and the handlers of a worker have variables with our prefix too: a remark.
    surroundings.environment().keySet().stream()
        .filter(name -> name.matches("SLUICE_(STORE|WORKER|SERVER|CONCURRENCY)_.*"))
        .filter(name -> !known.contains(name))
        .filter(name -> !isServiceLink(name, surroundings.environment().get(name)))
        .sorted()
        .forEach(
            name ->
                warnings.add(
                    "The environment variable %s sets nothing.%s"
                        .formatted(name, LayerReader.hint(name, known))));
    return layer;
  }

  /** Kubernetes tells each pod of each service: of one named sluice-server, in our words. */
  private static boolean isServiceLink(String name, String value) {
    return SERVICE_LINK.matcher(name).matches()
        || name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches();
  }

  private <T> void fromVariable(Setting<T> setting, String name, Layer layer) {
    String text = variable(name).orElseThrow();
    if (isServiceLink(name, text)) {
      warnings.add(
          "The environment variable %s is '%s', which Kubernetes sets for a service of that name; it is not heard. Set enableServiceLinks: false on the pod, or rename the service."
              .formatted(name, text));
      return;
    }
    Optional<T> value = setting.type().parse(text);
    if (value.isPresent()) {
      layer.values().put(setting, new Layer.Given(value.get(), name));
    } else {
      problems.add(
          new Problem(
              name,
              "The value of '%s' is %s; use %s."
                  .formatted(setting.key(), setting.shownBad(text), setting.type().allowed()),
              setting.table()));
    }
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(surroundings.environment().get(name)).filter(v -> !v.isBlank());
  }

  private void read(Path path, String kind, List<Layer> bases, Map<String, List<Layer>> profiles) {
    LayerReader reader = new LayerReader(ConfigFile.read(path, problems::add), problems::add);
    Layer base = reader.base(kind);
    Map<String, Layer> named = reader.profiles();
    bases.add(base);
    named.forEach((name, l) -> profiles.computeIfAbsent(name, n -> new ArrayList<>()).add(l));
    files.add(path);
    List<Layer> all = new ArrayList<>(named.values());
    all.add(base);
    if (all.stream().anyMatch(ConfigurationLoader::hasSecrets) && Secrets.isOpenToAll(path)) {
      warnings.add(
          "%s has secrets in it and can be read by everybody; chmod 600 it.".formatted(path));
    }
  }

  private static boolean hasSecrets(Layer layer) {
    return layer.values().entrySet().stream()
        .anyMatch(
            entry ->
                switch (entry.getKey().secrecy()) {
                  case OPEN -> false;
                  case URL -> Secrets.isInUrl(entry.getValue().value().toString());
                  case SECRET -> true;
                });
  }

  private List<Layer> chosen(Map<String, List<Layer>> profiles) {
    Optional<String> wanted = request.profile().or(() -> variable(PROFILE));
    if (wanted.isEmpty()) {
      return List.of();
    }
    List<Layer> layers = profiles.get(wanted.get());
    if (layers != null) {
      return layers;
    }
    String hint = LayerReader.hint(wanted.get(), profiles.keySet());
    String known =
        profiles.isEmpty()
            ? " No file has a [profiles.NAME]."
            : " Profiles: " + String.join(", ", profiles.keySet()) + ".";
    problems.add(
        new Problem(
            request.profile().isPresent() ? "--profile" : PROFILE,
            "There is no profile '%s'.%s".formatted(wanted.get(), hint.isEmpty() ? known : hint)));
    return List.of();
  }
}
