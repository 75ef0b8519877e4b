// Short messages at the edge of the screen: what was done, and what went wrong.

import { h } from './dom.js';

const GOOD_FOR = 5000;
const SHOWN_AT_ONCE = 4;

/** Says that something was done, in the place of what was said before. */
export function done(text) {
  document.querySelectorAll('.toast.good').forEach((before) => before.remove());
  const element = toast('good', 'status', text);
  setTimeout(() => element.remove(), GOOD_FOR);
}

/** Says what went wrong; stays until it is closed, because it may need to be read twice. */
export function wrong(error) {
  if (error?.name === 'AbortError' || error?.status === 401) {
    return;
  }
  toast('bad', 'alert', error?.message ?? String(error));
}

function toast(kind, role, text) {
  const box = document.getElementById('toasts');
  [...box.children].filter((other) => other.dataset.text === text).forEach((other) => other.remove());
  const element = h(
    'div',
    { class: `toast ${kind}`, role, data: { test: `toast-${kind}`, text } },
    h('p', {}, text),
    h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', on: { click: () => element.remove() } }, '×'),
  );
  box.append(element);
  while (box.children.length > SHOWN_AT_ONCE) {
    box.firstChild.remove();
  }
  return element;
}
