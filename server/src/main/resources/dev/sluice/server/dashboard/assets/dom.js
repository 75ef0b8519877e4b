// Builds elements from data, and makes what is shown equal to what was built.
// Data reaches the page as text nodes and attributes only; nothing here parses HTML.

const SVG = 'http://www.w3.org/2000/svg';

/** An HTML element. Properties: class, data, style, on, key, keep; all others are attributes. */
export function h(tag, props, ...children) {
  return build(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props, ...children) {
  return build(document.createElementNS(SVG, tag), props, children);
}

function build(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    set(element, name, value);
  }
  append(element, children);
  return element;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) {
    return;
  }
  if (name === 'on') {
    element.handlers = value;
    Object.keys(value).forEach((type) => listen(element, type));
  } else if (name === 'key') {
    element.key = String(value);
  } else if (name === 'keep') {
    element.keep = true;
  } else if (name === 'data') {
    for (const [key, text] of Object.entries(value)) {
      if (text !== undefined) {
        element.dataset[key] = text;
      }
    }
  } else if (name === 'style') {
    Object.entries(value).forEach(([property, text]) => element.style.setProperty(property, text));
  } else {
    element.setAttribute(name, value === true ? '' : value);
  }
}

// One listener per element and type looks its handler up when it fires: morph can then hand a
// newer handler to an element that stays.
function listen(element, type) {
  element.addEventListener(type, (event) => element.handlers?.[type]?.(event));
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/** Makes the children of an element equal to these, and keeps what is equal: focus, scroll, selection. */
export function render(element, ...children) {
  const wanted = document.createElement(element.tagName);
  append(wanted, children);
  morphChildren(element, wanted);
}

function morphChildren(shown, wanted) {
  const keyed = new Map();
  for (const child of shown.childNodes) {
    if (child.key !== undefined) {
      keyed.set(child.key, child);
    }
  }
  let cursor = shown.firstChild;
  for (const next of [...wanted.childNodes]) {
    const match = next.key !== undefined ? keyed.get(next.key) : unkeyed(cursor, next);
    if (match && similar(match, next)) {
      if (match === cursor) {
        cursor = cursor.nextSibling;
      } else {
        shown.insertBefore(match, cursor);
      }
      morph(match, next);
    } else {
      shown.insertBefore(next, cursor);
    }
  }
  while (cursor) {
    const rest = cursor.nextSibling;
    cursor.remove();
    cursor = rest;
  }
}

function unkeyed(cursor, next) {
  return cursor && cursor.key === undefined && similar(cursor, next) ? cursor : undefined;
}

function similar(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.key === b.key;
}

function morph(shown, wanted) {
  if (shown.nodeType !== Node.ELEMENT_NODE) {
    if (shown.data !== wanted.data) {
      shown.data = wanted.data;
    }
    return;
  }
  if (shown.keep) {
    return;
  }
  morphHandlers(shown, wanted);
  morphAttributes(shown, wanted);
  morphChildren(shown, wanted);
}

function morphHandlers(shown, wanted) {
  const before = shown.handlers ?? {};
  shown.handlers = wanted.handlers;
  for (const type of Object.keys(wanted.handlers ?? {})) {
    if (!(type in before)) {
      listen(shown, type);
    }
  }
}

// An attribute no longer moves a field that was touched once. It follows all the same when the
// address changes, but never while somebody types in it.
function follow(shown, name, value) {
  if (name === 'value' && shown.tagName === 'INPUT' && shown !== document.activeElement) {
    shown.value = value;
  } else if (name === 'selected' || name === 'checked') {
    shown[name] = true;
  }
}

function morphAttributes(shown, wanted) {
  for (const { name } of [...shown.attributes]) {
    // Whether details are open is the reader's business.
    if (!wanted.hasAttribute(name) && name !== 'style' && name !== 'open') {
      shown.removeAttribute(name);
    }
  }
  for (const { name, value } of wanted.attributes) {
    if (name !== 'style' && shown.getAttribute(name) !== value) {
      shown.setAttribute(name, value);
      follow(shown, name, value);
    }
  }
  // The policy forbids style attributes and allows style properties.
  if (shown.style.cssText !== wanted.style.cssText) {
    shown.style.cssText = wanted.style.cssText;
  }
}
