// Charts over time with uPlot: one look for all, in the colours of the theme.

import { h } from './dom.js';
import { duration, rate, count, zone } from './format.js';

const HEIGHT = 168;
const WINDOW_SECONDS = 900;
// What a server shows that has only just started: its first minutes are not lost in an empty quarter of an hour.
const LEAST_WINDOW_SECONDS = 120;
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7];
const UNITS = {
  rate: (value) => `${rate(value)}/s`,
  seconds: (value) => duration(value),
  jobs: (value) => count(value),
};

/**
 * A place for a chart, which stays when the page around it is drawn again.
 *
 * @param options title; unit: rate, seconds, jobs; lines: [{name, field, color (a custom property), dash, area}]
 */
export function chart({ title, unit, lines, test }) {
  const canvas = h('div', { class: 'chart-canvas', keep: true, role: 'img', 'aria-label': title });
  const figure = h(
    'figure',
    { class: 'panel chart', key: `chart-${test}`, data: { test: `chart-${test}` } },
    h('figcaption', { class: 'panel-head' }, h('h2', {}, title), h('span', { class: 'legend' }, lines.map(legend))),
    canvas,
  );
  return figure;
}

function legend({ name, color, dash }) {
  const mark = h('i', { class: dash ? 'dashed' : undefined, style: { color: `var(${color})` }, 'aria-hidden': 'true' });
  return h('span', { class: 'legend-item' }, mark, name, h('b', { data: { legend: name }, keep: true }));
}

/** Draws points into the charts of an element: [{at, field…}], oldest first. */
export function drawCharts(root, charts, points) {
  const times = points.map(({ at }) => Date.parse(at) / 1000);
  for (const { test, unit, lines, title } of charts) {
    const figure = root.querySelector(`[data-test="chart-${test}"]`);
    if (figure) {
      const data = [times, ...lines.map(({ field }) => points.map((point) => point[field] ?? null))];
      draw(figure, { unit, lines }, data);
      describe(figure, { unit, lines, title }, data);
    }
  }
}

function draw(figure, spec, data) {
  const canvas = figure.querySelector('.chart-canvas');
  const themed = document.documentElement.dataset.theme;
  if (canvas.plot && canvas.themed !== themed) {
    canvas.plot.destroy();
    canvas.plot = undefined;
  }
  if (!canvas.plot) {
    canvas.themed = themed;
    canvas.plot = new globalThis.uPlot(options(spec, canvas), data, canvas);
    canvas.sizes ??= watchWidth(canvas);
  } else {
    canvas.plot.setData(data);
  }
}

function watchWidth(canvas) {
  const observer = new ResizeObserver(() => {
    const width = canvas.clientWidth;
    if (canvas.isConnected && width > 0 && width !== canvas.plot.width) {
      canvas.plot.setSize({ width, height: HEIGHT });
    }
  });
  observer.observe(canvas);
  return observer;
}

/** The latest figures beside the names of the lines, and in words for those who do not see the lines. */
function describe(figure, { unit, lines, title }, data) {
  const latest = lines.map(({ name }, i) => {
    const value = data[i + 1].findLast((one) => one !== null);
    const text = value === undefined ? '–' : UNITS[unit](value);
    figure.querySelector(`[data-legend="${name}"]`).textContent = text;
    return `${name} ${text}`;
  });
  figure.querySelector('.chart-canvas').setAttribute('aria-label', `${title}, at most the last 15 minutes, times in ${zone()}. Now: ${latest.join(', ')}`);
}

function options({ unit, lines }, canvas) {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const axis = { stroke: color('--muted'), font: `11px ${style.fontFamily}`, ticks: { show: false } };
  const grid = { stroke: color('--grid'), width: 1 };
  return {
    width: canvas.clientWidth || 400,
    height: HEIGHT,
    padding: [10, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, first, last) => span(first, last) },
      y: { range: (_, low, high) => [0, Math.max(high ?? 0, unit === 'seconds' ? 0.01 : 1) * 1.1] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70, incrs: [60, 120, 300], size: 20, gap: 3, values: (_, ticks) => ticks.map((tick, i) => (i === 0 ? `${clock(tick)} ${zone()}` : clock(tick))) },
      { ...axis, grid, space: 34, size: 52, incrs: unit === 'jobs' ? WHOLE : undefined, values: (_, ticks) => ticks.map((tick) => axisText(unit, tick)) },
    ],
    series: [
      {},
      ...lines.map(({ name, color: variable, dash, area }) => ({
        label: name,
        stroke: color(variable),
        fill: area ? `${color(variable)}22` : undefined,
        width: 1.5,
        dash: dash ? [5, 4] : undefined,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [(plot) => showCursor(plot, unit, lines, canvas)] },
  };
}

function span(first, last = Date.now() / 1000) {
  const known = last - (first ?? last);
  return [last - Math.min(WINDOW_SECONDS, Math.max(LEAST_WINDOW_SECONDS, known)), last];
}

function axisText(unit, tick) {
  return unit === 'seconds' ? duration(tick) : unit === 'rate' ? rate(tick) : count(tick);
}

function clock(seconds) {
  const at = new Date(seconds * 1000);
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
}

/** Under the pointer the legend shows the figures of that moment. */
function showCursor(plot, unit, lines, canvas) {
  const figure = canvas.closest('figure');
  const index = plot.cursor.idx ?? plot.data[0].length - 1;
  lines.forEach(({ name }, i) => {
    const value = plot.data[i + 1][index];
    const text = value === null || value === undefined ? '–' : UNITS[unit](value);
    const element = figure?.querySelector(`[data-legend="${name}"]`);
    if (element) {
      element.textContent = text;
    }
  });
}
