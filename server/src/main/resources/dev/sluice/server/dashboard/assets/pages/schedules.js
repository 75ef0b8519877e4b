// Schedules: when they run next, and what they did last.

import { del, post } from '../api.js';
import { ago, at, until } from '../clock.js';
import { confirm } from '../dialog.js';
import { h } from '../dom.js';
import { duration, words } from '../format.js';
import { icon } from '../icons.js';
import { action, empty, heading, jobLink, readOnlyNote } from '../parts.js';
import { table } from '../table.js';
import { askSchedule } from './schedule-form.js';

export const schedules = {
  nav: 'schedules',
  title: () => 'Schedules',
  every: 4,
  load: (context) => context.get('schedules'),
  view: ({ items }, context) => [
    heading('Schedules', action('New schedule …', () => askSchedule(context), { primary: true, test: 'new-schedule' })),
    readOnlyNote(),
    items.length === 0
      ? empty(
          'No schedules yet',
          'A schedule submits a job at each of its times, exactly once however many workers there are.',
          'sluice schedule create nightly --task report --cron "0 3 * * *" --zone Europe/Berlin',
        )
      : list(items, context),
  ],
};

function list(items, context) {
  return table({
    label: 'Schedules',
    test: 'schedule-table',
    rows: items,
    key: ({ name }) => name,
    row: ({ name, paused }) => ({ data: { schedule: name, paused: String(paused), test: 'schedule-row' } }),
    columns: [
      { name: 'Schedule', cell: ({ name, paused }) => [h('span', { class: 'name' }, name), paused && h('span', { class: 'tag warn' }, icon('paused'), 'paused')], wide: true },
      { name: 'Task', cell: ({ task, source }) => [h('span', { class: 'name' }, task), source && h('span', { class: 'below' }, `from ${source}`)] },
      { name: 'When', cell: rhythm },
      { name: 'Next', cell: next },
      { name: 'Last', cell: last },
      { name: 'If missed', cell: ({ misfire, overlap }) => [words(misfire ?? '–'), h('span', { class: 'below' }, `overlap: ${overlap ?? '–'}`)], quiet: true },
      { name: '', cell: (schedule) => controls(schedule, context) },
    ],
  });
}

function rhythm(schedule) {
  if (schedule.cron) {
    return [h('code', {}, schedule.cron), h('span', { class: 'below' }, schedule.zone)];
  }
  return `every ${duration(schedule.every_seconds)}`;
}

function next({ next: when, paused }) {
  if (paused) {
    return 'not while paused';
  }
  return when ? [until(when), h('span', { class: 'below' }, at(when))] : '–';
}

function last({ last: fired }) {
  if (!fired) {
    return 'never';
  }
  const what = fired.job ? jobLink(fired.job) : h('span', { title: fired.message }, words(fired.outcome));
  return [ago(fired.at), h('span', { class: 'below' }, what)];
}

function controls(schedule, context) {
  const { name, paused } = schedule;
  const verb = paused ? 'resume' : 'pause';
  const label = (text) => ({ small: true, 'aria-label': `${text}: schedule ${name}` });
  const toggle = () => context.change(post(`schedule/${verb}`, { name }), paused ? `${name} goes on.` : `${name} is paused.`);
  const trigger = () => context.change(post('schedule/trigger', { name }), `${name} submitted a job.`);
  return h(
    'span',
    { class: 'actions' },
    action('Run now', trigger, { ...label('Run now'), test: 'schedule-trigger', title: 'Submits one job now; the times of the schedule stay as they are.' }),
    action(paused ? 'Resume' : 'Pause', toggle, { ...label(paused ? 'Resume' : 'Pause'), test: `schedule-${verb}` }),
    action('Delete …', () => remove(schedule, context), { ...label('Delete'), danger: true, test: 'schedule-delete' }),
  );
}

async function remove({ name, source }, context) {
  const sure = await confirm({
    title: `Delete the schedule ${name}?`,
    body: [
      h('p', {}, 'It submits nothing more. Jobs it has submitted stay.'),
      (source === 'code' || source.startsWith('config')) &&
        h('p', {}, `It comes from ${source}: the next process that starts with it there makes it again. To stop it for good, remove it there, or pause it.`),
    ],
    action: 'Delete the schedule',
    danger: true,
  });
  if (sure) {
    await context.change(del('schedule', { name }), `${name} is deleted.`);
  }
}
