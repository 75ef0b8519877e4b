package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReportTableTest {
  @Test
  void report_printsMediansSpreadsVerdictsAndRemarks() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ReportTable(Console.plain(out, OutputStream.nullOutputStream()))
        .print(SampleReport.create());
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            concurrency
            No-op jobs, without a limit and at limit 10.

                                             jobs/s  least…most     claim p99  least…most
            baseline                         43,002  41,250…44,810    1.23 ms  1.10…1.42
            all tasks at limit 10            42,870  39,900…43,700    1.23 ms  1.10…1.42
            measured <once> & never "again"   1,235

                                    ratio  least…most  must    aim
            all tasks vs baseline    0.97  0.96…0.99   ≥ 0.80  ≥ 0.95  excels
            claim time vs baseline   1.21  1.20…1.30   ≤ 1.10  ≤ 1.00  MISSED
            only told                0.50

            * The machine was shared.

            2 × Example Processor 3.0 · 8 GB · Java 17.0.1 · PostgreSQL 16.4
            """);
  }
}
