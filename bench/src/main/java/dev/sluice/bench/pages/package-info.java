/** Times what the dashboard asks for, on a system with a great many jobs and groups. */
package dev.sluice.bench.pages;
