package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.FailingObjectStore.Failure;
import dev.sluice.object.RequestReport.Usage;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InstrumentedObjectStoreTest {
  private final RequestMeter meter = new RequestMeter();

  @Test
  void requests_areCountedByKind_withBytesAndPrice() {
    try (ObjectStore store = counting(MemoryObjectStore.open(UUID.randomUUID().toString()))) {
      store.putIfAbsent("a", Bodies.plain("12345"));
      store.putIfAbsent("a", Bodies.plain("123"));
      store.get("a");
      store.get("absent");
      store.listAll("");
      store.delete("a");
      store.deleteAll(IntStream.range(0, 1_001).mapToObj(Integer::toString).toList());
      store.deleteAll(List.of());
    }

    RequestReport report = meter.report();
    assertThat(report.of(RequestKind.PUT)).isEqualTo(new Usage(2, 1, 0, 8, 0));
    assertThat(report.of(RequestKind.GET)).isEqualTo(new Usage(2, 0, 0, 0, 5));
    assertThat(report.of(RequestKind.LIST)).isEqualTo(new Usage(1, 0, 0, 0, 0));
    assertThat(report.of(RequestKind.DELETE)).isEqualTo(new Usage(3, 0, 0, 0, 0));
    assertThat(report.requests()).isEqualTo(8);
    assertThat(report.dollars()).isEqualTo((3 * 5.00 + 2 * 0.40) / 1e6, within(1e-12));
  }

  @Test
  void failedRequests_areCountedToo() {
    try (ObjectStore store =
        counting(
            FailingObjectStore.scripted(
                MemoryObjectStore.open(UUID.randomUUID().toString()),
                Failure.LOSE_REQUEST,
                Failure.LOSE_REPLY))) {
      assertThatThrownBy(() -> store.putIfAbsent("a", Bodies.plain("123")))
          .isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> store.get("a")).isInstanceOf(StoreUnavailableException.class);
    }

    assertThat(meter.report().of(RequestKind.PUT)).isEqualTo(new Usage(1, 0, 1, 3, 0));
    assertThat(meter.report().of(RequestKind.GET)).isEqualTo(new Usage(1, 0, 1, 0, 0));
  }

  @Test
  void since_anEarlierReport_isTheDifference() {
    try (ObjectStore store = counting(MemoryObjectStore.open(UUID.randomUUID().toString()))) {
      store.get("a");
      RequestReport earlier = meter.report();
      store.get("a");
      store.listAll("");

      assertThat(meter.report().since(earlier).requests()).isEqualTo(2);
    }
  }

  private ObjectStore counting(ObjectStore store) {
    return new InstrumentedObjectStore(store, meter);
  }
}
