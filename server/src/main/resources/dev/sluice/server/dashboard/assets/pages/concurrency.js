// Every group with a limit, or with somebody in it.

import { h } from '../dom.js';
import { count, duration } from '../format.js';
import { action, empty, groupLink, heading, readOnlyNote, usage, used } from '../parts.js';
import { go, link } from '../router.js';
import { pager, table, turns } from '../table.js';
import { askLimit } from './limit-form.js';

const PAGE = 50;
const TYPING_PAUSE = 250;

export const concurrency = {
  nav: 'concurrency',
  title: () => 'Concurrency',
  every: 2,
  load(context) {
    const { order = 'busiest', search, cursor } = filters(context);
    return context.get('groups', { order, search, cursor, limit: PAGE });
  },
  events: ['limit'],
  wants: () => true,
  view({ items, next }, context) {
    const { order = 'busiest', search, cursor } = filters(context);
    const address = (at) => link('concurrency', { order, search, cursor: at });
    return [
      heading('Concurrency', action('Set a limit …', () => newLimit(context), { primary: true, test: 'new-limit' })),
      readOnlyNote(),
      h('div', { class: 'filters' }, searchField(context), orderField(context, order)),
      items.length === 0 ? nothing(search, order) : list(items),
      pager({ ...turns(address, cursor, next), backText: 'Back', forwardText: 'More' }),
    ];
  },
};

function filters({ params }) {
  return Object.fromEntries(params.query);
}

function filter(context, changes) {
  const { order, search } = { ...filters(context), ...changes };
  go(link('concurrency', { order, search }));
}

let typing;

function searchField(context) {
  const input = h('input', {
    id: 'group-search',
    type: 'search',
    value: filters(context).search ?? '',
    placeholder: 'Part of a name',
    autocomplete: 'off',
    spellcheck: 'false',
    data: { search: '', test: 'group-search' },
    on: {
      input: ({ currentTarget }) => {
        clearTimeout(typing);
        typing = setTimeout(() => filter(context, { search: currentTarget.value }), TYPING_PAUSE);
      },
    },
  });
  context.onLeave(() => clearTimeout(typing));
  return h('div', { class: 'field' }, h('label', { for: 'group-search' }, 'Find a group'), input);
}

function orderField(context, order) {
  const option = (value, text) => h('option', { value, selected: order === value }, text);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: 'group-order' }, 'Order'),
    h(
      'select',
      { id: 'group-order', data: { test: 'group-order' }, on: { change: (event) => filter(context, { order: event.currentTarget.value }) } },
      option('busiest', 'Busiest first'),
      option('name', 'By name'),
    ),
  );
}

function nothing(search, order) {
  if (search) {
    return empty(`No group has “${search}” in its name`, 'Groups appear when they have a limit, or when a job runs or waits in them.');
  }
  // Who is busiest is asked of the groups that somebody is in; those with a limit may be many more.
  return order === 'busiest'
    ? empty('Nobody is in a limited group now', ['Every group that has a limit is listed ', h('a', { href: link('concurrency', { order: 'name' }), data: { test: 'groups-by-name' } }, 'by name'), '.'])
    : empty(
        'No groups yet',
        'A task with maxConcurrent(5), or a limit set here or on the command line, makes a group. At most that many of its jobs run at once, across every worker.',
        'sluice concurrency set send_email --limit 5',
      );
}

function list(items) {
  return table({
    label: 'Groups',
    test: 'group-table',
    rows: items,
    key: ({ group }) => group,
    row: ({ group }) => ({ data: { group, test: 'group-row' } }),
    columns: [
      { name: 'Group', cell: (item) => name(item), wide: true },
      { name: 'In use', cell: used },
      { name: 'Slots', cell: usage },
      { name: 'Waiting', cell: ({ waiting }) => count(waiting), number: true },
      { name: 'Wait p50', cell: (item) => duration(item.wait_p50_seconds), number: true, hint: 'From being due to getting a slot' },
      { name: 'Wait p95', cell: (item) => duration(item.wait_p95_seconds), number: true },
      { name: 'Acquired', cell: ({ acquired }) => count(acquired), number: true, quiet: true },
      { name: 'Refused', cell: ({ rejected }) => count(rejected), number: true, hint: 'Submits and permits refused, and looks that found work but no slot' },
      { name: 'Set by', cell: ({ level }) => level ?? 'nobody', quiet: true },
    ],
  });
}

function name({ group, family }) {
  return [groupLink(group), family && h('span', { class: 'tag', title: 'The limit holds for each group below this name' }, 'family')];
}

async function newLimit(context) {
  const made = await askLimit();
  if (made) {
    await context.change(made.call, (answer) => [`The limit of ${made.group} is ${made.limit}.`, answer.warning].filter(Boolean).join(' '));
    go(link('group', { name: made.group }));
  }
}
