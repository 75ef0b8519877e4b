// Why a job is where it is: what holds it back, who holds the slots, when it may start.

import { part } from '../api.js';
import { ago, at, lease, until } from '../clock.js';
import { h } from '../dom.js';
import { count, duration, plural } from '../format.js';
import { icon } from '../icons.js';
import { empty, facts, groupLink, heading, jobLink, panel, state, usage, used } from '../parts.js';
import { go, link } from '../router.js';
import { table } from '../table.js';

const ICONS = {
  not_due: 'scheduled', queue_paused: 'paused', no_worker_for_queue: 'warning', no_handler: 'warning', group_held: 'held',
  group_full: 'concurrency', workers_busy: 'workers', about_to_start: 'ready', running: 'running', finished: 'succeeded', dependencies: 'workflows',
};
const HOLDERS_SHOWN = 50;

export const why = {
  nav: 'why',
  title: ({ id }) => (id ? `Why ${id}` : 'Why'),
  every: 2,
  async load(context) {
    const { id } = context.params;
    return id ? { answer: await context.get(`jobs/${part(id)}/why`) } : {};
  },
  events: ['limit', 'job'],
  wants: (event, { params }) => Boolean(params.id) && (event.job === undefined || event.job === params.id),
  view: ({ answer }, context) => [
    heading('Why'),
    form(context.params.id),
    answer ? explain(answer) : empty('Why does it not start?', 'Enter the id of a job. You read which limit, queue or worker it waits for, who holds the slots and since when, its place in line, and when it may start.', 'sluice why JOB'),
  ],
};

function form(id) {
  const submit = (event) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('job').trim();
    if (text) {
      go(link('why', text));
    }
  };
  return h(
    'form',
    { class: 'filters', data: { test: 'why-form' }, on: { submit } },
    h(
      'div',
      { class: 'field grow' },
      h('label', { for: 'why-job' }, 'Job id'),
      h('input', { id: 'why-job', name: 'job', type: 'search', value: id ?? '', autocomplete: 'off', spellcheck: 'false', maxlength: 100, data: { search: '', test: 'why-input' } }),
    ),
    h('button', { class: 'button primary', data: { test: 'why-ask' } }, 'Ask'),
  );
}

function explain(answer) {
  return [
    panel(
      [jobLink(answer.job), ' ', state(answer.state)],
      { test: 'why-answer', 'aria-label': 'Answer' },
      reasonList(answer.reasons),
      facts([
        answer.place && ['Place in line', place(answer.place)],
        answer.estimated_start && ['Probably starts', [at(answer.estimated_start), h('span', { class: 'beside' }, until(answer.estimated_start))]],
        answer.waited && ['Waited after it was due', [duration(answer.waited.after_due_seconds), heldBack(answer.waited)]],
        answer.waited && ['Waited until it was due', duration(answer.waited.until_due_seconds)],
      ]),
    ),
    answer.reasons.filter(({ group }) => group).map(({ group }) => holders(group)),
  ];
}

/** The sentences; shared with the page of a run. */
export function reasonList(reasons) {
  return h(
    'ul',
    { class: 'reasons', 'aria-live': 'polite', data: { test: 'why-reasons' } },
    reasons.map((reason) => h('li', { data: { kind: reason.kind, test: 'why-sentence' } }, icon(ICONS[reason.kind] ?? 'why'), h('span', {}, reason.sentence))),
  );
}

function place({ ahead, at_least: atLeast, group }) {
  const text = ahead === 0 ? 'next in line' : `${atLeast ? 'at least ' : ''}${plural(ahead, 'job')} ahead`;
  return h('span', { data: { test: 'why-place' } }, text, group && [' in ', groupLink(group)]);
}

function heldBack({ held_back_by: group }) {
  return group && [' for ', groupLink(group)];
}

function holders(group) {
  const slots = group.slots ?? [];
  return panel(
    ['Who holds ', groupLink(group.group)],
    { test: 'why-holders', key: `holders-${group.group}`, 'aria-label': `Who holds ${group.group}` },
    h('div', { class: 'gauge-main pad' }, used(group), usage(group), h('span', { class: 'muted' }, `${count(group.waiting ?? 0)} waiting`)),
    slots.length === 0
      ? empty('Nobody holds a slot', group.limit === 0 ? 'The group is held: its limit is 0.' : 'A slot is free.')
      : table({
          label: `Slots of ${group.group}`,
          rows: slots.slice(0, HOLDERS_SHOWN),
          key: ({ slot, token }) => `${slot}:${token}`,
          columns: [
            { name: 'Slot', cell: ({ slot }) => slot, number: true },
            { name: 'Held by', cell: (slot) => (slot.job ? [jobLink(slot.job), slot.task && h('span', { class: 'beside' }, slot.task)] : (slot.holder ?? 'kept by the worker for its next jobs')), wide: true },
            { name: 'Worker', cell: (slot) => slot.worker_name ?? slot.worker ?? '–' },
            { name: 'Since', cell: ({ since }) => ago(since) },
            { name: 'Lease', cell: (slot) => lease(slot.expires_at, slot.lease_seconds, `${group.group} ${slot.slot} ${slot.token}`) },
          ],
        }),
  );
}
