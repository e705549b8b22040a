import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Product, startProduct } from '../support/product.ts';
import { runSize } from '../support/run-size.ts';

/** 5,000 take a bit more than a minute at 80 a second. */
const recipients = runSize(160, 5_000);

const ledgerOf = async (product: Product) =>
  z
    .object({ data: z.array(z.object({ to: z.string(), wamid: z.string() })) })
    .parse((await product.control('GET', 'provider/messages')).body).data;

const detailsOf = async (product: Product, id: number) =>
  z
    .object({ data: z.looseObject({ status: z.string(), audience_count: z.int(), statistics: z.record(z.string(), z.int()) }) })
    .parse((await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}` })).body).data;

/** Every recipient's record, by following the cursor. */
async function recordsOf(product: Product, id: number) {
  const page = z.object({
    data: z.array(z.looseObject({ phone: z.string(), status: z.int(), status_name: z.string(), ambiguous: z.boolean() })),
    meta: z.looseObject({ next_cursor: z.string().nullable() }),
  });
  const records: z.output<typeof page>['data'] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) };
    const { data, meta } = page.parse((await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}/messages`, query })).body);
    records.push(...data);
    cursor = meta.next_cursor;
  }
  return records;
}

/** Calls that two kills may take with them: their fate is unknown, so they are never made again. */
const mostInFlight = 60;

async function until(what: () => Promise<boolean>, seconds: number): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; ) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`It did not come to pass in ${seconds} s.`);
}

it(
  `killed twice in the middle of a campaign to ${recipients}, everybody has one outcome and nobody a message twice`,
  async () => {
    await using product = await startProduct();
    for (let first = 0; first < recipients; first += 1_000) {
      const contacts = Array.from({ length: Math.min(1_000, recipients - first) }, (_, index) => ({
        phone: `+4915160${String(100_000 + first + index)}`,
        name: `Person ${first + index}`,
      }));
      const synced = await product.asOwner({ method: 'POST', path: '/api/v1/contacts/bulk-sync', body: { contacts } });
      expect(synced.status).toBe(200);
    }
    await product.idle(120);
    const templates = await product.asOwner({ method: 'GET', path: '/api/v1/templates', query: { name: 'spring_sale' } });
    const [template] = z.object({ data: z.array(z.looseObject({ id: z.int() })) }).parse(templates.body).data;
    const created = await product.asOwner({
      method: 'POST',
      path: '/api/v1/campaigns',
      body: { name: 'Spring', template_id: template?.id, parammatch: { 1: 'name' } },
    });
    const { id } = z.object({ data: z.looseObject({ id: z.int() }) }).parse(created.body).data;
    for (const share of [0.3, 0.6]) {
      await until(async () => (await ledgerOf(product)).length >= recipients * share, 30 + recipients / 40);
      await product.kill();
      await product.restart();
    }
    const isNearlyDone = async (): Promise<boolean> => (await ledgerOf(product)).length >= recipients - mostInFlight;
    // a delivery that died with its worker comes again when its visibility timeout ends
    await until(isNearlyDone, 25 + recipients / 40).catch(() => product.control('POST', 'clock', { advance_seconds: 400 }));
    await until(isNearlyDone, 60 + recipients / 40);
    await product.idle(60 + Math.ceil(recipients / 20));
    // what was claimed at the moment of a kill and never reported again
    await product.control('POST', 'clock', { advance_seconds: 130 });
    await product.idle(120);

    const ledger = await ledgerOf(product);
    expect(ledger.length).toBe(new Set(ledger.map(({ to }) => to)).size);
    const { status, audience_count, statistics } = await detailsOf(product, id);
    expect([status, audience_count, statistics['total']]).toEqual(['completed', recipients, recipients]);
    const records = await recordsOf(product, id);
    expect(new Set(records.map(({ phone }) => phone)).size).toBe(recipients);
    const count = (name: string): number => records.filter((each) => each.status_name === name && !each.ambiguous).length;
    const names = ['scheduled', 'processing', 'sent', 'delivered', 'read', 'failed', 'skipped'];
    expect(names.map((name) => [name, statistics[name]])).toEqual(names.map((name) => [name, count(name)]));
    const accepted = new Set(ledger.map(({ to }) => to));
    for (const record of records)
      expect([record.phone, record.status >= 2 && record.status <= 4]).toEqual([record.phone, accepted.has(record.phone)]);
    // a kill takes with it the few calls that were in flight; they are reported as such, and not sent again
    expect(recipients - accepted.size).toBeLessThanOrEqual(mostInFlight);
  },
  300_000 + recipients * 60,
);
