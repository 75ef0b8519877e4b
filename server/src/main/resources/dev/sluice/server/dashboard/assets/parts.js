// What several pages show alike.

import { h } from './dom.js';
import { count, plural, shortId, words } from './format.js';
import { icon } from './icons.js';
import { link } from './router.js';
import { mayWrite, READ_ONLY } from './session.js';
import { wrong } from './toast.js';

/** The states of a job, in the order of its life. */
export const STATES = ['scheduled', 'ready', 'waiting', 'running', 'succeeded', 'failed', 'cancelled'];

/** A state: its drawing, its word, its colour. */
export function state(name) {
  return h('span', { class: 'state', data: { state: name } }, icon(name), words(name));
}

/** A page's heading with what can be done beside it. */
export function heading(title, ...beside) {
  return h('div', { class: 'heading' }, h('h1', { data: { test: 'title' } }, title), h('div', { class: 'heading-end' }, beside));
}

/** A framed part of a page. */
export function panel(title, props, ...content) {
  const { beside, test, ...rest } = props ?? {};
  return h(
    'section',
    { class: 'panel', 'aria-label': typeof title === 'string' ? title : undefined, data: { test }, ...rest },
    h('div', { class: 'panel-head' }, h('h2', {}, title), beside),
    content,
  );
}

/** What stands where nothing is: what that means and what to do about it. */
export function empty(title, hint, command) {
  return h(
    'div',
    { class: 'empty', data: { test: 'empty' } },
    h('p', { class: 'empty-title' }, title),
    hint && h('p', {}, hint),
    command && h('pre', {}, h('code', {}, command)),
  );
}

/** Names and values. */
export function facts(entries) {
  return h(
    'dl',
    { class: 'facts' },
    entries
      .filter((entry) => entry && entry[1] !== undefined && entry[1] !== false)
      .map(([name, value]) => h('div', { key: name }, h('dt', {}, name), h('dd', {}, value))),
  );
}

/**
 * A button that changes something. Off for those who may only read, and while it works; what goes
 * wrong becomes a toast.
 *
 * @param props test, danger, primary, small, disabled, title
 */
export function action(label, run, props = {}) {
  const { danger, primary, small, disabled, title, test, ...rest } = props;
  const kind = [danger && 'danger', primary && 'primary', small && 'small'].filter(Boolean).join(' ');
  const refused = !mayWrite();
  return h(
    'button',
    {
      ...rest,
      type: 'button',
      class: `button ${kind}`,
      disabled: refused || disabled,
      title: refused ? READ_ONLY : title,
      data: { test },
      on: { click: (event) => perform(event.currentTarget, run) },
    },
    label,
  );
}

/** Runs an action of a control, once at a time. */
export async function perform(control, run) {
  if (control.busy) {
    return;
  }
  control.busy = true;
  control.setAttribute('aria-busy', 'true');
  try {
    await run();
  } catch (error) {
    wrong(error);
  } finally {
    control.busy = false;
    control.removeAttribute('aria-busy');
  }
}

/** Explains, once per page, why its controls are off. */
export function readOnlyNote() {
  return mayWrite() ? undefined : h('p', { class: 'note', data: { test: 'read-only-note' } }, icon('held'), h('span', {}, READ_ONLY));
}

const CELLS_UP_TO = 20;

/** How much of a limit is used: a cell for each slot, or a bar where there are too many. */
export function usage({ group, active = 0, limit, held, waiting = 0 }) {
  if (isFamily(group)) {
    return null;
  }
  const label =
    limit === undefined
      ? `${plural(active, 'slot')} in use, no limit`
      : `${count(active)} of ${plural(limit, 'slot')} in use${held ? ', held' : ''}${waiting ? `, ${count(waiting)} waiting` : ''}`;
  // Full with nobody in line is a limit well chosen; only a line makes it worth a look.
  const tight = limit !== undefined && active >= limit && waiting > 0;
  const level = held || limit === 0 ? 'held' : tight ? 'full' : 'calm';
  const cells = limit > 0 && Math.max(limit, active) <= CELLS_UP_TO;
  const content = cells
    ? Array.from({ length: Math.max(limit, active) }, (_, i) =>
        h('i', { class: i < active ? (i < limit ? 'on' : 'on over') : undefined }))
    : h('i', { class: 'fill', style: { width: `${fill(active, limit)}%` } });
  return h('span', { class: `usage ${cells ? 'cells' : 'bar'} ${level}`, role: 'img', 'aria-label': label, title: label }, content);
}

function fill(active, limit) {
  if (!limit) {
    return limit === 0 ? 100 : Math.min(100, active);
  }
  return Math.min(100, (100 * active) / limit);
}

/** Whether the name stands for every key of a task, or every value of a dimension. */
export function isFamily(name) {
  return name !== undefined && (name.endsWith('/*') || name.endsWith('=*'));
}

/** 3 / 5, with words for what has no number; 5 each for a family of groups. */
export function used({ group, active = 0, limit, held }) {
  if (isFamily(group)) {
    return h(
      'span',
      { class: 'used' },
      h('b', {}, limit === undefined ? '∞' : count(limit)),
      h('span', { class: 'muted' }, ' each'),
      (held || limit === 0) && h('span', { class: 'tag warn' }, icon('held'), 'held'),
    );
  }
  return h(
    'span',
    { class: 'used' },
    h('b', {}, count(active)),
    h('span', { class: 'muted' }, limit === undefined ? ' / ∞' : ` / ${count(limit)}`),
    (held || limit === 0) && h('span', { class: 'tag warn' }, icon('held'), 'held'),
    limit > 0 && active === limit && h('span', { class: 'tag' }, 'full'),
    limit > 0 && active > limit && h('span', { class: 'tag warn' }, 'draining'),
  );
}

export function jobLink(id) {
  return id === undefined ? '–' : h('a', { class: 'id', href: link('jobs', id), title: id }, shortId(id));
}

export function groupLink(name) {
  return h('a', { class: 'name', href: link('group', { name }) }, name);
}

export function whyLink(id) {
  return h('a', { class: 'why-link', href: link('why', id), data: { test: 'why-link' } }, 'why?');
}
