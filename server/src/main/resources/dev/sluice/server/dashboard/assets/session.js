// Who the reader is to the server, and the dialog that asks for a token.

import { del, get, post, whenUnauthorized } from './api.js';
import { h } from './dom.js';

const session = { role: 'read', auth: false, actor: '' };
let asking;

/** Whether this reader may change things. */
export function mayWrite() {
  return session.role === 'operate';
}

/** Why controls are off. */
export const READ_ONLY = 'Your token may only read. A token with the role operate may change this.';

/** Reads the role; asks for a token until the server takes one. */
export async function openSession() {
  whenUnauthorized(() => askToken());
  try {
    show(await get('session'));
  } catch (error) {
    if (error.status !== 401) {
      throw error;
    }
    await askToken();
  }
}

/** Gives the cookie back, and starts anew. */
export async function signOut() {
  await del('session');
  location.reload();
}

function show(answer) {
  Object.assign(session, answer);
  const badge = document.getElementById('role');
  badge.hidden = mayWrite();
  badge.textContent = 'read only';
  badge.title = READ_ONLY;
  document.getElementById('sign-out').hidden = !session.auth;
}

/** One dialog, however many calls were refused at once. */
function askToken() {
  asking ??= tokenDialog().finally(() => {
    asking = undefined;
  });
  return asking;
}

function tokenDialog() {
  return new Promise((resolve) => {
    const input = h('input', {
      id: 'token', type: 'password', autocomplete: 'current-password', required: true, data: { test: 'token-input' },
    });
    const problem = h('p', { class: 'form-problem', role: 'alert', data: { test: 'token-problem' } });
    const dialog = h(
      'dialog',
      { class: 'dialog', 'aria-labelledby': 'token-title', data: { test: 'token-dialog' } },
      h(
        'form',
        { method: 'dialog', on: { submit: (event) => submit(event) } },
        h('h2', { id: 'token-title' }, 'This server asks for a token'),
        h('p', {}, 'Enter the read or operate token the server was started with. It is kept in a cookie that scripts cannot read.'),
        h('label', { for: 'token' }, 'Token'),
        input,
        problem,
        h('div', { class: 'dialog-actions' }, h('button', { class: 'button primary', data: { test: 'token-submit' } }, 'Open')),
      ),
    );
    const submit = async (event) => {
      event.preventDefault();
      try {
        await post('session', {}, { token: input.value });
        show(await get('session'));
        dialog.close();
        dialog.remove();
        resolve();
        document.dispatchEvent(new Event('sluice:session'));
      } catch (error) {
        problem.textContent = error.status === 401 ? 'The server does not know this token.' : error.message;
        input.select();
      }
    };
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
