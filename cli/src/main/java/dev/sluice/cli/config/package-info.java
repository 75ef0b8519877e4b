/**
 * Where settings come from: flags, environment, configuration files; and what may stand in them.
 */
package dev.sluice.cli.config;
