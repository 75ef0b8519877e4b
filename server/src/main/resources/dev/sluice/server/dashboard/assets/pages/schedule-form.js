// The form of a new schedule.

import { post } from '../api.js';
import { ask } from '../dialog.js';
import { h } from '../dom.js';

/** Asks for a schedule and makes it. */
export function askSchedule(context) {
  return ask({
    title: 'New schedule',
    action: 'Create',
    test: 'schedule-dialog',
    fields: [
      field('name', 'Name', { required: true, placeholder: 'nightly-report' }),
      field('task', 'Task', { required: true, placeholder: 'report' }),
      h('div', { class: 'pair' }, field('cron', 'Cron', { placeholder: '0 3 * * *' }), field('every', 'or every … seconds', { type: 'number', min: 1, step: 'any' })),
      h('div', { class: 'pair' }, field('zone', 'Time zone of cron', { value: zone() }), field('queue', 'Queue', { value: 'default' })),
      h(
        'div',
        { class: 'pair' },
        choice('misfire', 'A time that was missed', [['run_once', 'is made up for once'], ['skip', 'is skipped']]),
        choice('overlap', 'While the job before runs', [['wait', 'the next waits'], ['skip', 'the next is skipped'], ['allow', 'both run']]),
      ),
      h('label', { for: 'schedule-payload' }, 'Payload (JSON)'),
      h('textarea', { id: 'schedule-payload', name: 'payload', rows: 3, spellcheck: 'false', data: { test: 'schedule-payload' } }, '{}'),
    ],
    async check(form) {
      const schedule = read(form);
      await context.change(post('schedules', {}, schedule), `The schedule ${schedule.name} is made.`);
    },
  });
}

function field(name, label, props) {
  const id = `schedule-${name}`;
  return h(
    'div',
    { class: 'form-field' },
    h('label', { for: id }, label),
    h('input', { id, name, autocomplete: 'off', spellcheck: 'false', ...props, data: { test: id } }),
  );
}

function choice(name, label, options) {
  const id = `schedule-${name}`;
  return h(
    'div',
    { class: 'form-field' },
    h('label', { for: id }, label),
    h('select', { id, name, data: { test: id } }, options.map(([value, text]) => h('option', { value }, text))),
  );
}

function zone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

function read(form) {
  const text = (name) => form.get(name).trim() || undefined;
  const cron = text('cron');
  const every = text('every');
  if ((cron === undefined) === (every === undefined)) {
    throw new Error('Give either a cron expression or an interval.');
  }
  return {
    name: text('name'),
    task: text('task'),
    cron,
    every_seconds: every && Number(every),
    zone: text('zone'),
    queue: text('queue'),
    misfire: form.get('misfire'),
    overlap: form.get('overlap'),
    payload: payload(text('payload') ?? '{}'),
  };
}

function payload(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The payload is not JSON: ${error.message}`);
  }
}
