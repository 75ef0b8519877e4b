// The store's time as the browser sees it, and texts that go on ticking between two answers.

import { h } from './dom.js';
import { exact, instant, span } from './format.js';

let ahead = 0;

/** Learns the store's time from an answer. */
export function setNow(iso) {
  const at = Date.parse(iso);
  if (!Number.isNaN(at)) {
    ahead = at - Date.now();
  }
}

/** The store's time in milliseconds. */
export function now() {
  return Date.now() + ahead;
}

/** Seconds from an instant until now; negative if it is to come. */
export function secondsSince(iso) {
  return (now() - Date.parse(iso)) / 1000;
}

/** How long ago, ticking. */
export function ago(iso, props) {
  return ticking('ago', iso, props);
}

/** How long until, ticking; past it, the word says so. */
export function until(iso, props) {
  return ticking('until', iso, props);
}

/** An instant as such. */
export function at(iso) {
  return iso === undefined ? '–' : h('time', { datetime: iso, title: exact(iso) }, instant(iso));
}

function ticking(kind, iso, props = {}) {
  if (iso === undefined) {
    return '–';
  }
  const data = { ...props.data, tick: kind };
  return h('time', { ...props, datetime: iso, title: exact(iso), data }, text(kind, iso));
}

function text(kind, iso) {
  const seconds = secondsSince(iso);
  if (kind === 'ago') {
    return seconds < 1 ? 'now' : `${span(seconds)} ago`;
  }
  if (seconds >= 0) {
    return 'due';
  }
  return `in ${span(-seconds)}`;
}

/** Moves every ticking text below the element on, once a second. */
export function startTicking(root) {
  setInterval(() => {
    for (const element of root.querySelectorAll('[data-tick]')) {
      tick(element);
    }
  }, 1000);
}

function tick(element) {
  const { tick: kind } = element.dataset;
  if (kind === 'lease') {
    showLease(element);
    return;
  }
  const wanted = text(kind, element.getAttribute('datetime'));
  if (element.textContent !== wanted) {
    element.textContent = wanted;
  }
}

// The longest that was seen of each lease: of a slot the server knows what is left, not what it was.
const longest = new Map();
const REMEMBERED = 2000;

/** A lease that runs down: the seconds left and a bar that empties. Whose: tells leases apart. */
export function lease(expiresAt, seconds, whose) {
  const length = Math.max(seconds, longest.get(whose) ?? 0);
  if (longest.size > REMEMBERED) {
    longest.clear();
  }
  longest.set(whose, length);
  const meter = h('span', { class: 'lease-left' });
  const label = h('span', { class: 'lease-text' });
  const element = h(
    'span',
    { class: 'lease', title: `expires ${exact(expiresAt)}`, data: { tick: 'lease', expires: expiresAt, length } },
    label,
    h('span', { class: 'lease-bar', 'aria-hidden': 'true' }, meter),
  );
  showLease(element);
  return element;
}

function showLease(element) {
  const left = -secondsSince(element.dataset.expires);
  const part = Math.min(1, Math.max(0, left / Number(element.dataset.length || 60)));
  const [label, bar] = element.children;
  label.textContent = left > 0 ? span(left) : 'expired';
  bar.firstChild.style.width = `${(part * 100).toFixed(1)}%`;
  element.classList.toggle('low', part < 0.25);
}
