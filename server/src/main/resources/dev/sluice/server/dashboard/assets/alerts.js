// What keeps jobs from getting done: a banner above every page, and a line each in the overview.

import { h, render } from './dom.js';
import { plural } from './format.js';
import { icon } from './icons.js';
import { on } from './live.js';
import { link } from './router.js';

/** The banner shows the worst; the overview has all. */
const SHOWN = 3;

/** Keeps the banner equal to the latest overview. */
export function startAlerts() {
  const banner = document.getElementById('alerts');
  on('state', ({ alerts = [] }) => {
    banner.hidden = alerts.length === 0;
    const more = alerts.length - SHOWN;
    render(
      banner,
      h('ul', {}, alerts.slice(0, SHOWN).map((alert) => h('li', { key: keyOf(alert), title: alert.remedy, data: { kind: alert.kind, test: 'alert' } }, alertLine(alert)))),
      more > 0 && h('a', { class: 'alerts-more', href: '#/', data: { test: 'more-alerts' } }, `and ${plural(more, 'more alert')}`),
    );
  });
}

/** Tells alerts apart from one sample to the next. */
export function keyOf({ kind, queue, task, group }) {
  return JSON.stringify([kind, queue, task, group]);
}

/** An alert in a line: what was seen, the way there and, unless it must be short, what to do. */
export function alertLine(alert, remedy = '') {
  const [address, text] = placeOf(alert);
  return [
    icon('warning'),
    h(
      'span',
      { class: 'alert-text' },
      sentence(alert.seen),
      ' ',
      remedy && h('span', { class: 'muted' }, `${remedy} `),
      h('a', { href: address, data: { test: 'alert-link' } }, text),
    ),
  ];
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function placeOf({ kind, queue, task, group }) {
  switch (kind) {
    case 'no_worker':
      return [link('workers'), 'See the workers'];
    case 'group_held':
      return [link('group', { name: group }), 'See the group'];
    case 'task_failing':
      return [link('jobs', { task }), 'See the jobs'];
    default:
      return [link('jobs', { queue, task, state: ['ready', 'waiting'] }), 'See the jobs'];
  }
}
