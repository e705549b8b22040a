import { readFileSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import type { RunningProduct } from '../test/support/product.ts';
import { cpuBelow } from './processes.ts';

/** What several scenarios need of the running product. */

/** The environment that its functions get: with it, services called in this process act on its table and queues. */
export const environmentOf = (product: RunningProduct): Record<string, string> =>
  z.object({ env: z.record(z.string(), z.string()) }).parse(JSON.parse(readFileSync(join(product.folder, 'runtime.json'), 'utf8'))).env;

/** Gives the first company so many contacts, numbered from 0, and waits until all that follows from them is done. */
export const addPeople = async (product: RunningProduct, count: number): Promise<void> => {
  for (let first = 0; first < count; first += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, count - first) }, (_, index) => ({
      phone: `+4915160${String(100_000 + first + index)}`,
      name: `Person ${first + index}`,
    }));
    const add = () => product.asOwner({ method: 'POST', path: '/api/v1/contacts/bulk-sync', body: { contacts } });
    let answer = await add();
    for (; answer.status === 429; answer = await add()) await pause(Number(answer.headers['retry-after'] ?? 1) * 1_000);
    if (answer.status !== 200) throw new Error(answer.raw);
  }
  await product.idle(600);
};

/** Creates the demo company's marketing campaign to all its contacts; its id. */
export const createSale = async (product: RunningProduct): Promise<number> => {
  const templates = await product.asOwner({ method: 'GET', path: '/api/v1/templates', query: { name: 'spring_sale' } });
  const [template] = z.object({ data: z.array(z.looseObject({ id: z.int() })) }).parse(templates.body).data;
  const body = { name: 'Spring', template_id: template?.id, parammatch: { 1: 'name' } };
  const created = await product.asOwner({ method: 'POST', path: '/api/v1/campaigns', body });
  if (created.status !== 200) throw new Error(created.raw);
  return z.object({ data: z.object({ id: z.int() }) }).parse(created.body).data.id;
};

/**
 * When the statistics of a campaign showed that all its recipients read it, on the clock of `performance.now()`. Throws unless its rows, looked at
 * afterwards one by one, say the same.
 */
export const whenAllRead = async (product: RunningProduct, id: number, recipients: number, withinMs: number): Promise<number> => {
  const statistics = z.object({ data: z.object({ statistics: z.looseObject({ read: z.int() }) }) });
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const { read } = statistics.parse((await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}` })).body).data.statistics;
    if (read === recipients) break;
    if (performance.now() > endsAt) throw new Error(`The statistics counted ${read} of ${recipients} recipients who read it.`);
    await pause(250);
  }
  const at = performance.now();
  const page = z.object({
    data: z.array(z.looseObject({ contact_id: z.int(), status_name: z.string() })),
    meta: z.looseObject({ next_cursor: z.string().nullable() }),
  });
  const haveRead = new Set<number>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) };
    const answer = await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}/messages`, query });
    if (answer.status === 429) {
      await pause(Number(answer.headers['retry-after'] ?? 1) * 1_000);
      continue;
    }
    const { data, meta } = page.parse(answer.body);
    for (const { contact_id, status_name } of data) if (status_name === 'read') haveRead.add(contact_id);
    cursor = meta.next_cursor;
  }
  if (haveRead.size !== recipients) throw new Error(`The statistics counted ${recipients} who read it, the rows ${haveRead.size}.`);
  return at;
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Posts JSON as a webhook is posted, over kept connections; the status of the answer. */
export const postJson = (address: string, agent: Agent, body: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = request(address, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });

/** Runs a use case in this process on the running product's table and queues, as an operator's command does. */
export const asOperator = async <T>(product: RunningProduct, work: () => Promise<T>): Promise<T> => {
  const before = process.env;
  process.env = { ...before, ...environmentOf(product) };
  try {
    return await work();
  } finally {
    process.env = before;
  }
};

/** The processes of the product: `bin/dev.ts` with all functions, queues and simulators, and the table emulator. */
export const productProcesses = /bin\/dev\.ts|dynoxide/;

/** The value below which the share lies, of times in any order, rounded to a tenth. */
export const percentile = (times: readonly number[], share: number): number =>
  Math.round((times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0) * 10) / 10;

/** Milliseconds until the answer, which must be a good one. */
export const timeOf = async (call: () => Promise<{ status: number; raw: string }>): Promise<number> => {
  const began = performance.now();
  const answer = await call();
  if (answer.status >= 300) throw new Error(`The measured call was answered ${answer.status} ${answer.raw}`);
  return performance.now() - began;
};

/** CPU of the product without a caller, milliseconds a minute, measured over so many seconds. */
export const idleCpuAMinute = async (seconds: number): Promise<number> => {
  const before = cpuBelow(productProcesses);
  await pause(seconds * 1_000);
  return Math.round(((cpuBelow(productProcesses) - before) * 60_000) / seconds);
};

/** The provider's post of an inbound text from one of `senders`. */
export const inboundPost = (
  { phone_number, phone_number_id, waba_id }: { phone_number: string; phone_number_id: string; waba_id: string },
  nth: number,
  senders = 500,
): string => {
  const from = String(4_915_700_000_000 + (nth % senders));
  const message = {
    from,
    id: `wamid.bench-${nth}`,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    type: 'text',
    text: { body: `Message number ${nth} of the bench` },
  };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: phone_number, phone_number_id },
    contacts: [{ profile: { name: `Person ${nth % senders}` }, wa_id: from }],
    messages: [message],
  };
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: waba_id, changes: [{ field: 'messages', value }] }] });
};
