/**
 * Objects in a bucket, a directory or memory, behind one narrow port: {@link
 * dev.sluice.object.ObjectStore}. What is shared is written only by create and by compare-and-set;
 * retrying and counting are decorators around the port.
 */
package dev.sluice.object;
