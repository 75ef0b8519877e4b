/** The worker runtime and everything else that may change without notice. */
package dev.sluice.internal;
