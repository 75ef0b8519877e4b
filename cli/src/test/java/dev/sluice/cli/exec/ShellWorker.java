package dev.sluice.cli.exec;

import com.fasterxml.jackson.databind.node.NullNode;
import java.time.Duration;

/**
 * A process that runs one command under a lease which it renews twice a second, as a worker does;
 * to be killed and frozen by tests.
 */
final class ShellWorker {
  private ShellWorker() {}

  public static void main(String[] args) throws Exception {
    Duration lease = Duration.ofMillis(Long.parseLong(args[0]));
    LeasedContext context = new LeasedContext(lease);
    Thread renewer =
        new Thread(
            () -> {
              while (true) {
                try {
                  Thread.sleep(500);
                } catch (InterruptedException e) {
                  return;
                }
                // Like the real one: a lease that has run out is not renewed.
                if (!context.leaseRemaining().isZero()) {
                  context.renew(lease);
                }
              }
            });
    renewer.setDaemon(true);
    renewer.start();
    new ShellHandler(args[1], lease, java.util.Set.of()).handle(NullNode.instance, context);
  }
}
