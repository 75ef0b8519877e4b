package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A store that fails when a run is ticked, right after what was asked for is on record. */
class LostTickTest {
  private final JobStore store =
      StoreProviders.open("memory:" + UUID.randomUUID(), new StoreSettings("lost", 4));

  private boolean failing = true;

  private Workflows workflows() {
    JobStore view =
        TappedJobStore.of(
            store,
            (method, arguments, call) -> {
              if (failing && method.getName().equals("standings")) {
                throw new StoreUnavailableException("The store does not answer.");
              }
              return call.proceed();
            });
    return new Workflows(view, new ObjectMapper(), SluiceOptions.DEFAULT_MAX_PAYLOAD_BYTES);
  }

  /** Whoever started a run got an exception and no id, and would have started it again. */
  @Test
  void startAndEdit_tickFails_areOnRecord() {
    try (store;
        Workflows workflows = workflows()) {
      UUID run = workflows.start(WorkflowContract.fanOut(3, 2, 2), null);
      assertThat(workflows.get(run).orElseThrow().state()).isEqualTo(RunState.PENDING);
      workflows.setCaps(run, Caps.NONE.maxConcurrentSteps(3));
      assertThat(workflows.get(run).orElseThrow().data().caps().maxConcurrentSteps()).hasValue(3);

      failing = false;
      workflows.tick(run);
      assertThat(workflows.get(run).orElseThrow().steps())
          .allMatch(step -> step.state() == StepState.RUNNING);
    }
  }
}
