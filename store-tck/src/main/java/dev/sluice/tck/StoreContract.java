package dev.sluice.tck;

import org.junit.jupiter.api.Nested;

/**
 * What every store must do. A store's integration test extends this class and says how the store is
 * opened; every topic then runs against it.
 */
public abstract class StoreContract {

  /** A new, empty namespace of the store. */
  protected abstract StoreFixture openFixture();

  @Nested
  class Submitting extends SubmitContract {
    Submitting() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Transactions extends TransactionContract {
    Transactions() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Claiming extends ClaimContract {
    Claiming() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Limits extends LimitContract {
    Limits() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Keys extends KeyContract {
    Keys() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class DeclaredGroups extends DeclaredGroupsContract {
    DeclaredGroups() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Pointers extends PointerContract {
    Pointers() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class SubmitLimits extends SubmitLimitContract {
    SubmitLimits() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    SeveralLimits() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Fairness extends FairnessContract {
    Fairness() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class LimitChanges extends LimitChangeContract {
    LimitChanges() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Leases extends LeaseContract {
    Leases() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Permits extends PermitContract {
    Permits() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Recovery extends RecoveryContract {
    Recovery() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Rejecting extends RejectContract {
    Rejecting() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Retries extends RetryContract {
    Retries() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Outcomes extends OutcomeContract {
    Outcomes() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Cancelling extends CancelContract {
    Cancelling() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Scheduling extends ScheduleContract {
    Scheduling() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class QueuesPaused extends QueueContract {
    QueuesPaused() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Catalog extends CatalogContract {
    Catalog() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Runs extends RunContract {
    Runs() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Workers extends WorkerContract {
    Workers() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Roster extends RosterContract {
    Roster() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Schedules extends ScheduleStoreContract {
    Schedules() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class LimitLog extends LimitLogContract {
    LimitLog() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Summaries extends SummaryContract {
    Summaries() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Audits extends AuditContract {
    Audits() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class PlacesInLine extends PlaceInLineContract {
    PlacesInLine() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Waits extends WaitContract {
    Waits() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Explaining extends WhyContract {
    Explaining() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Bulletins extends BulletinContract {
    Bulletins() {
      super(StoreContract.this::openFixture);
    }
  }

  @Nested
  class Listening extends ListenerContract {
    Listening() {
      super(StoreContract.this::openFixture);
    }
  }
}
