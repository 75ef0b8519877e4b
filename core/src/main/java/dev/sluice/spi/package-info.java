/** What the author of a store implements, and the parameter records that cross that seam. */
package dev.sluice.spi;
