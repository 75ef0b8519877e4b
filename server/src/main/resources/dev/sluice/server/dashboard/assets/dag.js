// Draws a run's steps and what they depend on.

import { layout, STEP } from './dag-layout.js';
import { svg } from './dom.js';
import { words } from './format.js';
import { iconPath } from './icons.js';

const MARGIN = 10;
const NAME_LENGTH = 16;
const LEGIBLE = 0.7;

/** The drawing; every step leads to the address that the function gives it. */
export function drawing(steps, address, selected) {
  const { width, height, nodes, edges } = layout(steps);
  const states = new Map(steps.map(({ name, state }) => [name, state]));
  return svg(
    'svg',
    {
      class: 'dag',
      viewBox: `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`,
      // Shrinks to the page as long as names stay legible; beyond that it scrolls.
      style: { 'max-width': `${width + 2 * MARGIN}px`, 'min-width': `${(width + 2 * MARGIN) * LEGIBLE}px` },
      role: 'group',
      'aria-label': 'Steps and what they depend on',
      'data-test': 'dag',
    },
    edges.map(({ from, to, path }) =>
      svg('path', { class: `edge${states.get(from) === 'succeeded' ? ' passed' : ''}`, d: path, 'data-edge': `${from}→${to}` })),
    nodes.map((node) => drawStep(node, address(node.step), selected === node.name)),
  );
}

function drawStep({ step, x, y }, address, selected) {
  const detail = about(step);
  return svg(
    'a',
    {
      key: `step-${step.name}`,
      class: `step${selected ? ' selected' : ''}`,
      href: address,
      transform: `translate(${x} ${y})`,
      'data-state': step.state,
      'data-step': step.name,
      'data-test': 'dag-step',
    },
    svg('title', {}, `${step.name}: ${words(step.state)}${detail ? `, ${detail}` : ''}`),
    svg('rect', { class: 'step-box', width: STEP.width, height: STEP.height, rx: 7 }),
    svg('rect', { class: 'step-edge', width: 4, height: STEP.height - 14, x: 0, y: 7, rx: 2 }),
    svg('path', { class: 'step-icon', d: iconPath(step.state), transform: 'translate(12 9)' }),
    svg('text', { class: 'step-name', 'aria-hidden': 'true', x: 34, y: 21 }, clip(step.name, NAME_LENGTH)),
    svg('text', { class: 'step-detail', 'aria-hidden': 'true', x: 34, y: 38 }, clip(detail || words(step.state), NAME_LENGTH + 4)),
    step.items?.total > 0 && itemsBar(step.items),
  );
}

function about({ state, items, attempt, waits_for: waitsFor }) {
  if (items) {
    return `${items.succeeded} of ${items.total} items`;
  }
  if (waitsFor) {
    return waitsFor;
  }
  return attempt > 1 ? `${words(state)}, attempt ${attempt}` : '';
}

function itemsBar({ total, succeeded = 0, running = 0, failed = 0 }) {
  const width = STEP.width - 16;
  let x = 8;
  return svg(
    'g',
    { class: 'step-items' },
    svg('rect', { class: 'items-all', x, y: STEP.height - 6, width, height: 3 }),
    [['succeeded', succeeded], ['running', running], ['failed', failed]].map(([name, n]) => {
      const part = (width * n) / total;
      const bar = svg('rect', { 'data-state': name, x, y: STEP.height - 6, width: part, height: 3 });
      x += part;
      return bar;
    }),
  );
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
