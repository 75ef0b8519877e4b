// Places the steps of a run in layers, from left to right.
//
// A step stands one layer after the last of those it depends on. An edge over several layers gets a
// place of its own in each of those between, so that it runs past steps and not through them. Within
// a layer the order follows the middle of the neighbours, swept back and forth a few times.

const SWEEPS = 6;

export const STEP = { width: 168, height: 50, gapX: 46, gapY: 16, bendHeight: 14 };

/** Where each step is and how its edges run: {width, height, nodes: [{step, x, y}], edges: [{from, to, points}]}. */
export function layout(steps) {
  const byName = new Map(steps.map((step) => [step.name, { step, name: step.name, real: true, before: [], after: [] }]));
  const layers = [];
  for (const node of byName.values()) {
    place(node, depth(node, byName, new Set()), layers);
  }
  const edges = [];
  for (const node of byName.values()) {
    for (const name of node.step.depends_on ?? []) {
      const from = byName.get(name);
      if (from && from.layer < node.layer) {
        edges.push(connect(from, node, layers));
      }
    }
  }
  for (let i = 0; i < SWEEPS; i++) {
    sweep(layers, i % 2 === 0 ? 'before' : 'after', i % 2 === 0);
  }
  return measure(layers, edges);
}

function depth(node, byName, path) {
  if (node.layer !== undefined) {
    return node.layer;
  }
  if (path.has(node.name)) {
    return 0;
  }
  path.add(node.name);
  const deepest = (node.step.depends_on ?? [])
    .map((name) => byName.get(name))
    .filter(Boolean)
    .reduce((most, other) => Math.max(most, depth(other, byName, path)), -1);
  node.layer = deepest + 1;
  return node.layer;
}

function place(node, layer, layers) {
  node.layer = layer;
  (layers[layer] ??= []).push(node);
}

function connect(from, to, layers) {
  const points = [from];
  for (let layer = from.layer + 1; layer < to.layer; layer++) {
    const bend = { real: false, before: [], after: [] };
    place(bend, layer, layers);
    points.push(bend);
  }
  points.push(to);
  for (let i = 1; i < points.length; i++) {
    points[i - 1].after.push(points[i]);
    points[i].before.push(points[i - 1]);
  }
  return { from: from.name, to: to.name, points };
}

function sweep(layers, side, forward) {
  const order = forward ? layers : layers.toReversed();
  layers.forEach((layer) => layer.forEach((node, i) => {
    node.rank = i / Math.max(1, layer.length - 1);
  }));
  for (const layer of order) {
    const middle = new Map(layer.map((node, i) => [node, mean(node[side].map(({ rank }) => rank)) ?? node.rank ?? i]));
    layer.sort((a, b) => middle.get(a) - middle.get(b));
    layer.forEach((node, i) => {
      node.rank = layer.length === 1 ? middle.get(node) : i / (layer.length - 1);
    });
  }
}

function mean(values) {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function measure(layers, edges) {
  const heights = layers.map((layer) => layer.reduce((sum, node) => sum + size(node) + STEP.gapY, -STEP.gapY));
  const height = Math.max(0, ...heights);
  layers.forEach((layer, i) => {
    let y = (height - heights[i]) / 2;
    for (const node of layer) {
      node.x = i * (STEP.width + STEP.gapX);
      node.y = y;
      y += size(node) + STEP.gapY;
    }
  });
  return {
    width: layers.length * (STEP.width + STEP.gapX) - STEP.gapX,
    height,
    nodes: layers.flat().filter(({ real }) => real),
    edges: edges.map(({ from, to, points }) => ({ from, to, path: path(points) })),
  };
}

function size(node) {
  return node.real ? STEP.height : STEP.bendHeight;
}

function path(points) {
  const parts = [];
  points.forEach((node, i) => {
    const y = node.y + size(node) / 2;
    if (i === 0) {
      parts.push(`M${node.x + STEP.width} ${y}`);
      return;
    }
    const bend = STEP.gapX / 2;
    parts.push(`C${node.x - bend} ${points[i - 1].y + size(points[i - 1]) / 2} ${node.x - bend} ${y} ${node.x} ${y}`);
    if (!node.real) {
      parts.push(`L${node.x + STEP.width} ${y}`);
    }
  });
  return parts.join('');
}
