import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type GoldenFolder, prepareGoldenFolder, readGoldenFolder } from '../support/golden-folder.ts';
import { type Product, startProduct } from '../support/product.ts';

/** The oldest version whose folder is recorded; what each version between changed is in its items and messages (stored-data.test.ts). */
const [version = ''] = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));

const held = z.object({
  contactIds: z.array(z.int()),
  idempotent: z.object({ request: z.unknown(), key: z.string(), body: z.unknown() }),
  scheduledId: z.int(),
  campaignId: z.int(),
  sendAt: z.string(),
  firstPage: z.array(z.int()),
  cursor: z.string(),
  acknowledged: z.int(),
});

describe(`a data folder of version ${version}, stopped with messages on their way`, () => {
  let golden: GoldenFolder;
  let before: z.output<typeof held>;
  let product: Product;
  beforeAll(async () => {
    golden = readGoldenFolder(version);
    before = held.parse(golden.held);
    product = await startProduct({ prepare: (folder) => prepareGoldenFolder(folder, golden.stoppedAt + 1_000, golden.files) });
  }, 180_000);
  afterAll(() => product.stop());

  const ledger = async (): Promise<unknown[]> =>
    z.object({ data: z.array(z.unknown()) }).parse((await product.control('GET', 'provider/messages')).body).data;

  test('is taken over: what was acknowledged is sent once and read in its conversation', { timeout: 400_000 }, async () => {
    await product.idle(150);
    // one answer before, and one message to each contact while it was stopped
    expect((await ledger()).length).toBe(1 + before.acknowledged);
    const read = async (): Promise<unknown[]> => {
      const { data } = await product.api.conversations.listMessages({ params: { id: 1 } });
      return data.map(({ value, status }) => [value, status]);
    };
    // the simulator repeats a webhook that a busy machine answered too late, after a pause that no idle waits for
    await expect.poll(read, { timeout: 180_000 }).toEqual([
      ['One more thing', 4],
      ['It is.', 4],
      ['Is it open on Sunday?', expect.any(Number)],
    ]);
  });

  test('a list goes on by a cursor of then', async () => {
    const page = await product.api.contacts.list({ query: { limit: 2, cursor: before.cursor } });
    const rest = before.contactIds.toReversed().filter((id) => !before.firstPage.includes(id));
    expect(page.data.map(({ id }) => id)).toEqual(rest.slice(0, 2));
  });

  test('a request of then that is repeated under its Idempotency-Key gets the answer of then, and sends nothing', async () => {
    const sent = (await ledger()).length;
    const { request, key, body } = before.idempotent;
    const again = await product.asOwner({
      method: 'POST',
      path: '/api/v1/messages/text',
      body: request,
      headers: { 'idempotency-key': key },
    });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, body, 'true']);
    expect((await ledger()).length).toBe(sent);
  });

  test('what was scheduled then goes out at its time, a campaign and a message, once for each recipient', {
    timeout: 240_000,
  }, async () => {
    const sent = (await ledger()).length;
    const now = z.object({ data: z.object({ now: z.string() }) }).parse((await product.control('GET', 'clock')).body).data.now;
    const seconds = Math.ceil((Date.parse(before.sendAt) - Date.parse(now)) / 1_000) + 60;
    expect((await product.control('POST', 'clock', { advance_seconds: seconds })).status).toBe(200);
    await product.idle(150);
    expect((await product.api.campaigns.get({ params: { id: before.campaignId } })).data.status).toBe('completed');
    expect((await ledger()).length).toBe(sent + before.contactIds.length + 1);
  });

  test('no item and no message of it was refused by a schema', () => {
    const log = readFileSync(join(product.folder, 'functions.log'), 'utf8');
    expect(log.split('\n').filter((line) => /ZodError|was set aside/.test(line))).toEqual([]);
  });
});
