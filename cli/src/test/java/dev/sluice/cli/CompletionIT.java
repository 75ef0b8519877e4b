package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Completion scripts in real shells. */
class CompletionIT {
  @TempDir private Path directory;

  private Path script(String shell) throws Exception {
    return Files.writeString(
        directory.resolve("sluice." + shell), Run.of("completion", shell).out());
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out;
  }

  @Test
  void bash_sourced_completesCommandsAndOptions() throws Exception {
    String complete =
        """
        source %s
        complete -p sluice >/dev/null || exit 1
        COMP_WORDS=(sluice con); COMP_CWORD=1; _complete_sluice; echo "${COMPREPLY[@]}"
        COMP_WORDS=(sluice jobs list --st); COMP_CWORD=3; _complete_sluice; echo "${COMPREPLY[@]}"
        COMP_WORDS=(sluice completion ''); COMP_CWORD=2; _complete_sluice; echo "${COMPREPLY[@]}"
        """
            .formatted(script("bash"));
    assertThat(run("bash", "-c", complete))
        .contains("concurrency", "config", "--state", "--store", "bash zsh fish");
  }

  @Test
  void zsh_autoloaded_definesTheCompletion() throws Exception {
    String complete =
        """
        autoload -Uz compinit && compinit -u -d %s/dump
        source %s
        print -r -- ${_comps[sluice]}
        """
            .formatted(directory, script("zsh"));
    assertThat(run("zsh", "-f", "-c", complete)).contains("sluice");
  }

  @Test
  void fish_sourced_completesCommandsAndOptions() throws Exception {
    Path script = script("fish");
    assertThat(run("fish", "-N", "-c", "source " + script + "; complete -C 'sluice con'"))
        .contains("concurrency", "config");
    assertThat(
            run("fish", "-N", "-c", "source " + script + "; complete -C 'sluice jobs list --st'"))
        .contains("--state", "--store");
  }
}
