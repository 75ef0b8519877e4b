/** What was found, and how it is shown: tables, JSON, charts, comparisons. */
package dev.sluice.bench.report;
