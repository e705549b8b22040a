import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { runningHolder } from '../../lib/local/data-folder.ts';
import { startProduct } from '../support/product.ts';
import { prepareGoldenFolder, writeGoldenFolder } from '../support/golden-folder.ts';

/**
 * `node test/golden/record-data-folder.ts <version>` writes the data folder that this version of the product leaves when it is stopped with work
 * on its way. Its time is years ahead, so that it stays ahead of the machine that reads it: docs/decisions/stored-data.md.
 */
const version = process.argv[2];
if (!version) throw new Error('Give the version, such as 0.1.');
const at = Date.parse('2036-01-01T09:00:00Z');
await using product = await startProduct({ prepare: (folder) => prepareGoldenFolder(folder, at) });
const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> => {
  const answer = await product.asOwner({ method: 'POST', path: `/api/v1${path}`, body, headers });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.raw}`);
  return answer.body;
};
const made = z.object({ data: z.object({ id: z.int() }) });
const sent = z.object({ data: z.object({ message_id: z.int() }) });

const phones = ['4915123450001', '4915123450002', '4915123450003', '4915123450004', '4915123450005'];
const contactIds: number[] = [];
for (const [index, phone] of phones.entries())
  contactIds.push(made.parse(await post('/contacts', { phone, name: `Golden ${index + 1}` })).data.id);
const inbound = { company_id: product.demo.companies[0]?.id, from: phones[0], type: 'text', text: 'Is it open on Sunday?' };
await product.control('POST', 'provider/inbound', inbound);
await product.idle();
const request = { phone: phones[0], message: 'It is.' };
const body = await post('/messages/text', request, { 'idempotency-key': 'golden-1' });
const sendAt = '2036-01-01T12:00:00Z';
const scheduled = sent.parse(await post('/messages/text', { phone: phones[1], message: 'At noon', scheduled_at: sendAt }));
const campaign = made.parse(await post('/campaigns', { name: 'Spring', template_id: 1, send_now: false, send_time: sendAt }));
const page = await product.api.contacts.list({ query: { limit: 2 } });
await product.idle();
// stopped in the middle of it
const late = await Promise.all(
  phones.map((phone) => product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body: { phone, message: 'One more thing' } })),
);
const clock = z.object({ data: z.object({ now: z.string() }) }).parse((await product.control('GET', 'clock')).body);
await product.kill();
// the emulator of the table outlives a runner that is killed
const emulator = join(product.folder, 'dynoxide.pid');
process.kill(z.object({ pid: z.int() }).parse(JSON.parse(readFileSync(emulator, 'utf8'))).pid);
while (runningHolder(emulator) !== undefined) await setTimeout(10);
writeGoldenFolder(version, product.folder, {
  stoppedAt: Date.parse(clock.data.now),
  held: {
    contactIds,
    idempotent: { request, key: 'golden-1', body },
    scheduledId: scheduled.data.message_id,
    campaignId: campaign.data.id,
    sendAt,
    firstPage: page.data.map(({ id }) => id),
    cursor: page.meta.next_cursor,
    acknowledged: late.filter(({ status }) => status === 200).length,
  },
});
