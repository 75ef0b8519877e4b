/** The dashboard in a real browser, on a live system of real processes. */
package dev.sluice.browser;
