// Keys: / searches, g and a letter goes to a page, ? lists them.

import { inform } from './dialog.js';
import { h } from './dom.js';
import { go } from './router.js';

const WAIT_FOR_SECOND = 1500;

/** Listens, for as long as the page lives. Pages: [{key, address, name}]. */
export function startKeys(pages) {
  let leader = 0;
  document.getElementById('keys').addEventListener('click', () => showKeys(pages));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) {
      return;
    }
    if (event.key === 'Escape') {
      escape();
      return;
    }
    if (isTyping(event.target)) {
      return;
    }
    const led = Date.now() - leader < WAIT_FOR_SECOND;
    leader = 0;
    const page = led && pages.find(({ key }) => key === event.key);
    if (page) {
      go(page.address);
    } else if (event.key === 'g') {
      leader = Date.now();
      return;
    } else if (event.key === '/') {
      (document.querySelector('main [data-search]') ?? document.getElementById('search-text')).focus();
    } else if (event.key === '?') {
      showKeys(pages);
    } else {
      return;
    }
    event.preventDefault();
  });
}

function escape() {
  document.body.classList.remove('menu-open');
  document.getElementById('menu').setAttribute('aria-expanded', 'false');
  if (isTyping(document.activeElement)) {
    document.activeElement.blur();
  }
}

function isTyping(element) {
  return element.matches?.('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');
}

function showKeys(pages) {
  const rows = [
    [['/'], 'Search'],
    ...pages.map(({ key, name }) => [['g', key], name]),
    [['?'], 'These keys'],
    [['Esc'], 'Close a dialog, leave a field'],
  ];
  inform(
    'keys-dialog',
    'Keys',
    h('dl', { class: 'keys' }, rows.map(([keys, text]) => h('div', {}, h('dt', {}, keys.map((key) => h('kbd', {}, key))), h('dd', {}, text)))),
  );
}
