// How the whole is doing: counts, charts, queues, groups by pressure.

import { alertLine, keyOf } from '../alerts.js';
import { post } from '../api.js';
import { chart, drawCharts } from '../charts.js';
import { h } from '../dom.js';
import { count, duration, plural, rate } from '../format.js';
import { icon } from '../icons.js';
import { latestState } from '../live.js';
import { action, empty, groupLink, heading, panel, readOnlyNote, STATES, usage, used } from '../parts.js';
import { link } from '../router.js';
import { table } from '../table.js';

const SERIES_EVERY = 6000;

const CHARTS = [
  {
    test: 'throughput', title: 'Throughput', unit: 'rate',
    lines: [
      { name: 'succeeded', field: 'succeeded', color: '--succeeded', area: true },
      { name: 'failed', field: 'failed', color: '--failed' },
      { name: 'retried', field: 'retried', color: '--waiting', dash: true },
    ],
  },
  {
    test: 'jobs', title: 'Jobs due', unit: 'jobs',
    lines: [
      { name: 'waiting', field: 'waiting', color: '--waiting', area: true },
      { name: 'ready', field: 'ready', color: '--ready', dash: true },
      { name: 'running', field: 'running', color: '--running' },
    ],
  },
  {
    test: 'duration', title: 'Duration of a job', unit: 'seconds',
    lines: [
      { name: 'mean', field: 'duration_mean_seconds', color: '--running', area: true },
    ],
  },
  {
    test: 'wait', title: 'Wait for a slot', unit: 'seconds',
    lines: [
      { name: 'p50', field: 'wait_p50_seconds', color: '--ready' },
      { name: 'p95', field: 'wait_p95_seconds', color: '--waiting', dash: true },
    ],
  },
];

export const overview = {
  nav: 'overview',
  title: () => 'Overview',
  async load(context) {
    const [state, series] = await Promise.all([
      latestState() ?? context.get('overview'),
      context.get('series'),
    ]);
    context.memory.points = series.points;
    context.memory.at = Date.now();
    context.memory.themed ??= watchTheme(context);
    return { state };
  },
  state(state, context) {
    if (context.memory.points) {
      this.follow(state, context);
    }
  },
  /** Shows an event's overview at once; the series is long and follows less often. */
  async follow(state, context) {
    context.memory.state = state;
    context.redraw();
    if (Date.now() - context.memory.at < SERIES_EVERY) {
      return;
    }
    context.memory.at = Date.now();
    try {
      context.memory.points = (await context.get('series')).points;
      drawCharts(context.root, CHARTS, context.memory.points);
    } catch {
      // The next event tries again; the indicator of the connection says if it lasts.
    }
  },
  view({ state: loaded }, context) {
    const state = context.memory.state ?? loaded;
    return [
      heading('Overview', summary(state)),
      readOnlyNote(),
      h('ul', { class: 'tiles', data: { test: 'counts' } }, STATES.map((name) => tile(name, state.counts?.[name]))),
      h('div', { class: 'charts' }, CHARTS.map(chart)),
      h('div', { class: 'columns wide-first' }, groups(state), h('div', { class: 'stack' }, queues(state, context), health(state))),
    ];
  },
  shown(data, { root, memory }) {
    drawCharts(root, CHARTS, memory.points);
  },
};

function watchTheme(context) {
  const redraw = () => drawCharts(context.root, CHARTS, context.memory.points);
  document.addEventListener('sluice:theme', redraw);
  context.onLeave(() => document.removeEventListener('sluice:theme', redraw));
  return true;
}

function summary({ rates = {}, workers = {} }) {
  return h(
    'p',
    { class: 'muted', data: { test: 'rates' } },
    `${rate(rates.started)} started, ${rate(rates.succeeded)} succeeded, ${rate(rates.failed)} failed per second · ${plural(workers.alive ?? 0, 'worker')}`,
  );
}

function tile(name, n) {
  return h(
    'li',
    { key: name },
    h(
      'a',
      { class: 'tile', href: link('jobs', { state: name }), data: { state: name, test: `count-${name}` } },
      h('span', { class: 'tile-name' }, icon(name), name),
      h('span', { class: 'tile-count' }, count(n ?? 0)),
    ),
  );
}

function groups({ groups: items = [] }) {
  const all = h('a', { href: '#/concurrency' }, 'All groups');
  return panel(
    'Groups by pressure',
    { beside: all, test: 'groups' },
    items.length === 0
      ? empty('No group is limited yet', 'A limit in code, or one set by hand, makes its group appear here.', 'sluice concurrency set send_email --limit 5')
      : table({
          label: 'Groups by pressure',
          rows: items,
          key: ({ group }) => group,
          row: ({ group }) => ({ data: { group } }),
          columns: [
            { name: 'Group', cell: ({ group }) => groupLink(group), wide: true },
            { name: 'In use', cell: used },
            { name: 'Slots', cell: usage },
            { name: 'Waiting', cell: ({ waiting }) => count(waiting), number: true },
            { name: 'Wait p95', cell: (item) => duration(item.wait_p95_seconds), number: true },
          ],
        }),
  );
}

function queues({ queues: items = [] }, context) {
  return panel(
    'Queues',
    { test: 'queues' },
    items.length === 0
      ? empty('No queue yet', 'A queue appears with its first job or worker.')
      : table({
          label: 'Queues',
          rows: items,
          key: ({ name }) => name,
          row: ({ name }) => ({ data: { queue: name } }),
          columns: [
            { name: 'Queue', cell: (queue) => queueName(queue), wide: true },
            { name: 'Ready', cell: ({ ready }) => count(ready), number: true },
            { name: 'Running', cell: ({ running }) => count(running), number: true },
            { name: 'Oldest', cell: (queue) => duration(queue.oldest_age_seconds), number: true, hint: 'How long the oldest due job has waited' },
            { name: '', cell: (queue) => toggle(queue, context) },
          ],
        }),
  );
}

function queueName({ name, paused }) {
  return [h('a', { class: 'name', href: link('jobs', { queue: name }) }, name), paused && h('span', { class: 'tag warn' }, icon('paused'), 'paused')];
}

function toggle({ name, paused }, context) {
  const verb = paused ? 'resume' : 'pause';
  const call = () => post(`queue/${verb}`, { queue: name });
  const run = async () => {
    const answer = await context.change(call(), paused ? `Queue ${name} goes on.` : `Queue ${name} is paused: running jobs finish, none starts.`);
    const shown = context.memory.state ?? latestState();
    Object.assign(shown?.queues?.find((queue) => queue.name === name) ?? {}, answer);
    context.redraw();
  };
  return action(paused ? 'Resume' : 'Pause', run, { small: true, test: `queue-${verb}`, 'aria-label': `${paused ? 'Resume' : 'Pause'} the queue ${name}` });
}

function health({ workers = {}, violations = 0, alerts = [] }) {
  const load = workers.concurrency ? `${count(workers.running)} of ${count(workers.concurrency)} handlers busy` : 'none has reported yet';
  return panel(
    'Health',
    { test: 'health' },
    h(
      'ul',
      { class: 'checks' },
      check(violations === 0, violations === 0 ? 'No limit was exceeded' : plural(violations, 'limit violation'), 'since the server started', 'violations-check'),
      check((workers.alive ?? 0) > 0, h('a', { href: '#/workers' }, `${plural(workers.alive ?? 0, 'worker')} alive`), load, 'workers-check'),
      alerts.length === 0
        ? check(true, 'No job waits without need', 'every due job is served, no group is held', 'alerts-check')
        : alerts.map((alert) => h('li', { class: 'bad', key: keyOf(alert), data: { test: 'alerts-check', kind: alert.kind } }, alertLine(alert, alert.remedy))),
    ),
  );
}

function check(good, text, detail, test) {
  return h(
    'li',
    { class: good ? 'good' : 'bad', data: { test } },
    icon(good ? 'succeeded' : 'warning'),
    h('span', {}, text, h('span', { class: 'muted' }, ` · ${detail}`)),
  );
}
