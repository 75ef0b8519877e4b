// Setting, holding, resuming and removing the limit of a group.

import { del, get, put } from '../api.js';
import { ask, confirm } from '../dialog.js';
import { h } from '../dom.js';
import { plural } from '../format.js';
import { action, groupLink, perform } from '../parts.js';
import { mayWrite, READ_ONLY } from '../session.js';

/** Asks for a group's name and a number; the call is under way when it answers. */
export function askLimit() {
  const names = h('datalist', { id: 'new-limit-names', data: { test: 'new-limit-names' } });
  suggest(names);
  return ask({
    title: 'Set a limit',
    action: 'Set the limit',
    test: 'limit-dialog',
    fields: [
      h('p', {}, 'At most so many jobs of the group run at once, across every worker. It takes effect at once.'),
      h('label', { for: 'new-limit-group' }, 'Group'),
      h('input', { id: 'new-limit-group', name: 'group', required: true, autocomplete: 'off', spellcheck: 'false', placeholder: 'send_email or send_email/tenant=acme', list: 'new-limit-names', data: { test: 'new-limit-group' } }),
      names,
      h('label', { for: 'new-limit-number' }, 'Limit'),
      h('input', { id: 'new-limit-number', name: 'limit', type: 'number', min: 0, step: 1, required: true, data: { test: 'new-limit-number' } }),
    ],
    async check(form) {
      const group = form.get('group').trim();
      const limit = number(form.get('limit'));
      return { group, limit, call: await setLimit(group, limit) };
    },
  });
}

/** Offers the names on record. Without them the dialog works all the same. */
async function suggest(names) {
  try {
    const [groups, workers] = await Promise.all([get('groups', { order: 'name', limit: 1000 }), get('workers')]);
    const known = new Set([...groups.items.map(({ group }) => group), ...workers.items.flatMap(({ tasks }) => tasks)]);
    names.append(...[...known].sort().map((value) => h('option', { value })));
  } catch {
    // Only suggestions are missing.
  }
}

function number(text) {
  const n = Number(text);
  if (text === '' || !Number.isInteger(n) || n < 0) {
    throw new Error('A limit is a whole number, 0 or more. 0 holds the group.');
  }
  return n;
}

function setLimit(group, limit) {
  return put('group/limit', { group }, { limit });
}

/** The controls on a group's page. */
export function limitControls(status, context) {
  const { group, limit, held } = status;
  const isHeld = held || limit === 0;
  const byOperator = status.level === 'operator';
  return h(
    'div',
    { class: 'limit-controls' },
    form(status, context),
    isHeld
      ? resume(status, context)
      : action('Hold', () => context.change(setLimit(group, 0), `${group} is held: running jobs finish, none starts.`), {
          test: 'hold',
          title: 'Sets the limit to 0: running jobs finish, none starts, nothing is lost.',
        }),
    byOperator && !isHeld && action('Remove limit …', () => remove(status, context), { test: 'remove-limit' }),
  );
}

function form({ group, limit }, context) {
  const off = !mayWrite();
  return h(
    'form',
    {
      class: 'inline-form',
      data: { test: 'limit-form' },
      on: {
        submit: (event) => {
          event.preventDefault();
          const element = event.currentTarget;
          perform(element, async () => {
            const wanted = number(new FormData(element).get('limit'));
            await context.change(setLimit(group, wanted), `The limit of ${group} is ${wanted}.`);
            element.reset();
          });
        },
      },
    },
    h('label', { for: 'limit-input' }, 'Limit'),
    h('input', { id: 'limit-input', name: 'limit', type: 'number', min: 0, step: 1, required: true, value: limit ?? '', placeholder: 'none', disabled: off, title: off ? READ_ONLY : undefined, data: { test: 'limit-input' } }),
    h('button', { class: 'button primary', disabled: off, title: off ? READ_ONLY : undefined, data: { test: 'set-limit' } }, 'Set'),
  );
}

/**
 * Back to the number an operator had set before the hold, or else to what configuration and code
 * say. A hold that comes from elsewhere can only be ended there.
 */
function resume(status, context) {
  const { group, level, inherited_from: family } = status;
  if (family) {
    return h('span', { class: 'beside', data: { test: 'held-elsewhere' } }, 'Held through ', groupLink(family));
  }
  if (level !== 'operator') {
    return h('span', { class: 'beside', data: { test: 'held-elsewhere' } }, `Held by ${level === 'config' ? 'a configuration file' : 'code'}`);
  }
  const former = formerLimit(status);
  if (former !== undefined) {
    const run = () => context.change(setLimit(group, former), (answer) => resumed(answer, `${group} goes on with a limit of ${former}.`));
    return action(`Resume at ${former}`, run, { primary: true, test: 'resume' });
  }
  const run = () => context.change(del('group/limit', { group }), (answer) => resumed(answer, `${group} goes on; the hold is removed.`));
  return action('Resume', run, {
    primary: true,
    test: 'resume',
    title: 'Removes the hold. The limit from configuration or code applies again, if there is one.',
  });
}

function resumed({ group, held, level, inherited_from: family }, text) {
  if (!held) {
    return text;
  }
  return `The operator's hold is removed; ${group} is still held ${family ? `through ${family}` : `by ${level}`}.`;
}

/** What the hold took the place of; older holds say nothing about this one. */
function formerLimit({ changes = [] }) {
  const newest = changes.find((one) => one.level === 'operator');
  return newest?.after === 0 && newest.before > 0 ? newest.before : undefined;
}

async function remove({ group, limit, waiting }, context) {
  const sure = await confirm({
    title: `Remove the limit of ${group}?`,
    body: [
      h('p', {}, `The operator's limit of ${limit} goes away. The limit from configuration or code applies again; if there is none, the group is unlimited.`),
      waiting > 0 && h('p', {}, `${plural(waiting, 'job')} may start at once.`),
    ],
    action: 'Remove the limit',
    danger: true,
  });
  if (sure) {
    await context.change(del('group/limit', { group }), `The operator's limit of ${group} is removed.`);
  }
}
