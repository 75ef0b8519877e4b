package dev.sluice.workflow;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class DirectoryWorkflowIT extends WorkflowContract {
  @TempDir Path directory;

  @Override
  String url() {
    return "file:" + directory;
  }
}
