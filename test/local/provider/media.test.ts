import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { accessToken, openFixture, customer, phoneNumberId } from './fixture.ts';

const bearer = { authorization: `Bearer ${accessToken}` };

function upload(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  fields: Record<string, string> = { messaging_product: 'whatsapp' },
) {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set('file', new File([bytes], 'file.bin', { type }));
  return fetch(`${url}/v19.0/${phoneNumberId}/media`, { method: 'POST', headers: bearer, body: form });
}

test('uploaded media can be described, fetched with the token only, sent, and deleted', async () => {
  const { provider, call, control, send, receiver, quiet } = await openFixture();
  // Bytes that look like a boundary must survive the form.
  const bytes = Uint8Array.from(Buffer.from('\r\n--not-the-boundary\r\n\0ÿ'));
  const answer = await upload(provider.url, bytes, 'image/jpeg');
  expect(answer.status).toBe(200);
  const { id } = (await answer.json()) as { id: string };
  const { body } = await call('GET', `/v19.0/${id}?phone_number_id=${phoneNumberId}`);
  expect(body).toMatchObject({
    id,
    mime_type: 'image/jpeg',
    file_size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  const address = String(body.url);
  expect((await fetch(address)).status).toBe(401);
  expect((await fetch(`${address}x`, { headers: bearer })).status).toBe(404);
  const file = await fetch(address, { headers: bearer });
  expect(file.headers.get('content-type')).toBe('image/jpeg');
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  expect((await send({ type: 'image', image: { id } })).status).toBe(200);
  await quiet();
  expect(receiver.statuses().at(-1)?.status).toBe('read');
  expect((await call('DELETE', `/v19.0/${id}`)).body).toEqual({ success: true });
  expect((await fetch(address, { headers: bearer })).status).toBe(404);
  expect((await call('GET', `/v19.0/${id}`)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
});

test('unknown media is accepted with the message and fails later with 131053', async () => {
  const { control, send, receiver, quiet } = await openFixture();
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  expect((await send({ type: 'image', image: { id: '123' } })).status).toBe(200);
  await quiet();
  expect(receiver.statuses()).toMatchObject([{ status: 'failed', errors: [{ code: 131053 }] }]);
});

test('a voice note that is no ogg, and a sticker that is no webp, fail later with 131053', async () => {
  const { provider, control, send, receiver, quiet } = await openFixture();
  const idOf = async (type: string) => ((await (await upload(provider.url, new Uint8Array(3), type)).json()) as { id: string }).id;
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  for (const type of ['audio/mpeg', 'audio/ogg']) await send({ type: 'audio', audio: { id: await idOf(type), voice: true } });
  for (const type of ['image/png', 'image/webp']) await send({ type: 'sticker', sticker: { id: await idOf(type) } });
  await quiet();
  const ended = receiver.statuses().filter(({ status }) => status === 'failed' || status === 'read');
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['failed', 'failed', 'read', 'read']);
});

test('uploads of unknown kinds, too large or incomplete are refused', async () => {
  const { provider } = await openFixture();
  const code = async (response: Promise<Response>) => ((await (await response).json()) as { error: { code: number } }).error.code;
  expect(await code(upload(provider.url, new Uint8Array(3), 'application/x-thing'))).toBe(100);
  expect(await code(upload(provider.url, new Uint8Array(3), 'image/png', {}))).toBe(100);
  expect(await code(upload(provider.url, new Uint8Array(600_000), 'image/webp'))).toBe(131053);
});

test('a resumable upload gives a handle once everything has arrived', async () => {
  const { provider } = await openFixture();
  const start = await fetch(`${provider.url}/v23.0/12345/uploads?file_name=a.png&file_length=6&file_type=image/png`, {
    method: 'POST',
    headers: bearer,
  });
  const { id } = (await start.json()) as { id: string };
  expect(id).toMatch(/^upload:/);
  const put = async (offset: number, body: string) => {
    const headers = { authorization: `OAuth ${accessToken}`, file_offset: String(offset) };
    return (await (await fetch(`${provider.url}/v23.0/${id}`, { method: 'POST', headers, body })).json()) as Record<string, unknown>;
  };
  expect(await put(0, 'abc')).toEqual({ id, file_offset: 3 });
  expect(await put(0, 'abc')).toMatchObject({ error: { code: 100 } });
  expect(await (await fetch(`${provider.url}/v23.0/${id}`, { headers: bearer })).json()).toEqual({ id, file_offset: 3 });
  expect(await put(3, 'def')).toMatchObject({ h: expect.stringMatching(/^4::/) });
});

test.for([
  [{ secret: 's', response: 'pass-1' }, true],
  [{ secret: 's', response: 'fail' }, false],
  [{ secret: 's' }, false],
  [{ response: 'pass' }, false],
] as [Record<string, string>, boolean][])('siteverify, as a form and as JSON: %j', async ([fields, success]) => {
  const { provider } = await openFixture();
  const post = async (body: string | URLSearchParams, headers: Record<string, string> = {}) =>
    (await fetch(`${provider.url}/siteverify`, { method: 'POST', body, headers })).json();
  expect(await post(new URLSearchParams(fields))).toMatchObject({ success });
  expect(await post(JSON.stringify(fields), { 'content-type': 'application/json' })).toMatchObject({ success });
});
