// Native dialogs: a question before something that matters, and plain information.

import { h } from './dom.js';

/**
 * Asks before something is done. Resolves to whether to go on.
 *
 * @param options title, body (nodes or text), action (the verb on the button), danger
 */
export function confirm({ title, body, action, danger = false }) {
  return new Promise((resolve) => {
    const yes = h(
      'button',
      { class: danger ? 'button danger' : 'button primary', value: 'yes', data: { test: 'confirm-yes' } },
      action,
    );
    const no = h('button', { class: 'button', value: 'no', data: { test: 'confirm-no' } }, 'Leave it as it is');
    const dialog = show('confirm-dialog', title, h('form', { method: 'dialog' }, body, h('div', { class: 'dialog-actions' }, no, yes)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    (danger ? no : yes).focus();
  });
}

/** Asks for values in a form; resolves to its data, or to nothing. */
export function ask({ title, fields, action, test = 'form-dialog', check = () => undefined }) {
  return new Promise((resolve) => {
    const problem = h('p', { class: 'form-problem', role: 'alert' });
    const form = h(
      'form',
      { method: 'dialog', on: { submit: (event) => submit(event) } },
      fields,
      problem,
      h(
        'div',
        { class: 'dialog-actions' },
        h('button', { class: 'button', type: 'button', on: { click: () => dialog.close() }, data: { test: 'form-cancel' } }, 'Cancel'),
        h('button', { class: 'button primary', data: { test: 'form-submit' } }, action),
      ),
    );
    const submit = async (event) => {
      event.preventDefault();
      try {
        const answer = await check(new FormData(form));
        dialog.returnValue = 'yes';
        dialog.close();
        resolve(answer);
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    const dialog = show(test, title, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(undefined);
    });
  });
}

/** Shows something until it is closed. */
export function inform(test, title, body) {
  const dialog = show(
    test,
    title,
    h('form', { method: 'dialog' }, body, h('div', { class: 'dialog-actions' }, h('button', { class: 'button primary' }, 'Close'))),
  );
  dialog.addEventListener('close', () => dialog.remove());
}

function show(test, title, content) {
  const id = `${test}-title`;
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': id, data: { test } }, h('h2', { id }, title), content);
  // A click on the backdrop hits the dialog itself, never its content.
  dialog.addEventListener('mousedown', (event) => event.target === dialog && outside(dialog, event) && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function outside(dialog, { clientX: x, clientY: y }) {
  const box = dialog.getBoundingClientRect();
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
