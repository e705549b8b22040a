import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { codeThatCame } from './guides.ts';
import { product } from './product.ts';

const phone = '4915123456020';
const clock = z.object({ data: z.object({ now: z.string(), offset_seconds: z.number() }) });
const ledger = z.object({
  data: z.array(z.looseObject({ at: z.string(), payload: z.looseObject({ text: z.object({ body: z.string() }) }) })),
});

const getClock = async () => clock.parse((await product.control('GET', 'clock')).body).data;
const move = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
  const { status, raw } = await product.control('POST', 'clock', body);
  expect(status, raw).toBe(200);
};
const write = async (text: string): Promise<void> => {
  const body = { company_id: product.companyId, from: phone, type: 'text', text };
  const { status, raw } = await product.control('POST', 'provider/inbound', body);
  expect(status, raw).toBe(200);
  await product.idle();
};
/** A text, now or so many seconds from now: its message, and when it is due, epoch ms. */
const send = async (message: string, inSeconds?: number) => {
  const dueAt = Math.ceil(Date.parse((await getClock()).now) / 1_000 + (inSeconds ?? 0)) * 1_000;
  const scheduled = inSeconds === undefined ? {} : { scheduled_at: new Date(dueAt).toISOString() };
  const { data } = await product.api.messages.sendText({ body: { phone, message, ...scheduled } });
  return { ...data, dueAt };
};
/** When the provider took the texts of these words, epoch ms. */
const takenAt = async (words: string): Promise<number[]> => {
  const { body } = await product.control('GET', `provider/messages?phone=${phone}`);
  return ledger.parse(body).data.flatMap(({ at, payload }) => (payload.text.body === words ? [Date.parse(at)] : []));
};
const verify = async (identifier: string): Promise<void> => {
  const [company] = product.demo.companies;
  const headers = { 'x-public-key': company?.verification.public_key ?? '', 'x-secret-key': company?.verification.secret_key ?? '' };
  const call = (path: string, body: unknown) => product.http({ method: 'POST', path: `/api/v1/verification/${path}`, headers, body });
  const { body } = await call('request', { identifier, purpose: 'clock' });
  await product.idle();
  const id = z.object({ request_id: z.string() }).parse(body).request_id;
  expect(await call('verify', { request_id: id, code: await codeThatCame() })).toMatchObject({ status: 200, body: { verified: true } });
};

export const clockOnLaptop = (): void => {
  test('set back to now after a day ahead, the product does what is asked of it now, at its time and once, and what is due tomorrow waits until then', async () => {
    await move({ advance_seconds: 86_400 });
    await write('Tomorrow');
    const tomorrow = await send('Written tomorrow');
    const later = await send('For the day after', 3_600);
    await product.api.conversations.read({ params: { id: tomorrow.conversation_id } });
    await verify('+4915123456021');
    await product.idle();

    await move({ set_to: 'now' });
    const { now, offset_seconds: offset } = await getClock();
    expect(offset).toBe(0);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5_000);
    expect(JSON.parse(readFileSync(join(product.folder, 'clock.json'), 'utf8'))).toEqual({ offset_ms: 0 });

    await write('Today');
    const list = await product.asOwner({ method: 'GET', path: '/api/v1/conversations' });
    expect(list.body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: tomorrow.conversation_id, unread_count: 1 })]),
    });
    const today = await send('Written today');
    await product.idle();
    const { data: message } = await product.api.messages.get({ params: { id: today.message_id }, query: { contact_id: today.contact_id } });
    expect(message).toMatchObject({ status: 4 });
    await verify('+4915123456022');

    const soon = await send('In a minute', 60);
    const afterwards = await send('In ten minutes', 600);
    await move({ advance_seconds: 65 });
    const took = await takenAt('In a minute');
    expect(took.map((at) => at >= soon.dueAt && at < soon.dueAt + 5_000)).toEqual([true]);
    expect(await takenAt('In ten minutes')).toEqual([]);
    await move({ advance_seconds: 600 });
    const tookAfterwards = await takenAt('In ten minutes');
    expect(tookAfterwards.map((at) => at >= afterwards.dueAt && at < afterwards.dueAt + 5_000)).toEqual([true]);

    expect(await takenAt('For the day after')).toEqual([]);
    await move({ advance_seconds: 90_000 });
    const tookLater = await takenAt('For the day after');
    expect(tookLater.map((at) => at >= later.dueAt && at < later.dueAt + 5_000)).toEqual([true]);
    for (const words of ['Written tomorrow', 'Written today', 'In a minute', 'In ten minutes'])
      expect(await takenAt(words)).toHaveLength(1);
    await move({ set_to: 'now' });
  }, 240_000);
};
