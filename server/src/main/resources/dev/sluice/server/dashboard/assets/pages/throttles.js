// The throttles inside each worker: CPU, disk, network, database.

import { ago } from '../clock.js';
import { h } from '../dom.js';
import { count } from '../format.js';
import { empty, heading, panel, usage } from '../parts.js';
import { table } from '../table.js';

export const throttles = {
  nav: 'throttles',
  title: () => 'Throttles',
  every: 2,
  load: (context) => context.get('workers'),
  view({ items }) {
    const telling = items.filter((worker) => worker.throttles?.length > 0);
    return [
      heading('Throttles', h('p', { class: 'muted' }, 'Limits inside one process, as each worker last reported them')),
      telling.length === 0 ? nothing(items) : telling.map(section),
    ];
  },
};

function nothing(items) {
  return items.length === 0
    ? empty('No worker is signed on', 'Throttles live inside workers, and each reports its own.', 'sluice worker')
    : empty('No worker uses throttles', 'A throttle bounds CPU, disk, S3, HTTP or database work inside a process. A worker that has some reports them here every few seconds.');
}

function section(worker) {
  return panel(
    worker.name,
    { key: worker.id, test: 'worker-throttles', beside: worker.bulletin_at && h('span', { class: 'muted' }, 'reported ', ago(worker.bulletin_at)) },
    table({
      label: `Throttles of ${worker.name}`,
      rows: worker.throttles,
      key: ({ name }) => name,
      row: ({ name }) => ({ data: { throttle: name, test: 'throttle-row' } }),
      columns: [
        { name: 'Throttle', cell: ({ name }) => h('span', { class: 'name' }, name), wide: true },
        { name: 'In flight', cell: (throttle) => [h('b', {}, count(throttle.in_flight)), h('span', { class: 'muted' }, ` / ${count(throttle.limit)}`)] },
        { name: 'Use', cell: (throttle) => usage({ active: throttle.in_flight, limit: throttle.limit, waiting: throttle.queued }) },
        { name: 'Queued', cell: ({ queued }) => count(queued), number: true },
        { name: 'Succeeded', cell: ({ succeeded }) => count(succeeded), number: true },
        { name: 'Failed', cell: ({ failed }) => count(failed), number: true },
      ],
    }),
  );
}
