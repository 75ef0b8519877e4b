// Jobs: found by text, state, task, queue and group.

import { ago, until } from '../clock.js';
import { h } from '../dom.js';
import { duration } from '../format.js';
import { icon } from '../icons.js';
import { empty, groupLink, heading, jobLink, state, STATES, whyLink } from '../parts.js';
import { go, link, UUID } from '../router.js';
import { pager, table, turns } from '../table.js';

const PAGE = 50;
const FIELDS = [
  ['text', 'Id, or text in the payload', 'search'],
  ['task', 'Task', 'text'],
  ['queue', 'Queue', 'text'],
  ['group', 'Group', 'text'],
];

export const jobs = {
  nav: 'jobs',
  title: () => 'Jobs',
  every: 2,
  load(context) {
    const { cursor, ...filters } = read(context);
    return context.get('jobs', { ...filters, cursor, limit: PAGE });
  },
  view({ items, next }, context) {
    const { cursor, ...filters } = read(context);
    const address = (to) => link('jobs', { ...filters, cursor: to });
    return [
      heading('Jobs'),
      form(context, filters),
      items.length === 0 ? nothing(filters, cursor) : list(items),
      pager({ ...turns(address, cursor, next), backText: 'Newer', forwardText: 'Older' }),
    ];
  },
};

function read({ params: { query } }) {
  const one = (name) => query.get(name) || undefined;
  return { text: one('text'), state: query.getAll('state'), task: one('task'), queue: one('queue'), group: one('group'), cursor: one('cursor') };
}

function form(context, filters) {
  const apply = (event) => {
    event?.preventDefault();
    const data = new FormData(context.root.querySelector('.filters'));
    const wanted = { state: data.getAll('state') };
    FIELDS.forEach(([name]) => {
      wanted[name] = data.get(name).trim();
    });
    go(UUID.test(wanted.text) ? link('jobs', wanted.text.toLowerCase()) : link('jobs', wanted));
  };
  const any = FIELDS.some(([name]) => filters[name]) || filters.state.length > 0;
  return h(
    'form',
    { class: 'filters', role: 'search', 'aria-label': 'Filter jobs', data: { test: 'job-filters' }, on: { submit: apply } },
    FIELDS.map(([name, label, type]) => field(name, label, type, filters[name])),
    h(
      'fieldset',
      { class: 'chips' },
      h('legend', { class: 'visually-hidden' }, 'States'),
      STATES.map((name) => chip(name, filters.state.includes(name), apply)),
    ),
    h('button', { class: 'button', data: { test: 'apply-filters' } }, 'Find'),
    any && h('a', { class: 'button quiet', href: '#/jobs', data: { test: 'clear-filters' } }, 'Clear'),
  );
}

function field(name, label, type, value) {
  const id = `job-${name}`;
  const search = name === 'text' ? '' : undefined;
  return h(
    'div',
    { class: 'field', key: name },
    h('label', { for: id }, label),
    h('input', { id, name, type, value: value ?? '', autocomplete: 'off', spellcheck: 'false', maxlength: 300, data: { search, test: `filter-${name}` } }),
  );
}

function chip(name, checked, apply) {
  return h(
    'label',
    { class: 'chip', key: `${name}${checked}`, data: { state: name } },
    h('input', { type: 'checkbox', name: 'state', value: name, checked, data: { test: `filter-state-${name}` }, on: { change: apply } }),
    icon(name),
    name,
  );
}

function nothing(filters, cursor) {
  const narrowed = FIELDS.some(([name]) => filters[name]) || filters.state.length > 0 || cursor;
  return narrowed
    ? empty('No job matches', 'Clear a filter. The text is looked for in the payload, as JSON.')
    : empty('No jobs yet', 'Submit one from Java, over HTTP, or from the command line:', 'sluice submit send_email --payload \'{"to": "ada"}\'');
}

function list(items) {
  return table({
    label: 'Jobs',
    test: 'job-table',
    fit: true,
    rows: items,
    key: ({ id }) => id,
    row: ({ id, state: name }) => ({ data: { job: id, state: name, test: 'job-row' } }),
    columns: [
      { name: 'State', cell: (job) => stateCell(job) },
      { name: 'Job', cell: ({ id }) => jobLink(id) },
      { name: 'Task', cell: taskCell, wide: true },
      { name: 'Queue', cell: ({ queue }) => h('span', { class: 'name' }, queue), quiet: true },
      { name: 'Groups', cell: groupCell },
      { name: 'Attempt', cell: ({ attempt }) => attempt, number: true, quiet: true },
      { name: 'When', cell: when },
      { name: 'Waited', cell: (job) => duration(job.waited_seconds), number: true },
      { name: 'Ran', cell: (job) => duration(job.ran_seconds), number: true },
    ],
  });
}

function taskCell({ task, error, state: name }) {
  const shown = error && name !== 'succeeded';
  return [h('span', { class: 'name' }, task), shown && h('span', { class: 'below clip', title: error }, error)];
}

function stateCell({ id, state: name }) {
  const asks = name === 'waiting' || name === 'ready' || name === 'scheduled';
  return [state(name), asks && whyLink(id)];
}

/** The group that tells it from the other jobs of its task: its task's own, listed first, only if it is in no other. */
function groupCell({ groups = [] }) {
  const [own, ...others] = groups;
  const [first, ...rest] = others.length > 0 ? [...others, own] : groups;
  if (first === undefined) {
    return '–';
  }
  return [groupLink(first), rest.length > 0 && h('span', { class: 'beside', title: rest.join('\n') }, `+${rest.length}`)];
}

/** The latest thing that happened to it. */
function when(job) {
  if (job.finished_at) {
    return ago(job.finished_at);
  }
  if (job.state === 'running') {
    return [ago(job.started_at), job.progress && h('span', { class: 'below clip', title: job.progress }, job.progress)];
  }
  return job.state === 'scheduled' ? until(job.run_at) : ago(job.submitted_at);
}
