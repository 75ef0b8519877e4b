// One run of a workflow: its graph, its steps, what can be done.

import { part, post, put } from '../api.js';
import { ago, at } from '../clock.js';
import { drawing } from '../dag.js';
import { ask, confirm } from '../dialog.js';
import { h } from '../dom.js';
import { count, pretty, shortId } from '../format.js';
import { action, facts, heading, jobLink, panel, readOnlyNote, state } from '../parts.js';
import { link } from '../router.js';
import { table } from '../table.js';
import { reasonList } from './why.js';

const DRAWN_UP_TO = 400;
const FINISHED = ['succeeded', 'failed', 'cancelled'];

export const run = {
  nav: 'workflows',
  title: ({ id }) => `Run ${shortId(id)}`,
  every: 2,
  async load(context) {
    const id = part(context.params.id);
    const step = context.params.query.get('step') ?? undefined;
    const [data, why] = await Promise.all([context.get(`workflows/${id}`), step && whyStep(context, id, step)]);
    return { data, step, why };
  },
  events: ['job'],
  wants: (event, context, shown) => shown?.data.steps.some(({ job }) => job === event.job),
  view: ({ data, step, why }, context) => [
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows')),
    heading([h('span', { class: 'name' }, data.type), ' ', state(data.state)], controls(data, context)),
    h('p', { class: 'full-id', data: { test: 'run-id' } }, data.id),
    readOnlyNote(),
    summary(data),
    graph(data, step),
    step && chosen(data, step, why),
    list(data),
    h(
      'div',
      { class: 'columns' },
      data.input !== undefined && panel('Input', { test: 'input' }, h('pre', { tabindex: 0 }, pretty(data.input))),
      data.output !== undefined && panel('Output', { test: 'output' }, h('pre', { tabindex: 0 }, pretty(data.output))),
    ),
  ],
};

async function whyStep(context, id, step) {
  try {
    return await context.get(`workflows/${id}/why`, { step });
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    return undefined;
  }
}

function controls({ id, state: name, steps = [] }, context) {
  const path = `workflows/${part(id)}`;
  const finished = FINISHED.includes(name);
  const say = (verb, text) => () => context.change(post(`${path}/${verb}`), text);
  return [
    !finished && action('Signal …', () => signal(path, steps, context), { test: 'run-signal' }),
    !finished && action('Caps …', () => caps(path, context), { test: 'run-caps' }),
    !finished && name !== 'paused' && action('Pause', say('pause', 'The run is paused: steps in flight finish, none starts.'), { test: 'run-pause' }),
    name === 'paused' && action('Resume', say('resume', 'The run goes on.'), { primary: true, test: 'run-resume' }),
    !finished && action('Cancel …', () => cancel(path, context), { danger: true, test: 'run-cancel' }),
    (name === 'failed' || name === 'cancelled') && action('Retry', say('retry', 'The run goes on from the steps that did not succeed.'), { primary: true, test: 'run-retry' }),
  ];
}

async function cancel(path, context) {
  const sure = await confirm({
    title: 'Cancel this run?',
    body: h('p', {}, 'Its jobs are cancelled: those that wait do not start, those that run are asked to stop. What succeeded is kept, and the run can be retried.'),
    action: 'Cancel the run',
    danger: true,
  });
  if (sure) {
    await context.change(post(`${path}/cancel`), 'The run is cancelled.');
  }
}

function signal(path, steps, context) {
  const awaited = steps.find((step) => step.signal && step.state === 'running')?.signal;
  return ask({
    title: 'Send a signal',
    action: 'Send',
    fields: [
      h('label', { for: 'signal-name' }, 'Name'),
      h('input', { id: 'signal-name', name: 'name', required: true, value: awaited ?? '', autocomplete: 'off', data: { test: 'signal-name' } }),
      h('label', { for: 'signal-payload' }, 'Payload (JSON, may be empty)'),
      h('textarea', { id: 'signal-payload', name: 'payload', rows: 5, spellcheck: 'false', data: { test: 'signal-payload' } }),
    ],
    async check(form) {
      const text = form.get('payload').trim();
      const name = form.get('name').trim();
      await context.change(post(`${path}/signals/${part(name)}`, {}, text ? parse(text) : {}), `The signal ${name} was sent.`);
    },
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The payload is not JSON: ${error.message}`);
  }
}

function caps(path, context) {
  return ask({
    title: 'Steps in flight',
    action: 'Set',
    fields: [
      h('p', {}, 'At most so many steps of this run are in flight. 0 starts nothing more.'),
      h('label', { for: 'caps-steps' }, 'max_concurrent_steps'),
      h('input', { id: 'caps-steps', name: 'steps', type: 'number', min: 0, step: 1, required: true, data: { test: 'caps-steps' } }),
    ],
    async check(form) {
      const steps = Number(form.get('steps'));
      await context.change(put(`${path}/caps`, {}, { max_concurrent_steps: steps }), `At most ${steps} steps are in flight.`);
    },
  });
}

function summary({ caps: set = {}, ...data }) {
  const cap = set.max_concurrent_steps;
  const flying = count(data.in_flight);
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Summary' },
    facts([
      ['In flight', h('span', { data: { test: 'in-flight' } }, cap === undefined ? flying : `${flying} of ${count(cap)}`)],
      ['Held back by the cap', data.deferred > 0 && count(data.deferred)],
      ['Steps', `${count(data.succeeded_steps)} of ${count(data.step_count)} succeeded`],
      ['Started at once', set.max_steps_per_tick === undefined ? 'any number' : `at most ${set.max_steps_per_tick}`],
      ['Created', [at(data.created_at), h('span', { class: 'beside' }, ago(data.created_at))]],
      ['Changed', ago(data.updated_at)],
      ['Part of', data.parent && h('a', { class: 'id', href: link('workflows', data.parent) }, shortId(data.parent))],
      ['Message', data.message && h('span', { class: data.state === 'failed' ? 'bad-text' : undefined }, data.message)],
    ]),
  );
}

function graph({ id, steps = [] }, selected) {
  const address = ({ name }) => link('workflows', id, { step: name === selected ? undefined : name });
  return panel(
    'Graph',
    { test: 'graph' },
    steps.length > DRAWN_UP_TO
      ? h('p', { class: 'muted pad' }, `${count(steps.length)} steps are too many to draw; they are listed below.`)
      : h('div', { class: 'dag-scroll', tabindex: 0, role: 'region', 'aria-label': 'Graph of the run' }, drawing(steps, address, selected)),
  );
}

function chosen({ steps }, name, why) {
  const step = steps.find((one) => one.name === name);
  return (
    step &&
    panel(
      [h('span', { class: 'name' }, step.name), ' ', state(step.state)],
      { test: 'step', 'aria-label': `Step ${step.name}` },
      why?.reasons && reasonList(why.reasons),
      facts([
        ['Kind', step.kind],
        ['Task', step.task],
        ['Signal', step.signal],
        ['Job', step.job && jobLink(step.job)],
        ['Depends on', step.depends_on?.length > 0 && step.depends_on.join(', ')],
        ['Error', step.error && h('span', { class: 'bad-text' }, step.error)],
      ]),
    )
  );
}

function list({ id, steps = [] }) {
  return panel(
    'Steps',
    { test: 'steps' },
    table({
      label: 'Steps',
      rows: steps,
      key: ({ name }) => name,
      row: ({ name, state: now }) => ({ data: { step: name, state: now, test: 'step-row' } }),
      columns: [
        { name: 'State', cell: (step) => state(step.state) },
        { name: 'Step', cell: ({ name }) => h('a', { class: 'name', href: link('workflows', id, { step: name }) }, name), wide: true },
        { name: 'Task', cell: ({ task }) => task ?? '–' },
        { name: 'Job', cell: ({ job }) => jobLink(job) },
        { name: 'Items', cell: ({ items }) => (items ? `${count(items.succeeded)} / ${count(items.total)}` : '–'), number: true },
        { name: 'Attempt', cell: ({ attempt }) => attempt ?? '–', number: true, quiet: true },
        { name: 'Now', cell: (step) => h('span', { class: 'name' }, step.error ?? step.waits_for ?? '–'), quiet: true },
      ],
    }),
  );
}
