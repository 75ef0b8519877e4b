package dev.sluice.object;

import dev.sluice.object.state.JobCounts;
import dev.sluice.spi.QueueStore;
import java.util.List;

/** Queues: which are paused is part of the control object. */
final class ObjectQueueStore implements QueueStore {
  private final Committer committer;
  private final ShardReader reader;
  private final LocalWaker waker;

  ObjectQueueStore(Committer committer, Committer.Parts parts) {
    this.committer = committer;
    this.reader = new ShardReader(committer, parts);
    this.waker = parts.waker();
  }

  @Override
  public void pause(String queue) {
    setPaused(queue, true);
  }

  @Override
  public void resume(String queue) {
    setPaused(queue, false);
    waker.wake();
  }

  private void setPaused(String queue, boolean paused) {
    committer.commit(
        draft -> {
          draft.pause(queue, paused);
          return true;
        });
  }

  @Override
  public List<QueueInfo> list() {
    return reader.read(JobCounts::byQueue);
  }
}
