// The runs of workflows.

import { ago } from '../clock.js';
import { h } from '../dom.js';
import { count, shortId } from '../format.js';
import { empty, heading, state } from '../parts.js';
import { go, link } from '../router.js';
import { pager, table, turns } from '../table.js';

const PAGE = 50;
const RUN_STATES = ['pending', 'running', 'waiting_signal', 'compensating', 'paused', 'succeeded', 'failed', 'cancelled'];

export const workflows = {
  nav: 'workflows',
  title: () => 'Workflows',
  every: 2,
  load: (context) => context.get('workflows', { ...read(context), limit: PAGE }),
  view({ items, next }, context) {
    const { cursor, ...filters } = read(context);
    const address = (to) => link('workflows', { ...filters, cursor: to });
    return [
      heading('Workflows'),
      form(filters),
      items.length === 0 ? nothing(filters) : list(items),
      pager({ ...turns(address, cursor, next), backText: 'Newer', forwardText: 'Older' }),
    ];
  },
};

function read({ params: { query } }) {
  return { type: query.get('type') ?? undefined, state: query.get('state') ?? undefined, cursor: query.get('cursor') ?? undefined };
}

function form({ type, state: wanted }) {
  const apply = (event) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget.form ?? event.currentTarget);
    go(link('workflows', { type: data.get('type').trim(), state: data.get('state') }));
  };
  return h(
    'form',
    { class: 'filters', 'aria-label': 'Filter runs', on: { submit: apply } },
    h(
      'div',
      { class: 'field' },
      h('label', { for: 'run-type' }, 'Type'),
      h('input', { id: 'run-type', name: 'type', type: 'search', value: type ?? '', autocomplete: 'off', data: { search: '', test: 'filter-type' } }),
    ),
    h(
      'div',
      { class: 'field' },
      h('label', { for: 'run-state' }, 'State'),
      h(
        'select',
        { id: 'run-state', name: 'state', data: { test: 'filter-run-state' }, on: { change: apply } },
        h('option', { value: '', selected: !wanted }, 'any'),
        RUN_STATES.map((name) => h('option', { value: name, selected: wanted === name }, name.replace('_', ' '))),
      ),
    ),
    h('button', { class: 'button' }, 'Find'),
  );
}

function nothing({ type, state: wanted }) {
  return type || wanted
    ? empty('No run matches', 'Clear the filter to see them all.')
    : empty('No workflow has run yet', 'A workflow is a graph of steps, each of which runs as a job. Start one from Java, over HTTP, or from a definition in JSON:', 'sluice workflow start definition.json');
}

function inFlight(run) {
  const cap = run.caps?.max_concurrent_steps;
  return cap === undefined ? count(run.in_flight) : `${count(run.in_flight)} / ${count(cap)}`;
}

function list(items) {
  return table({
    label: 'Runs',
    test: 'run-table',
    rows: items,
    key: ({ id }) => id,
    row: ({ id, state: name }) => ({ data: { run: id, state: name, test: 'run-row' } }),
    columns: [
      { name: 'State', cell: (run) => state(run.state) },
      { name: 'Run', cell: ({ id }) => h('a', { class: 'id', href: link('workflows', id), title: id }, shortId(id)) },
      { name: 'Type', cell: ({ type }) => h('span', { class: 'name' }, type), wide: true },
      { name: 'Steps', cell: (run) => `${count(run.succeeded_steps)} / ${count(run.step_count)}`, number: true, hint: 'Succeeded, of all' },
      { name: 'In flight', cell: inFlight, number: true, hint: 'Submitted and not ended, of as many as may be' },
      { name: 'Started', cell: (run) => ago(run.created_at) },
      { name: 'Changed', cell: (run) => ago(run.updated_at) },
    ],
  });
}
