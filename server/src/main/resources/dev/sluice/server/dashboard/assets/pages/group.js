// One group: who holds its slots, and its limit.

import { post } from '../api.js';
import { ago, at, lease } from '../clock.js';
import { confirm } from '../dialog.js';
import { h } from '../dom.js';
import { count, duration, NONE } from '../format.js';
import { icon } from '../icons.js';
import { action, empty, facts, groupLink, heading, isFamily, jobLink, panel, readOnlyNote, usage, used } from '../parts.js';
import { link } from '../router.js';
import { table } from '../table.js';
import { limitControls } from './limit-form.js';

const SLOTS_SHOWN = 200;

export const group = {
  nav: 'concurrency',
  title: ({ query }) => query.get('name') ?? 'Group',
  every: 2,
  load: (context) => context.get('group', { group: context.params.query.get('name') ?? '' }),
  events: ['limit'],
  wants: (change, { params }) => change.group === params.query.get('name'),
  view: (status, context) => [
    h('p', { class: 'crumbs' }, h('a', { href: '#/concurrency' }, 'Concurrency')),
    heading(status.group, limitControls(status, context)),
    readOnlyNote(),
    gauge(status),
    slots(status, context),
    changes(status),
  ],
};

function gauge(status) {
  const { waiting, acquired, rejected, level, declared = {} } = status;
  const inherited = status.inherited_from;
  return h(
    'section',
    { class: 'panel gauge', 'aria-label': 'Now', data: { test: 'gauge', held: String(Boolean(status.held)) } },
    h('div', { class: 'gauge-main' }, h('span', { class: 'gauge-number', data: { test: 'used' } }, used(status)), usage(status)),
    facts([
      ['Waiting', waiting > 0 ? h('a', { href: link('jobs', { group: status.group, state: 'waiting' }), data: { test: 'waiting-jobs' } }, count(waiting)) : '0'],
      ['Wait p50', duration(status.wait_p50_seconds)],
      ['Wait p95', duration(status.wait_p95_seconds)],
      ['Acquired', count(acquired)],
      ['Refused', count(rejected)],
      status.pointer && ['Value in the payload', h('code', {}, status.pointer)],
      ['Limit set by', level ? [level, inherited && [' through ', groupLink(inherited)]] : 'nobody'],
    ]),
    status.held && h('p', { class: 'note warn', data: { test: 'held-note' } }, icon('held'), h('span', {}, heldText(status))),
    Object.keys(declared).length > 1 &&
      h('p', { class: 'note' }, icon('warning'), h('span', {}, `Live workers declare different limits: ${declaredText(declared)}. The lowest holds until the last of the old ones is gone.`)),
  );
}

function heldText({ change }) {
  return change
    ? ['Held since ', at(change.at), ` by ${change.by}: running jobs finish, none starts, nothing is lost.`]
    : 'Held: running jobs finish, none starts, nothing is lost.';
}

function declaredText(declared) {
  return Object.entries(declared).map(([limit, workers]) => `${limit} by ${workers}`).join(', ');
}

function slots({ group: name, slots: items = [], limit }, context) {
  return panel(
    'Slots',
    { test: 'slots', beside: h('a', { href: link('jobs', { group: name }) }, 'Jobs of this group') },
    items.length === 0
      ? isFamily(name)
        ? empty('Each of its groups has slots of its own', 'The groups in use are listed under Concurrency.')
        : limit === 0
        ? empty('Nothing runs', 'The group is held. Its jobs start when the limit is raised or removed.')
        : empty('Every slot is free', 'Nothing of this group runs now.')
      : table({
          label: 'Slots in use',
          rows: items.slice(0, SLOTS_SHOWN),
          key: ({ slot, token }) => `${slot}:${token}`,
          row: ({ slot }) => ({ data: { slot, test: 'slot-row' } }),
          columns: [
            { name: 'Slot', cell: ({ slot }) => slot, number: true },
            { name: 'Held by', cell: holder, wide: true },
            { name: 'Worker', cell: worker },
            { name: 'Since', cell: ({ since }) => ago(since) },
            { name: 'Lease', cell: (slot) => lease(slot.expires_at, slot.lease_seconds, `${name} ${slot.slot} ${slot.token}`) },
            { name: 'Token', cell: ({ token }) => token ?? NONE, number: true, quiet: true, hint: 'The fencing token: it only grows' },
            { name: '', cell: (slot) => action('Release …', () => release(name, slot, context), { small: true, test: 'release-slot', 'aria-label': `Release slot ${slot.slot}` }) },
          ],
        }),
    items.length > SLOTS_SHOWN && h('p', { class: 'muted pad' }, `${count(items.length - SLOTS_SHOWN)} more slots are in use.`),
  );
}

function holder({ job, task, holder: text }) {
  if (job) {
    return [jobLink(job), task && h('span', { class: 'beside' }, task)];
  }
  return text ?? 'kept by the worker for its next jobs';
}

function worker(slot) {
  return slot.worker ? h('span', { title: slot.worker }, slot.worker_name ?? slot.worker) : NONE;
}

async function release(name, slot, context) {
  const who = slot.job ? `job ${slot.job}` : (slot.holder ?? 'its worker');
  const sure = await confirm({
    title: `Release slot ${slot.slot} of ${name}?`,
    body: [
      h('p', {}, `The slot is taken from ${who} and given to the next in line.`),
      h('p', {}, 'The holder is not stopped. If it still works, one more than the limit allows is at work until it ends. Do this only when you know that the holder is gone; a dead worker’s slots are freed by themselves when its lease runs out.'),
    ],
    action: 'Release the slot',
    danger: true,
  });
  if (sure) {
    await context.change(post('group/release', { group: name }, { slot: slot.slot, force: true }), `Slot ${slot.slot} of ${name} is released.`);
  }
}

function changes({ changes: items = [] }) {
  const number = (n) => (n === undefined ? 'none' : count(n));
  return panel(
    'Changes of the limit',
    { test: 'changes' },
    items.length === 0
      ? empty('No change on record', 'What operators and configuration files change is listed here, with who and when.')
      : table({
          label: 'Changes of the limit',
          rows: items,
          key: (change) => `${change.at}${change.level}${change.after}`,
          columns: [
            { name: 'When', cell: (change) => [at(change.at), h('span', { class: 'beside' }, ago(change.at))] },
            { name: 'By', cell: ({ by }) => by, wide: true },
            { name: 'Level', cell: ({ level }) => level },
            { name: 'Before', cell: ({ before }) => number(before), number: true },
            { name: 'After', cell: ({ after }) => number(after), number: true },
          ],
        }),
  );
}
