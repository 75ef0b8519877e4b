/** The HTTP API and the dashboard. */
package dev.sluice.server;
