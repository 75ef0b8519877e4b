// The stream of the server's events, and the heartbeat that pages refresh by.
//
// One stream per visible tab. When it breaks, it is opened again after a pause that doubles up to half a
// minute; meanwhile the overview is polled, so that pages go on. A hidden tab closes its stream: browsers
// open only six connections to a server, and forgotten tabs would use them up.

import { get, url } from './api.js';
import { setNow } from './clock.js';
import { instant } from './format.js';

const TOPICS = ['state', 'job', 'limit'];
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const POLL_EVERY = 5000;
const STALE_AFTER = 12_000;
const HIDDEN_FOR = 20_000;

const listeners = new Map();
let source;
let pause = FIRST_PAUSE;
let retryTimer;
let hideTimer;
let lastHeard = 0;
let lastState;
let status = 'connecting';

/** Calls back on each event of a topic; returns how to stop it. */
export function on(topic, listener) {
  const set = listeners.get(topic) ?? new Set();
  listeners.set(topic, set.add(listener));
  return () => set.delete(listener);
}

/** The latest overview, if there was one. */
export function latestState() {
  return lastState;
}

/** Begins to listen, for as long as the page lives. */
export function startLive() {
  open();
  setInterval(watch, 1000);
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hideTimer);
    if (document.hidden) {
      hideTimer = setTimeout(close, HIDDEN_FOR);
    } else if (!source) {
      reopen();
    }
  });
  addEventListener('pagehide', close);
  addEventListener('pageshow', (event) => event.persisted && reopen());
  addEventListener('online', reopen);
  document.addEventListener('sluice:session', reopen);
}

function open() {
  clearTimeout(retryTimer);
  source = new EventSource(url('events', { topics: TOPICS.join(',') }));
  source.onopen = () => {
    pause = FIRST_PAUSE;
  };
  source.onerror = retry;
  for (const topic of TOPICS) {
    source.addEventListener(topic, (event) => receive(topic, event.data));
  }
}

function close() {
  clearTimeout(retryTimer);
  source?.close();
  source = undefined;
}

function reopen() {
  close();
  pause = FIRST_PAUSE;
  open();
}

function retry() {
  close();
  show('reconnecting');
  // Tabs that lost the same server must not come back in step.
  retryTimer = setTimeout(() => !document.hidden && open(), pause * (0.75 + Math.random() / 2));
  pause = Math.min(LONGEST_PAUSE, pause * 2);
}

function receive(topic, text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return;
  }
  if (topic === 'state') {
    heard(data);
    show(data.stale_since ? 'silent' : 'live');
  }
  emit(topic, data);
}

function heard(state) {
  lastHeard = Date.now();
  lastState = state;
  setNow(state.now);
}

function emit(topic, data) {
  listeners.get(topic)?.forEach((listener) => listener(data));
}

let polling = false;
let polledAt = 0;

/** Once a second: polls while there is no stream, and says when what is shown has become old. */
async function watch() {
  const silent = Date.now() - lastHeard;
  const streaming = source?.readyState === EventSource.OPEN;
  if (document.hidden || (streaming && silent < STALE_AFTER)) {
    return;
  }
  if (lastHeard && silent > STALE_AFTER) {
    show('stale');
  }
  if (polling || Date.now() - polledAt < POLL_EVERY) {
    return;
  }
  polling = true;
  polledAt = Date.now();
  try {
    const state = await get('overview');
    heard(state);
    if (status === 'stale' && !source) {
      reopen(); // The server is back: no need to sit the pause out.
    }
    show(state.stale_since ? 'silent' : 'polling');
    emit('state', state);
  } catch {
    show(lastHeard ? 'stale' : 'reconnecting');
  } finally {
    polling = false;
  }
}

const TEXTS = {
  live: () => 'live',
  polling: () => 'polling',
  reconnecting: () => 'reconnecting',
  silent: () => `store silent since ${instant(lastState.stale_since)}`,
  stale: () => `stale since ${instant(new Date(lastHeard).toISOString())}`,
};
const TITLES = {
  live: 'The server sends changes as they happen.',
  polling: 'The stream of events is not open; asking every 5 seconds instead.',
  reconnecting: 'The stream of events broke; trying to open it again.',
  silent: 'The server answers, its store does not. What you see is from then.',
  stale: 'The server does not answer. What you see is from then.',
};

function show(next) {
  const element = document.getElementById('live');
  // A poll that answers must not hide that the stream is down, nor a retry that the answers are old.
  if (next === 'reconnecting' && ['polling', 'stale', 'silent'].includes(status)) {
    return;
  }
  const text = TEXTS[next]();
  if (next !== status || element.textContent !== text) {
    status = next;
    element.dataset.state = next;
    element.textContent = text;
    element.title = TITLES[next];
    document.body.classList.toggle('is-stale', next === 'stale' || next === 'silent');
  }
}
