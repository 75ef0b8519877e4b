/** Files to and from a bucket, in parts, under the s3 throttle. */
package dev.sluice.throttle.s3;
