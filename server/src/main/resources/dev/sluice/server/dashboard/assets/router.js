// From the address after # to a page and its parameters.

/** What ids look like. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const routes = [];

/** Adds a route: a pattern such as 'jobs/:id' and the page it shows. */
export function route(pattern, page) {
  routes.push({ parts: pattern.split('/').filter(Boolean), page });
}

/** The page for an address and its parameters, those of the path and of the query together. */
export function resolve(hash) {
  const [path, query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const parts = path.split('/').filter(Boolean);
  for (const { parts: wanted, page } of routes) {
    const params = match(wanted, parts);
    if (params) {
      return { page, params: { ...params, query: new URLSearchParams(query) } };
    }
  }
  return undefined;
}

function match(wanted, parts) {
  if (wanted.length !== parts.length) {
    return undefined;
  }
  const params = {};
  for (const [i, name] of wanted.entries()) {
    if (name.startsWith(':')) {
      params[name.slice(1)] = decode(parts[i]);
    } else if (name !== parts[i]) {
      return undefined;
    }
  }
  return params;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address: link('jobs', id), link('jobs', {state: ['failed']}). */
export function link(...parts) {
  const query = new URLSearchParams();
  if (typeof parts.at(-1) === 'object') {
    for (const [name, value] of Object.entries(parts.pop())) {
      [value].flat().filter((one) => one !== undefined && one !== '').forEach((one) => query.append(name, one));
    }
  }
  const text = query.toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

export function go(address) {
  location.hash = address;
}

/** The same page under another address, without a new entry in the history. */
export function replace(address) {
  history.replaceState(null, '', address);
}
