// Graphile Worker with the batching its documentation on performance describes, as four runners like ours.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { answer, done, handle, parallelism, submit } from "./measure.js";

const RUNNERS = 4;
const LOCAL_QUEUE = 500;
const SUBMIT_BATCH = 1000;

const logger = new Logger(() => (level, message) => {
  if (level === "error") {
    console.error(message);
  }
});

// Where the database is and how to log in, the driver finds in the environment.
const utils = await makeWorkerUtils({ logger });
await utils.migrate();
const submitSeconds = await submit(SUBMIT_BATCH, (numbers) =>
  utils.addJobs(numbers.map((job) => ({ identifier: "no_op", payload: { job } }))),
);

const startRunner = () =>
  run({
    logger,
    noHandleSignals: true,
    taskList: { no_op: ({ job }) => handle(job) },
    preset: {
      worker: {
        concurrentJobs: parallelism / RUNNERS,
        localQueue: { size: LOCAL_QUEUE },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
const runners = await Promise.all(Array.from({ length: RUNNERS }, startRunner));
await done;
await Promise.all(runners.map((runner) => runner.stop()));
answer(submitSeconds);
