// pg-boss, which hands its handlers batches; with a limit, all jobs are of one group.
import { PgBoss } from "pg-boss";
import { answer, done, handle, limit, submit } from "./measure.js";

const QUEUE = "no_ops";
const BATCH = 500;
const WORKERS = 4;
const SUBMIT_BATCH = 1000;

const boss = new PgBoss({
  host: process.env.PGHOST,
  port: Number.parseInt(process.env.PGPORT, 10),
  database: process.env.PGDATABASE,
  user: process.env.PGUSER,
  password: process.env.PGPASSWORD,
});
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue(QUEUE);
const group = limit > 0 ? { group: { id: "limited" } } : {};
const submitSeconds = await submit(SUBMIT_BATCH, (numbers) =>
  boss.insert(QUEUE, numbers.map((job) => ({ data: { job }, ...group }))),
);

await boss.work(
  QUEUE,
  {
    batchSize: limit > 0 ? limit : BATCH,
    localConcurrency: WORKERS,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
    ...(limit > 0 ? { groupConcurrency: limit } : {}),
  },
  (batch) => Promise.all(batch.map(({ data }) => handle(data.job))),
);
await done;
await boss.stop({ graceful: true, timeout: 5000 });
answer(submitSeconds);
