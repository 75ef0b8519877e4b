// The workers: how busy, for which queues and tasks, and how long their lease lasts.

import { ago, lease } from '../clock.js';
import { h } from '../dom.js';
import { count, duration } from '../format.js';
import { icon } from '../icons.js';
import { empty, heading, usage } from '../parts.js';
import { link } from '../router.js';

const TASKS_SHOWN = 12;

export const workers = {
  nav: 'workers',
  title: () => 'Workers',
  every: 2,
  load: (context) => context.get('workers'),
  view: ({ items }) => [
    heading('Workers', h('p', { class: 'muted' }, summary(items))),
    items.length === 0
      ? empty('No worker is signed on', 'Jobs wait until a process with handlers serves their queue. A worker in Java: sluice.worker().handle(task, …).start(). With the built-in tasks:', 'sluice worker')
      : h('ul', { class: 'cards', data: { test: 'workers' } }, items.map(card)),
  ],
};

function summary(items) {
  const alive = items.filter((worker) => worker.alive !== false);
  const sum = (field) => alive.reduce((total, worker) => total + (worker[field] ?? 0), 0);
  return `${count(alive.length)} alive · ${count(sum('running'))} of ${count(sum('concurrency'))} handlers busy`;
}

function card(worker) {
  const { id, name, alive, running, concurrency, buffered, queues = [], tasks = [] } = worker;
  return h(
    'li',
    { class: 'panel card', key: id, data: { worker: id, test: 'worker' } },
    h(
      'div',
      { class: 'panel-head' },
      h('h2', { title: id }, name),
      alive === false ? h('span', { class: 'tag warn' }, icon('warning'), 'lease expired') : lease(worker.expires_at, worker.lease_seconds, id),
    ),
    concurrency === undefined
      ? h('p', { class: 'muted pad' }, 'It has not said yet how busy it is.')
      : h(
          'div',
          { class: 'gauge-main pad' },
          h('span', {}, h('b', {}, count(running)), h('span', { class: 'muted' }, ` / ${count(concurrency)} running`)),
          usage({ active: running, limit: concurrency }),
          buffered > 0 && h('span', { class: 'muted' }, `${count(buffered)} buffered`),
        ),
    h(
      'p',
      { class: 'card-line' },
      h('span', { class: 'muted' }, 'queues '),
      queues.map((queue) => h('a', { class: 'tag', href: link('jobs', { queue }) }, queue)),
    ),
    taskTable(worker, tasks),
    h('p', { class: 'card-line muted' }, 'signed on ', ago(worker.started_at), worker.bulletin_at && [' · reported ', ago(worker.bulletin_at)]),
  );
}

function taskTable({ tally }, tasks) {
  const rows = tasks.map((task) => [task, tally?.tasks?.[task]]).toSorted(([, a], [, b]) => (b?.started ?? 0) - (a?.started ?? 0));
  return h(
    'table',
    { class: 'mini' },
    h('thead', {}, h('tr', {}, ['task', 'done', 'failed', 'took'].map((name) => h('th', { scope: 'col' }, name)))),
    h(
      'tbody',
      {},
      rows.slice(0, TASKS_SHOWN).map(([task, done]) =>
        h(
          'tr',
          { key: task },
          h('td', {}, h('a', { href: link('jobs', { task }) }, task)),
          h('td', {}, count(done?.succeeded ?? 0)),
          h('td', { class: done?.failed > 0 ? 'bad-text' : undefined }, count(done?.failed ?? 0)),
          h('td', {}, duration(done?.recent_seconds)),
        )),
      rows.length > TASKS_SHOWN && h('tr', {}, h('td', { colspan: 4, class: 'muted' }, `and ${count(rows.length - TASKS_SHOWN)} more tasks`)),
    ),
  );
}
