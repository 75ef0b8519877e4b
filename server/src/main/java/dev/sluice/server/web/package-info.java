/** The server underneath: connections, files, and answers to what never became a request. */
package dev.sluice.server.web;
