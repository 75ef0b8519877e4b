// What surrounds the pages: navigation, search, colours, store, badge of violations.

import { startAlerts } from './alerts.js';
import { h, render } from './dom.js';
import { count, plural } from './format.js';
import { icon } from './icons.js';
import { on } from './live.js';
import { go, link, UUID } from './router.js';
import { signOut } from './session.js';
import { wrong } from './toast.js';

/** Draws the navigation and brings the header to life. */
export function startShell(pages) {
  const nav = document.getElementById('nav');
  render(
    nav,
    h('ul', {}, pages.map(item)),
    h(
      'div',
      { class: 'nav-foot' },
      h('button', { class: 'button small', id: 'sign-out', type: 'button', hidden: true, data: { test: 'sign-out' }, on: { click: leave } }, 'Sign out'),
      h('p', { id: 'version', data: { test: 'version' } }),
    ),
  );
  startSkipLink();
  startMenu(nav);
  startSearch();
  startTheme();
  startAlerts();
  on('state', showState);
}

function leave() {
  signOut().catch(wrong);
}

function item({ name, address, id, key }) {
  return h(
    'li',
    {},
    h(
      'a',
      { href: address, title: `g ${key}`, data: { test: `nav-${id}`, nav: id } },
      icon(id),
      h('span', {}, name),
      h('span', { class: 'nav-count', data: { count: id } }),
    ),
  );
}

/** Marks the page that is shown. */
export function markPage(id) {
  for (const anchor of document.querySelectorAll('#nav a')) {
    if (anchor.dataset.nav === id) {
      anchor.setAttribute('aria-current', 'page');
    } else {
      anchor.removeAttribute('aria-current');
    }
  }
  closeMenu();
}

// By script, because the address after # names a page here.
function startSkipLink() {
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    document.getElementById('main').focus();
  });
}

function startMenu(nav) {
  const button = document.getElementById('menu');
  button.addEventListener('click', () => {
    const open = document.body.classList.toggle('menu-open');
    button.setAttribute('aria-expanded', String(open));
    if (open) {
      nav.querySelector('a').focus();
    }
  });
  document.getElementById('main').addEventListener('click', closeMenu);
}

function closeMenu() {
  document.body.classList.remove('menu-open');
  document.getElementById('menu').setAttribute('aria-expanded', 'false');
}

function startSearch() {
  const input = document.getElementById('search-text');
  document.getElementById('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text) {
      go(UUID.test(text) ? link('jobs', text.toLowerCase()) : link('jobs', { text }));
      input.value = '';
      input.blur();
    }
  });
}

const NEXT_THEME = { system: 'light', light: 'dark', dark: 'system' };

function startTheme() {
  const button = document.getElementById('theme');
  const { dataset } = document.documentElement;
  const label = () => {
    const text = `Colours: ${dataset.choice === 'system' ? 'as the system' : dataset.choice}`;
    document.getElementById('theme-label').textContent = text;
    button.title = text;
  };
  button.addEventListener('click', () => {
    dataset.choice = NEXT_THEME[dataset.choice];
    remember(dataset.choice);
    label();
    document.dispatchEvent(new Event('sluice:choice'));
  });
  label();
}

function remember(theme) {
  try {
    localStorage.setItem('sluice.theme', theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

function showState({ store, version, violations, counts = {}, workers = {} }) {
  showStore(store);
  document.getElementById('version').textContent = version ? `Sluice ${version}` : '';
  showViolations(violations ?? 0);
  setCount('jobs', counts.running, 'running');
  setCount('workers', workers.alive, 'alive');
}

function showStore(store) {
  const element = document.getElementById('store');
  const { kind = '', name = '', address = '' } = store ?? {};
  render(element, name && name !== kind && h('span', { class: 'store-kind' }, kind), h('b', { data: { test: 'store-name' } }, name));
  element.title = address;
}

function showViolations(n) {
  const badge = document.getElementById('violations');
  badge.hidden = n === 0;
  if (n > 0) {
    badge.setAttribute('aria-label', plural(n, 'limit violation'));
    render(badge, icon('warning'), count(n), h('span', {}, n === 1 ? 'limit violation' : 'limit violations'));
    badge.title = 'The auditor found more holders than a limit allows. See the log of the server and sluice doctor.';
  }
}

function setCount(id, n, what) {
  const element = document.querySelector(`[data-count="${id}"]`);
  const text = n ? count(n) : '';
  if (element && element.textContent !== text) {
    element.textContent = text;
    element.title = n ? `${count(n)} ${what}` : '';
  }
}
