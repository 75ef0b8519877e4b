/** Charts as SVG pictures, without any library: what the benchmarks and the examples draw with. */
package dev.sluice.chart;
