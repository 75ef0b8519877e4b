/** What every store must do, as tests that name no store: the contract suite and its tools. */
package dev.sluice.tck;
