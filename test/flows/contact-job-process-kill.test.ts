import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { contactJob, type ContactJobRecord } from '../../functions/contacts/contract/job.ts';
import { type Product, startProduct } from '../support/product.ts';
import { runSize } from '../support/run-size.ts';

/** SEEDS gives another number of them by hand. */
const contacts = runSize(3_000, 100_000);

/** What other calls may take while a job runs and its process is killed, at the 95th percentile, in milliseconds. */
const othersMs = 100;

const jobOf = async (product: Product, method: string, path: string, body?: unknown): Promise<ContactJobRecord> => {
  const answer = await product.asOwner({ method, path: `/api/v1/contact-jobs${path}`, ...(body === undefined ? {} : { body }) });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return z.object({ data: contactJob }).parse(answer.body).data;
};

/** Polls until the job has looked at so many contacts; a delivery that died with its worker comes again when the clock is moved on. */
async function reached(product: Product, id: number, processed: number, seconds: number): Promise<ContactJobRecord> {
  const started = Date.now();
  for (let moves = 0; ; ) {
    const job = await jobOf(product, 'GET', `/${id}`);
    if (job.status === 'completed' || job.progress.processed >= processed) return job;
    const waited = (Date.now() - started) / 1_000;
    if (waited > seconds) throw new Error(`A job stands at ${JSON.stringify(job.progress)} after ${seconds} s.`);
    if (waited > (moves + 1) * 20 && job.progress.processed === 0) {
      moves++;
      await product.control('POST', 'clock', { advance_seconds: 400 });
    }
    // with the calls meanwhile half of what a token may have in a minute
    await setTimeout(250);
  }
}

/** Of an export: functions/contacts/service/jobs/run-job-slice.ts. */
const exportedPerSlice = 10_000;

/** After a start the code of each function is compiled by its first calls, job or none. */
const firstCalls = 6;

/** Calls of a user, one after another, until the work is done: the time of each in milliseconds, without the first of a process. */
async function callsMeanwhile(product: Product, work: Promise<unknown>): Promise<number[]> {
  const state = { isDone: false };
  void work.finally(() => (state.isDone = true)).catch(() => undefined);
  const times: number[] = [];
  for (let nth = 0; !state.isDone; nth++) {
    const started = performance.now();
    const path = ['/api/v1/contacts?limit=25', '/api/v1/conversations', '/api/v1/groups'][nth % 3] ?? '';
    const { status } = await product.asOwner({ method: 'GET', path });
    // a refusal is fast: it would count as a good time
    if (status !== 200) throw new Error(`${path} was answered with ${status} while a job ran.`);
    times.push(performance.now() - started);
    await setTimeout(200);
  }
  return times.slice(firstCalls);
}

/** Killed and started again, with calls from the first moment on until the job is done. */
async function completedAfterKill(product: Product, id: number, seconds: number): Promise<{ job: ContactJobRecord; times: number[] }> {
  await product.kill();
  await product.restart();
  // What the killed process had taken from the queue can be taken again later. Answered when all that was due on the way is done: the job too.
  const moved = product.control('POST', 'clock', { advance_seconds: 400 });
  const completed = reached(product, id, Number.MAX_SAFE_INTEGER, seconds);
  const times = await callsMeanwhile(product, completed);
  expect((await moved).status).toBe(200);
  return { job: await completed, times };
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.POSITIVE_INFINITY;

it(
  `killed in the middle, a change and an export of ${contacts} contacts go on, change each once, write each once, and leave other calls fast`,
  async () => {
    await using product = await startProduct({ warm: true });
    for (let from = 0; from < contacts; from += 1_000) {
      const listed = Array.from({ length: Math.min(1_000, contacts - from) }, (_, n) => ({
        phone: `+4915170${String(100_000 + from + n)}`,
      }));
      const sync = () => product.asOwner({ method: 'POST', path: '/api/v1/contacts/bulk-sync', body: { contacts: listed } });
      // repeating it is safe: on a busy machine a call may take longer than its function has
      let { status } = await sync();
      for (let tries = 0; (status >= 500 || status === 429) && tries < 5; tries++) {
        // more than a token may call in a minute
        if (status === 429) await product.control('POST', 'clock', { advance_seconds: 60 });
        ({ status } = await sync());
      }
      expect(status).toBe(200);
    }
    await product.idle(900);
    const seconds = 240 + contacts / 100;
    const change = await jobOf(product, 'POST', '', { all: true, change: { add_groups: ['Everyone of a job'] } });
    const { total } = change.progress;
    expect(total).toBeGreaterThanOrEqual(contacts);
    const begun = reached(product, change.id, total * 0.3, seconds);
    const beforeKill = await callsMeanwhile(product, begun);
    expect((await begun).status, 'the job at the kill').toBe('running');
    const { job: changed, times: whileChanging } = await completedAfterKill(product, change.id, seconds);
    expect(changed).toMatchObject({
      status: 'completed',
      progress: { total, processed: total, matched: total, changed: total, unchanged: 0 },
    });

    const exportJob = await jobOf(product, 'POST', '', { all: true, export: 'json' });
    // amid its parts, where it has several; otherwise before its only one
    if (total > 3 * exportedPerSlice) expect((await reached(product, exportJob.id, total * 0.3, seconds)).status).toBe('running');
    const { job: exported, times: whileExporting } = await completedAfterKill(product, exportJob.id, seconds);
    expect(exported.progress).toMatchObject({ processed: total, matched: total });
    const rows: { id: number; groups: { name: string }[] }[] = [];
    for (const { url } of exported.files) {
      const file = z.array(z.looseObject({ id: z.int(), groups: z.array(z.looseObject({ name: z.string() })) }));
      rows.push(...file.parse(await (await fetch(url)).json()));
    }
    expect(rows).toHaveLength(total);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(total);
    expect(rows.every(({ groups }) => groups.some(({ name }) => name === 'Everyone of a job'))).toBe(true);
    const times = [...beforeKill, ...whileChanging, ...whileExporting];
    expect(percentile(times, 0.95), `${times.length} calls`).toBeLessThan(othersMs);
  },
  600_000 + contacts * 30,
);
