// pg-boss: workers that fetch and complete batches in a loop, which spares them the pauses of its polling. With a
// limit, all jobs are of one group.
import { PgBoss } from "pg-boss";
import { answer, batchSize, done, handle, limit, submit, workers } from "./measure.js";

const QUEUE = "no_ops";

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
const submitSeconds = await submit((numbers) =>
  boss.insert(QUEUE, numbers.map((job) => ({ data: { job }, ...group }))),
);

const fetching = limit > 0 ? { batchSize: limit, groupConcurrency: limit } : { batchSize };
let open = true;
async function loop() {
  while (open) {
    const batch = await boss.fetch(QUEUE, fetching);
    if (batch.length > 0) {
      await Promise.all(batch.map(({ data }) => handle(data.job)));
      await boss.complete(QUEUE, batch.map(({ id }) => id));
    }
  }
}
const loops = Array.from({ length: workers }, loop);
await Promise.race([done, Promise.all(loops)]); // whatever breaks a worker ends the program
open = false;
await Promise.all(loops);
await boss.stop({ graceful: false });
answer(submitSeconds);
