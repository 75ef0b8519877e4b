// One job: what it is, what happened to it, what can be done.

import { part, post } from '../api.js';
import { ago, at, until } from '../clock.js';
import { confirm } from '../dialog.js';
import { h } from '../dom.js';
import { duration, pretty, shortId, words } from '../format.js';
import { icon } from '../icons.js';
import { action, facts, groupLink, heading, panel, readOnlyNote, state, whyLink } from '../parts.js';
import { link } from '../router.js';

const FINISHED = ['succeeded', 'failed', 'cancelled'];

export const job = {
  nav: 'jobs',
  title: ({ id }) => `Job ${shortId(id)}`,
  every: 2,
  load: (context) => context.get(`jobs/${part(context.params.id)}`),
  events: ['job'],
  wants: (event, { params }) => event.job === params.id,
  view: (data, context) => [
    h('p', { class: 'crumbs' }, h('a', { href: '#/jobs' }, 'Jobs')),
    heading([h('span', { class: 'name' }, data.task), ' ', state(data.state)], controls(data, context)),
    h('p', { class: 'full-id', data: { test: 'job-id' } }, data.id),
    readOnlyNote(),
    h('div', { class: 'columns' }, about(data), history(data)),
    failures(data),
    h(
      'div',
      { class: 'columns' },
      json('Payload', data.payload, 'payload', 'Without a payload.'),
      (data.result !== undefined || data.state === 'succeeded') && json('Result', data.result, 'result', 'The handler returned nothing.'),
    ),
  ],
};

function controls(data, context) {
  const finished = FINISHED.includes(data.state);
  return [
    !finished && data.state !== 'running' && whyLink(data.id),
    finished && h('a', { class: 'why-link', href: link('why', data.id), data: { test: 'why-link' } }, 'what did it wait for?'),
    !finished &&
      action(data.cancel_requested ? 'Cancelling …' : 'Cancel …', () => cancel(data, context), { danger: true, test: 'cancel-job', disabled: data.cancel_requested }),
    (data.state === 'failed' || data.state === 'cancelled') &&
      action('Retry …', () => retry(data, context), { primary: true, test: 'retry-job' }),
  ];
}

async function cancel({ id, task, state: name }, context) {
  const sure = await confirm({
    title: `Cancel this job of ${task}?`,
    body: h(
      'p',
      {},
      name === 'running'
        ? 'Its handler is asked to stop: it is interrupted, and the job ends as cancelled once the handler returns. Its slots are free then.'
        : 'It will not start. It can be retried later.',
    ),
    action: 'Cancel the job',
    danger: true,
  });
  if (sure) {
    const text = name === 'running' ? 'The job was asked to stop.' : 'The job is cancelled.';
    await context.change(post(`jobs/${part(id)}/cancel`), text);
  }
}

async function retry({ id, task }, context) {
  const sure = await confirm({
    title: `Retry this job of ${task}?`,
    body: h('p', {}, 'It gets in line again under the same id, with the same payload. What its earlier attempts did is not undone.'),
    action: 'Retry the job',
  });
  if (sure) {
    await context.change(post(`jobs/${part(id)}/retry`), 'The job is in line again.');
  }
}

function about(data) {
  return panel(
    'About',
    { test: 'about' },
    facts([
      ['Queue', h('a', { href: link('jobs', { queue: data.queue }) }, data.queue)],
      ['Priority', data.priority],
      ['Attempt', data.attempt],
      ['Groups', (data.groups ?? []).length > 0 ? h('span', { class: 'list' }, data.groups.map((name) => groupLink(name))) : 'none'],
      ['Submitted', [at(data.submitted_at), h('span', { class: 'beside' }, ago(data.submitted_at))]],
      data.state === 'scheduled' && ['Due', [at(data.run_at), h('span', { class: 'beside' }, until(data.run_at))]],
      ['Waited after due', data.waited_seconds !== undefined && duration(data.waited_seconds)],
      ['Ran', data.ran_seconds !== undefined && duration(data.ran_seconds)],
      ['Held back by', data.held_back_by && groupLink(data.held_back_by)],
      ['Worker', data.worker && h('span', { title: data.worker }, data.worker_name ?? data.worker)],
      ['Progress', data.progress],
      ['Timeout', data.timeout_seconds !== undefined && duration(data.timeout_seconds)],
      ['Dedupe key', data.dedupe_key],
      ['Workflow run', data.run && h('a', { class: 'id', href: link('workflows', data.run) }, shortId(data.run))],
    ]),
  );
}

const ICONS = { submitted: 'ready', due: 'ready', started: 'running', attempt_failed: 'failed' };

function history({ timeline = [] }) {
  return panel(
    'Timeline',
    { test: 'timeline' },
    h(
      'ol',
      { class: 'timeline' },
      timeline.map((entry, i) =>
        h(
          'li',
          { data: { state: ICONS[entry.what] ?? entry.what } },
          icon(ICONS[entry.what] ?? entry.what),
          h('b', {}, words(entry.what)),
          h('span', { class: 'timeline-at' }, at(entry.at)),
          i > 0 && h('span', { class: 'muted' }, `+${duration((Date.parse(entry.at) - Date.parse(timeline[i - 1].at)) / 1000)}`),
          entry.detail && h('span', { class: 'timeline-detail' }, entry.detail),
        ),
      ),
    ),
  );
}

function failures({ failures: items = [] }) {
  if (items.length === 0) {
    return undefined;
  }
  return panel(
    'Failed attempts',
    { test: 'failures' },
    items.toReversed().map((failure, i) =>
      h(
        'details',
        { class: 'failure', key: `failure-${failure.attempt}-${failure.at}`, open: i === 0, data: { test: 'failure' } },
        h(
          'summary',
          {},
          h('span', { class: 'state', data: { state: 'failed' } }, icon('failed'), `attempt ${failure.attempt}`),
          h('b', {}, failure.type),
          h('span', { class: 'failure-message' }, failure.message),
          h('span', { class: 'muted' }, at(failure.at)),
        ),
        h('pre', { tabindex: 0, 'aria-label': 'Stack trace' }, failure.stack_trace ?? 'No stack trace was kept.'),
      ),
    ),
  );
}

function json(title, value, test, otherwise) {
  return panel(
    title,
    { test },
    value === undefined || value === null ? h('p', { class: 'muted pad' }, otherwise) : h('pre', { tabindex: 0, 'aria-label': title }, pretty(value)),
  );
}
