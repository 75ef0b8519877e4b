/**
 * A media pipeline on Sluice: videos are fetched, merged, transcoded, uploaded and recorded. Begin
 * with {@link dev.sluice.example.media.MediaPipeline}.
 */
package dev.sluice.example.media;
