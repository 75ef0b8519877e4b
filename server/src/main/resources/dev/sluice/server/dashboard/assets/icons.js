// Small drawings on a 16 × 16 grid. Each state has its own shape, so that colour is never alone.

import { svg } from './dom.js';

const PATHS = {
  scheduled: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3l2 1.5',
  ready: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  waiting: 'M4.5 2.5h7M4.5 13.5h7M5 2.5c0 3 6 4 6 11M11 2.5c0 3-6 4-6 11',
  running: 'M5 3.2v9.6l7.5-4.8z',
  succeeded: 'M3 8.5l3.2 3.2L13 4.8',
  failed: 'M4 4l8 8M12 4l-8 8',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6',
  pending: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  skipped: 'M3 4l5 4-5 4M8.5 4l5 4-5 4',
  paused: 'M5.5 3.5v9M10.5 3.5v9',
  waiting_signal: 'M8 12.5h.01M5.6 10a3.4 3.4 0 0 1 4.8 0M3.4 7.6a6.5 6.5 0 0 1 9.2 0',
  compensating: 'M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H7',
  held: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  concurrency: 'M3 2v12M13 2v12M5.5 5h5v4h-5zM5 12.5c1-1 2-1 3 0s2 1 3 0',
  jobs: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  why: 'M5.8 6a2.2 2.2 0 1 1 3.4 1.9c-.8.5-1.2.9-1.2 1.8M8 12.6h.01',
  workflows: 'M2.5 6.2h4v3.6h-4zM10 2.5h3.5V6H10zM10 10h3.5v3.5H10zM6.5 8H8V4.2h2M8 8v3.8h2',
  workers: 'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  schedules: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.2V4.5M10.5 2.2V4.5',
  throttles: 'M2.8 11.5a5.5 5.5 0 1 1 10.4 0M8 9.5l2.8-3.4',
  warning: 'M8 2.5L14 13H2zM8 6.5v3M8 11.4h.01',
};

/** A drawing by name; decoration, so the text beside it must say the same. */
export function icon(name) {
  return svg(
    'svg',
    { class: `icon icon-${PATHS[name] ? name : 'pending'}`, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    svg('path', { d: iconPath(name) }),
  );
}

/** The path alone, to be drawn inside another SVG. */
export function iconPath(name) {
  return PATHS[name] ?? PATHS.pending;
}
