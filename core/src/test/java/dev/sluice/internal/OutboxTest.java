package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.InvalidRequestException;
import dev.sluice.internal.Outbox.Parcel;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Succeeded;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private final Outbox outbox = new Outbox();

  private Report add() {
    JobOutcome outcome =
        new JobOutcome(UUID.randomUUID(), 1, new Succeeded(Optional.empty()), Duration.ZERO);
    Report report = new Report(outcome, null, null, false);
    outbox.add(report);
    return report;
  }

  /** The deferred one was sent over and over, and the one that was refused never by itself. */
  @Test
  void takeFirst_oneWasDeferred_goesOnWithTheOthers() {
    Report deferred = add();
    Report refused = add();
    assertThat(outbox.takeFirst().reports()).containsExactly(deferred);
    outbox.defer(deferred);

    assertThat(outbox.takeFirst().reports()).containsExactly(refused);
    Report failure = refused.refusedBy(new InvalidRequestException("too long"));
    outbox.addFirst(failure);
    assertThat(outbox.takeFirst().reports()).containsExactly(failure);

    assertThat(outbox.takeFirst().reports()).isEmpty();
    Parcel rest = outbox.take(Demand.NONE, 0);
    assertThat(rest.reports()).containsExactly(deferred.onceSent());
  }

  /** The ones before those sent by themselves would be counted among them. */
  @Test
  void takeOthers_deferredOnesStayDeferred() {
    Report deferred = add();
    Report gone = add();
    Report first = add();
    Report second = add();
    outbox.takeFirst();
    outbox.defer(deferred);

    assertThat(outbox.takeOthers(Set.of(deferred.id(), first.id(), second.id())))
        .containsExactly(gone);

    assertThat(outbox.takeFirst().reports()).containsExactly(first);
    assertThat(outbox.take(Demand.NONE, 0).reports()).containsExactly(deferred.onceSent(), second);
  }
}
