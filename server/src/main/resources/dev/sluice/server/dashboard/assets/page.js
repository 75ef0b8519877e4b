// The life of a page: load, show, refresh with the server's heartbeat, leave.

import { get } from './api.js';
import { h, render } from './dom.js';
import { icon } from './icons.js';
import { on } from './live.js';
import { done } from './toast.js';

/**
 * Opens a page in an element.
 *
 * @param page load(context): data; view(data, context): nodes; every: seconds between refreshes;
 *     shown(data, context), after each showing; events: topics that refresh at once if wants(event) says so
 * @param before whether the same page is shown with other parameters, and stays until the answer is there
 * @return how to leave it
 */
export function openPage(page, root, params, before) {
  const leaving = new AbortController();
  const stops = [];
  let data;
  let loading = false;
  let again = false;
  let loadedAt = 0;
  let gone = false;

  const context = {
    params,
    root,
    signal: leaving.signal,
    get: (path, query) => get(path, query, leaving.signal),
    refresh: () => load(),
    redraw: () => data !== undefined && draw(),
    /** Does something, says so, and shows what came of it; what to say may depend on the answer. */
    async change(call, text) {
      const answer = await call;
      done(typeof text === 'function' ? text(answer) : text);
      await load();
      return answer;
    },
    onLeave: (stop) => stops.push(stop),
    memory: {},
  };

  async function load() {
    if (loading) {
      again = true;
      return;
    }
    loading = true;
    try {
      do {
        again = false;
        loadedAt = Date.now();
        data = await page.load(context);
        gone = false;
      } while (again && !leaving.signal.aborted);
      draw();
    } catch (error) {
      fail(error);
    } finally {
      loading = false;
    }
  }

  function draw() {
    if (!leaving.signal.aborted) {
      render(root, page.view(data, context));
      page.shown?.(data, context);
    }
  }

  function fail(error) {
    // Once something is shown it stays: the indicator of the connection says that it is old.
    if (leaving.signal.aborted || error.name === 'AbortError' || (data !== undefined && error.status !== 404 && error.status !== 400)) {
      return;
    }
    if (!('status' in error)) {
      throw error;
    }
    // What is not there is not asked for again and again.
    gone = error.status === 404 || error.status === 400;
    render(root, problem(error, load));
  }

  if (!before) {
    render(root, h('p', { class: 'loading', data: { test: 'loading' } }, 'Loading …'));
  }
  stops.push(
    on('state', (state) => {
      page.state?.(state, context);
      if (page.every && !gone && Date.now() - loadedAt >= page.every * 1000 - 200) {
        load();
      }
    }),
  );
  for (const topic of page.events ?? []) {
    stops.push(on(topic, (event) => page.wants(event, context, data) && load()));
  }
  load();
  return () => {
    leaving.abort();
    stops.forEach((stop) => stop());
  };
}

function problem(error, retry) {
  return h(
    'div',
    { class: 'empty', role: 'alert', data: { test: 'problem' } },
    h('p', { class: 'empty-title' }, icon('warning'), error.status === 404 || error.status === 400 ? 'Not found' : 'This cannot be shown now'),
    h('p', {}, error.message),
    h('button', { class: 'button', type: 'button', on: { click: retry } }, 'Try again'),
  );
}
