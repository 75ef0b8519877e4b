// Calls of the HTTP API. Every failure is an ApiError whose message may be shown.

const BASE = 'api/v1/';

/** What the server, or the way to it, answered instead of data. */
export class ApiError extends Error {
  constructor(status, message, problem = {}) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

let onUnauthorized = () => {};

/** Who is told that a token is needed. */
export function whenUnauthorized(listener) {
  onUnauthorized = listener;
}

/** The address of a call; parameters that are empty are left out, lists repeat. */
export function url(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== '') {
        query.append(name, one);
      }
    }
  }
  const text = query.toString();
  return BASE + path + (text ? `?${text}` : '');
}

export function get(path, params, signal) {
  return call('GET', url(path, params), undefined, signal);
}

export function post(path, params, body) {
  return call('POST', url(path, params), body);
}

export function put(path, params, body) {
  return call('PUT', url(path, params), body);
}

export function del(path, params) {
  return call('DELETE', url(path, params));
}

/** A part of a path. */
export function part(text) {
  return encodeURIComponent(text);
}

async function call(method, address, body, signal) {
  const headers = { Accept: 'application/json' };
  if (method !== 'GET') {
    headers['X-Sluice-Request'] = '1';
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const response = await send(address, {
    method,
    headers,
    signal,
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: 'same-origin',
    cache: 'no-store',
  });
  if (!response.ok) {
    throw await failure(response);
  }
  // Read to the end even where nothing is expected: a browser counts an answer left unread as aborted.
  const text = await response.text();
  return text ? JSON.parse(text) : undefined;
}

async function send(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError(0, 'The server does not answer. What you see may be out of date.');
  }
}

async function failure(response) {
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // Not JSON: a proxy's page, which says nothing to the reader.
  }
  if (response.status === 401) {
    onUnauthorized();
  }
  const message = problem.detail || problem.title || `The server answered ${response.status}.`;
  return new ApiError(response.status, message, problem);
}
