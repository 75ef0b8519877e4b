package dev.sluice.cli;

import java.lang.reflect.Constructor;
import picocli.CommandLine;

/**
 * Makes the subcommands, and gives the root command to those that ask for it in the constructor.
 */
final class CommandFactory implements CommandLine.IFactory {
  private final SluiceCommand root;

  CommandFactory(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (constructor.getParameterCount() == 1
          && constructor.getParameterTypes()[0] == SluiceCommand.class) {
        return type.cast(constructor.newInstance(root));
      }
    }
    return CommandLine.defaultFactory().create(type);
  }
}
