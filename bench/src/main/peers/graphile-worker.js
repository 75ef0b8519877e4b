// Graphile Worker with the batching its documentation on performance describes, as several runners like ours.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { answer, batchSize, done, handle, parallelism, submit, workers } from "./measure.js";

const logger = new Logger(() => (level, message) => {
  if (level === "error") {
    console.error(message);
  }
});

// Where the database is and how to log in, the driver finds in the environment.
const utils = await makeWorkerUtils({ logger });
await utils.migrate();
const submitSeconds = await submit((numbers) =>
  utils.addJobs(numbers.map((job) => ({ identifier: "no_op", payload: { job } }))),
);

const startRunner = () =>
  run({
    logger,
    noHandleSignals: true,
    taskList: { no_op: ({ job }) => handle(job) },
    preset: {
      worker: {
        concurrentJobs: parallelism / workers,
        localQueue: { size: batchSize },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
const runners = await Promise.all(Array.from({ length: workers }, startRunner));
await Promise.race([done, ...runners.map((runner) => runner.promise)]); // a runner that breaks ends the program
await Promise.all(runners.map((runner) => runner.stop()));
answer(submitSeconds);
