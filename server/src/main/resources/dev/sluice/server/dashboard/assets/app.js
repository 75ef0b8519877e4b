// Starts the dashboard: session, shell, keys, live events, routes.

import { startTicking } from './clock.js';
import { render } from './dom.js';
import { startKeys } from './keys.js';
import { startLive } from './live.js';
import { openPage } from './page.js';
import { concurrency } from './pages/concurrency.js';
import { group } from './pages/group.js';
import { job } from './pages/job.js';
import { jobs } from './pages/jobs.js';
import { overview } from './pages/overview.js';
import { run } from './pages/run.js';
import { schedules } from './pages/schedules.js';
import { throttles } from './pages/throttles.js';
import { why } from './pages/why.js';
import { workers } from './pages/workers.js';
import { workflows } from './pages/workflows.js';
import { empty } from './parts.js';
import { resolve, route } from './router.js';
import { openSession } from './session.js';
import { markPage, startShell } from './shell.js';
import { wrong } from './toast.js';

const PAGES = [
  { id: 'overview', name: 'Overview', address: '#/', key: 'o' },
  { id: 'concurrency', name: 'Concurrency', address: '#/concurrency', key: 'c' },
  { id: 'jobs', name: 'Jobs', address: '#/jobs', key: 'j' },
  { id: 'why', name: 'Why', address: '#/why', key: 'y' },
  { id: 'workflows', name: 'Workflows', address: '#/workflows', key: 'f' },
  { id: 'workers', name: 'Workers', address: '#/workers', key: 'w' },
  { id: 'schedules', name: 'Schedules', address: '#/schedules', key: 's' },
  { id: 'throttles', name: 'Throttles', address: '#/throttles', key: 't' },
];

route('', overview);
route('concurrency', concurrency);
route('group', group);
route('jobs', jobs);
route('jobs/:id', job);
route('why', why);
route('why/:id', why);
route('workflows', workflows);
route('workflows/:id', run);
route('workers', workers);
route('schedules', schedules);
route('throttles', throttles);

const main = document.getElementById('main');
let leave = () => {};
let shownPath;
let shownCursor;

function show() {
  const hash = location.hash;
  leave();
  leave = () => {};
  const found = resolve(hash);
  if (!found) {
    document.title = 'Not found · Sluice';
    render(main, empty('There is no such page', 'Choose one from the menu, or search for a job by its id.'));
    return;
  }
  const { page, params } = found;
  const title = page.title(params);
  document.title = `${title} · Sluice`;
  markPage(page.nav);
  // A filter that changes the query must not take the focus from its field.
  const path = hash.split('?')[0];
  leave = openPage(page, main, params, shownPath === path);
  if (shownPath !== undefined && shownPath !== path) {
    scrollTo(0, 0);
    document.getElementById('announcer').textContent = title;
    main.focus({ preventScroll: true });
  }
  const cursor = params.query.get('cursor');
  if (cursor !== shownCursor) {
    scrollTo(0, 0);
  }
  shownPath = path;
  shownCursor = cursor;
}

async function start() {
  startShell(PAGES);
  startKeys(PAGES);
  startTicking(document);
  try {
    await openSession();
  } catch (error) {
    wrong(error);
  }
  addEventListener('hashchange', show);
  document.addEventListener('sluice:session', show);
  show();
  startLive();
}

start();
