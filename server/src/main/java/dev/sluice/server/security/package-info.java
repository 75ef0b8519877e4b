/** Who may do what: tokens, sessions, and what is refused before anything happens. */
package dev.sluice.server.security;
