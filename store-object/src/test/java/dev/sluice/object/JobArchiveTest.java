package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.object.JobArchive.Box;
import dev.sluice.object.state.ArchivedJob;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.JobRecord;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

class JobArchiveTest {
  private final FaultyS3Server server = new FaultyS3Server();
  private ObjectStore store;

  @BeforeEach
  void open() {
    AwsBasicCredentials keys =
        AwsBasicCredentials.create(TestCredentials.ACCESS_KEY, TestCredentials.SECRET_KEY);
    store =
        ObjectStores.open(
            S3ObjectStore.open(
                server.url(""),
                StaticCredentialsProvider.create(keys),
                S3ObjectStore.DEFAULT_TIMEOUT),
            new RequestMeter());
  }

  @AfterEach
  void close() {
    store.close();
    server.close();
  }

  private static ArchivedJob job() {
    JobRecord record =
        new JobRecord(
            UUID.randomUUID(),
            new JobRecord.Spec(
                "t",
                new JobRecord.Place("default", 0),
                new JobRecord.Timing(1, 1, null),
                JobRecord.Bond.NONE,
                JobRecord.Entry.FREE,
                "{}"),
            JobRecord.Past.NONE);
    return new ArchivedJob(record, JobState.SUCCEEDED, 2, null, null);
  }

  /** The put of an archive failed although it was there: a repeated put met its own first try. */
  @Test
  void put_whoseAnswerIsLost_isKnownByTheObjectThatIsThere() {
    List<ArchivedJob> jobs = List.of(job(), job());
    Box before = Box.of(1, 0, jobs);
    server.next("PUT", S3Fault.ERROR_AFTERWARDS);

    new JobArchive(store).replace(before, jobs.subList(0, 1));

    assertThat(new JobArchive(store).find(jobs.get(0).record().id(), 2)).isPresent();
    assertThat(new JobArchive(store).find(jobs.get(1).record().id(), 2)).isEmpty();
  }

  /**
   * Purged jobs came back when a process wrote the object that another had archived and removed.
   */
  @Test
  void removed_writtenAgainByALateProcess_staysRemoved() {
    List<ArchivedJob> jobs = List.of(job());
    Box first = Box.of(1, 0, jobs);
    JobArchive archive = new JobArchive(store);
    archive.replace(first, List.of());
    store.putIfAbsent(first.key(), ObjectBody.withoutToken(JobDocuments.writeArchive(jobs)));

    assertThat(archive.find(jobs.get(0).record().id(), 2)).isEmpty();
    assertThat(archive.boxes(2)).isEmpty();
    assertThat(archive.sweep(2, 0)).isEmpty();
    assertThat(store.listAll("done/")).as("the empty edition stays for a while").hasSize(1);
    assertThat(archive.sweep(2, Long.MAX_VALUE)).isEmpty();
    assertThat(store.listAll("done/")).isEmpty();
  }
}
