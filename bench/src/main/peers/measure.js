// What the programs here share: what they are asked to do, the handler that is timed, and the answer.

const SUBMIT_BATCH = 1000;

const number = (name) => Number.parseInt(process.env[name], 10);

export const jobs = number("BENCH_JOBS");
export const parallelism = number("BENCH_PARALLELISM");
export const workers = number("BENCH_WORKERS");
export const batchSize = number("BENCH_BATCH");
export const limit = number("BENCH_LIMIT"); // 0 = none
const workMillis = number("BENCH_WORK_MS");

const started = new Float64Array(jobs);
const ended = new Float64Array(jobs);
let open = jobs;
let allEnded;
export const done = new Promise((resolve) => (allEnded = resolve));

// Nothing is left to measure when whoever asked is gone.
process.stdin.on("end", () => process.exit(1));
process.stdin.on("error", () => process.exit(1));
process.stdin.resume();

/** Does the work of a job; of a job that runs more than once only the first time counts. */
export async function handle(job) {
  const start = performance.now();
  if (workMillis > 0) {
    await new Promise((resolve) => setTimeout(resolve, workMillis));
  }
  if (ended[job] === 0) {
    started[job] = start;
    ended[job] = performance.now();
    if (--open === 0) {
      allEnded();
    }
  }
}

/** Submits the numbers of all jobs in batches; how long that took, in seconds. */
export async function submit(submitBatch) {
  const start = performance.now();
  for (let from = 0; from < jobs; from += SUBMIT_BATCH) {
    const length = Math.min(SUBMIT_BATCH, jobs - from);
    await submitBatch(Array.from({ length }, (_, index) => from + index));
  }
  return (performance.now() - start) / 1000;
}

/** Prints what was found, as the one line that is read, and ends. */
export function answer(submitSeconds) {
  const runSeconds = (last(ended) - first(started)) / 1000;
  process.stdout.write(JSON.stringify({ submitSeconds, runSeconds, peak: peak() }) + "\n", () => process.exit(0));
}

const first = (times) => times.reduce((least, time) => Math.min(least, time), Infinity);
const last = (times) => times.reduce((most, time) => Math.max(most, time), 0);

/** The most handlers that were at work at one moment. */
function peak() {
  const starts = started.toSorted();
  const ends = ended.toSorted();
  let most = 0;
  let over = 0;
  for (let begun = 0; begun < starts.length; begun++) {
    while (over < begun && ends[over] <= starts[begun]) {
      over++;
    }
    most = Math.max(most, begun + 1 - over);
  }
  return most;
}
