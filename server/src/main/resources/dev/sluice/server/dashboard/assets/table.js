// Tables that become cards on narrow screens, and the controls that turn their pages.

import { h } from './dom.js';

/**
 * A table.
 *
 * @param options label; columns: [{name, cell(row), number, wide, quiet}]; rows; key(row); row(row): attributes; test;
 *     fit: long names break anywhere, so that many columns fit the screen
 */
export function table({ label, columns, rows, key, row = () => ({}), test, fit }) {
  // The roles are spelled out because a table shown as cards would lose them.
  return h(
    'div',
    { class: 'table-scroll' },
    h(
      'table',
      { class: fit ? 'table fit' : 'table', role: 'table', 'aria-label': label, data: { test } },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map(head))),
      h(
        'tbody',
        { role: 'rowgroup' },
        rows.map((item) => h('tr', { role: 'row', key: key(item), ...row(item) }, columns.map((column) => cell(column, item)))),
      ),
    ),
  );
}

function head({ name, number, hint }) {
  return h('th', { role: 'columnheader', scope: 'col', class: number ? 'number' : undefined, title: hint }, name || h('span', { class: 'visually-hidden' }, 'Actions'));
}

function cell({ name, cell: content, number, wide, quiet }, item) {
  const kind = [number && 'number', wide && 'wide', quiet && 'quiet'].filter(Boolean).join(' ');
  return h('td', { role: 'cell', class: kind || undefined, data: { label: name } }, content(item));
}

/** Back and forth through a list that is read by cursors. */
export function pager({ back, forward, backText, forwardText, first }) {
  if (!back && !forward && !first) {
    return undefined;
  }
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages of the list' },
    turn(first, '⇤ First', 'page-first'),
    turn(back, `← ${backText}`, 'page-back'),
    turn(forward, `${forwardText} →`, 'page-forward'),
  );
}

function turn(address, text, test) {
  return address
    ? h('a', { class: 'button small', href: address, data: { test } }, text)
    : h('span', { class: 'button small off', 'aria-disabled': 'true', data: { test } }, text);
}

// Cursors lead forward only. Where each came from is remembered here; after a reload the way back
// is the first page.
const cameFrom = new Map();

/**
 * The addresses before and after this page of a list.
 *
 * @param address of a cursor (undefined = first page)
 */
export function turns(address, cursor, next) {
  const here = address(cursor);
  if (next) {
    cameFrom.set(address(next), here);
  }
  return {
    first: cursor ? address(undefined) : undefined,
    back: cursor ? (cameFrom.get(here) ?? address(undefined)) : undefined,
    forward: next ? address(next) : undefined,
  };
}
