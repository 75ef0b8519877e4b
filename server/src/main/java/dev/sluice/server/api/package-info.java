/** The routes of the API, in a table from which the server and its OpenAPI document are made. */
package dev.sluice.server.api;
