/**
 * What a control object says, as an immutable value, and every step from one such value to the
 * next, as pure functions. Nothing here reads a clock, draws a random number or talks to a store.
 */
package dev.sluice.object.state;
