/** What the API answers, as records that become JSON and schemas alike. */
package dev.sluice.server.view;
