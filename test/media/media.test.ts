import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { only, problemOf, resultOf, type Fixture, startFixture } from '../messaging/fixture.ts';
import { runSize } from '../support/run-size.ts';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';

let fixture: Fixture;
let company: TestCompany;
let files: Server;
let base = '';
let phones = 0;
const newPhone = (): string => `49154${String(++phones).padStart(8, '0')}`;

const served: Record<string, { type?: string; size?: number; probeStatus?: number }> = {
  '/photo': { type: 'image/jpeg; charset=binary', size: 2_000 },
  '/photo.png': { type: 'application/octet-stream', size: 10 },
  '/clip.bin': { type: 'video/mp4', size: 100 },
  '/list.pdf': { type: 'application/pdf', size: 1_000 },
  '/song': { type: 'audio/mpeg', size: 100 },
  '/no-head': { type: 'image/png', size: 50, probeStatus: 405 },
  '/huge.jpg': { type: 'image/jpeg', size: 5 * 1_048_576 + 1 },
  '/page': { type: 'text/html', size: 10 },
  '/gone.jpg': { probeStatus: 410 },
};

beforeAll(async () => {
  files = createServer((request, response) => {
    if (request.url === '/inside') return void response.writeHead(302, { location: 'https://169.254.169.254/a.jpg' }).end();
    const { type, size = 1, probeStatus } = served[request.url ?? ''] ?? { probeStatus: 404 };
    const status = probeStatus !== undefined && (request.method === 'HEAD' || type === undefined) ? probeStatus : 200;
    response.writeHead(status, { ...(type ? { 'content-type': type } : {}), 'content-length': String(size) });
    return void (request.method === 'HEAD' ? response.end() : response.end(Buffer.alloc(size)));
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
  company = await fixture.company();
  await fixture.faults({ hold_statuses: true });
});
afterAll(async () => {
  await fixture.stop();
  files.closeAllConnections();
  files.close();
});

const send = (fields: Record<string, unknown>): Promise<Answer> =>
  fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/messages/text',
    token: company.tokens.member,
    body: { phone: newPhone(), ...fields },
  });

const sendForm = async (form: FormData, key?: string): Promise<Answer> => {
  const request = new Request('http://x/', { method: 'POST', body: form });
  return fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/messages/text',
    token: company.tokens.member,
    body: Buffer.from(await request.arrayBuffer()),
    headers: { 'content-type': request.headers.get('content-type') ?? '', ...(key ? { 'idempotency-key': key } : {}) },
  });
};
const formOf = (fields: Record<string, string>, file?: { bytes: Buffer; type: string; name: string }): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file) form.set('image', new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name);
  return form;
};
const refusedFields = (answer: Answer): string[] => {
  expect(answer.status, answer.raw).toBe(422);
  return Object.keys(problemOf(answer).errors ?? {});
};
const storedOf = async (answer: Answer) => {
  const { message_id } = resultOf(answer);
  return (await fixture.messages(company.id)).find(({ id }) => id === message_id);
};
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)]);

describe('a file by its address', () => {
  test.each<[string, string, object]>([
    ['its Content-Type', '/photo', { type: 'image', image: { caption: 'Look' } }],
    ['its extension, where the type says nothing', '/photo.png', { type: 'image' }],
    ['its Content-Type before its extension', '/clip.bin', { type: 'video' }],
    ['a document with its name', '/list.pdf', { type: 'document', document: { filename: 'list.pdf' } }],
    ['a GET where HEAD is not answered', '/no-head', { type: 'image' }],
    ['its extension where it is gone for us', '/gone.jpg', { type: 'image' }],
  ])('is recognised by %s', async (_, path, payload) => {
    const phone = newPhone();
    const answer = await send({ phone, media_url: `${base}${path}`, message: 'Look' });
    expect(answer.status, answer.raw).toBe(200);
    const { payload: sent } = only(await fixture.ledger(phone));
    expect(sent).toMatchObject(payload);
    expect(Object.values(sent)).toContainEqual(expect.objectContaining({ link: `${base}${path}`, caption: 'Look' }));
    expect(await storedOf(answer)).toMatchObject({ type: 2, value: 'Look', media: { url: `${base}${path}`, caption: 'Look' } });
  });

  test('audio has no caption', async () => {
    expect((await send({ media_url: `${base}/song` })).status).toBe(200);
    expect(refusedFields(await send({ media_url: `${base}/song`, message: 'Hear' }))).toEqual(['message']);
  });

  test('stands above buttons, but audio does not', async () => {
    const phone = newPhone();
    expect((await send({ phone, media_url: `${base}/photo`, message: 'Pick', buttons: [{ title: 'A' }] })).status).toBe(200);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({
      interactive: { header: { type: 'image', image: { link: `${base}/photo` } } },
    });
    expect(refusedFields(await send({ media_url: `${base}/song`, message: 'Pick', buttons: [{ title: 'A' }] }))).toEqual(['media_url']);
    expect(refusedFields(await send({ media_url: `${base}/photo`, message: 'Pick', header: 'H', buttons: [{ title: 'A' }] }))).toEqual([
      'header',
    ]);
  });

  test.each([
    ['too large', '/huge.jpg'],
    ['of no kind that is taken', '/page'],
    ['behind a redirect to the inside', '/inside'],
  ])('that is %s is refused', async (_, path) => {
    expect(refusedFields(await send({ media_url: `${base}${path}` }))).toEqual(['media_url']);
  });

  test.each([
    'https://169.254.169.254/a.jpg',
    'https://[::ffff:10.0.0.1]/a.jpg',
    'http://10.0.0.1/a.jpg',
    'https://u:p@example.com/a.jpg',
    'ftp://example.com/a.jpg',
    'a.jpg',
  ])('%s is refused, and the provider is not called', async (media_url) => {
    const before = (await fixture.ledger()).length;
    expect(refusedFields(await send({ media_url }))).toEqual(['media_url']);
    expect((await fixture.ledger()).length).toBe(before);
  });

  test('over plain http only the provider fetches it, and the extension gives its kind', async () => {
    const phone = newPhone();
    expect((await send({ phone, media_url: 'http://files.example.com/a.jpg' })).status).toBe(200);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ image: { link: 'http://files.example.com/a.jpg' } });
    expect(refusedFields(await send({ media_url: 'http://files.example.com/a' }))).toEqual(['media_url']);
  });

  test('one that cannot be reached goes as a link by its extension', async () => {
    const phone = newPhone();
    expect((await send({ phone, media_url: 'http://127.0.0.1:1/a.pdf' })).status).toBe(200);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ document: { link: 'http://127.0.0.1:1/a.pdf' } });
  });
});

describe('a file in a form', () => {
  const file = { bytes: png, type: 'image/png', name: 'cat.png' };

  test('is stored, uploaded to the provider, and sent by its id', async () => {
    const phone = newPhone();
    const answer = await sendForm(formOf({ phone, message: 'Cat' }, file));
    expect(answer.status, answer.raw).toBe(200);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({
      type: 'image',
      image: { id: expect.stringMatching(/^\d+$/), caption: 'Cat' },
    });
    expect((await storedOf(answer))?.media).toMatchObject({
      kind: 'image',
      mime: 'image/png',
      size: png.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('stands above buttons that come as a JSON text', async () => {
    const phone = newPhone();
    const answer = await sendForm(formOf({ phone, message: 'Cat', buttons: '[{"title":"A"}]' }, file));
    expect(answer.status, answer.raw).toBe(200);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ interactive: { header: { image: { id: expect.any(String) } } } });
  });

  test('is recognised by its bytes, whatever its name', async () => {
    const phone = newPhone();
    await sendForm(formOf({ phone }, { bytes: Buffer.from('%PDF-1.7 hello'), type: 'image/jpeg', name: 'x.jpg' }));
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ type: 'document', document: { filename: 'x.jpg' } });
  });

  test('is a voice note or a sticker, which stand alone', async () => {
    const ogg = { bytes: Buffer.concat([Buffer.from('OggS'), Buffer.alloc(50)]), type: 'audio/ogg', name: 'a.ogg' };
    const webp = { bytes: Buffer.from('RIFF\u0040\0\0\0WEBPVP8 ', 'latin1'), type: 'image/webp', name: 'a.webp' };
    const [first, second] = [newPhone(), newPhone()];
    const voice = await sendForm(formOf({ phone: first, voice: 'true' }, ogg));
    const sticker = await sendForm(formOf({ phone: second }, webp));
    expect(only(await fixture.ledger(first)).payload).toMatchObject({ type: 'audio', audio: { id: expect.any(String), voice: true } });
    expect(only(await fixture.ledger(second)).payload).toMatchObject({ type: 'sticker', sticker: { id: expect.any(String) } });
    expect(await storedOf(voice)).toMatchObject({ type: 2, subtype: 'voice', status: 2 });
    expect(await storedOf(sticker)).toMatchObject({ type: 2, subtype: 'sticker', status: 2 });
    const mp3 = { bytes: Buffer.from('ID3 a song'), type: 'audio/mpeg', name: 'a.mp3' };
    expect(refusedFields(await sendForm(formOf({ phone: first, voice: 'true' }, mp3)))).toEqual(['voice']);
    expect(refusedFields(await sendForm(formOf({ phone: first, voice: 'true', message: 'Hi' })))).toEqual(['voice']);
    expect(refusedFields(await sendForm(formOf({ phone: second, message: 'Look' }, webp)))).toEqual(['message']);
    expect(
      refusedFields(await sendForm(formOf({ phone: second, message: 'Pick', button_name: 'A', button_url: 'https://a.example' }, webp))),
    ).toEqual(['image']);
  });

  test('that the provider is too busy for waits with its message, and goes later', async () => {
    const phone = newPhone();
    await fixture.faults({ hold_statuses: true, throttle: 1, seed: 1 });
    const answer = await sendForm(formOf({ phone }, file));
    await fixture.faults({ hold_statuses: true });
    expect([answer.status, resultOf(answer).status]).toEqual([200, 0]);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(120);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ type: 'image' });
  });

  test('of a scheduled message is uploaded before the message is claimed: a worker without memory or time leaves none claimed and unsent', async () => {
    const phone = newPhone();
    const scheduled_at = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
    const id = resultOf(await sendForm(formOf({ phone, scheduled_at }, file))).message_id;
    const { fetch: real } = globalThis;
    const statuses: unknown[] = [];
    globalThis.fetch = async (...args) => {
      const url = args[0] instanceof Request ? args[0].url : args[0].toString();
      if (url.endsWith('/media')) statuses.push((await fixture.messages(company.id)).find((each) => each.id === id)?.status);
      return real(...args);
    };
    try {
      await fixture.testApp.passTime(120);
    } finally {
      globalThis.fetch = real;
    }
    expect(statuses).toEqual([messageStatuses.scheduled]);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ type: 'image' });
  });

  test('under one Idempotency-Key is sent once, though every form has another boundary; another file is another request', async () => {
    const phone = newPhone();
    const first = await sendForm(formOf({ phone }, file), 'the-cat');
    const again = await sendForm(formOf({ phone }, file), 'the-cat');
    expect(resultOf(again).message_id).toBe(resultOf(first).message_id);
    expect(await fixture.ledger(phone)).toHaveLength(1);
    const other = await sendForm(formOf({ phone }, { ...file, bytes: Buffer.concat([png, png]) }), 'the-cat');
    expect(problemOf(other).code).toBe('idempotency_key_reused');
  });

  test.each<[string, { bytes: Buffer; type: string; name: string }]>([
    ['empty', { bytes: Buffer.alloc(0), type: 'image/png', name: 'a.png' }],
    ['of no kind that is taken', { bytes: Buffer.from('<html>'), type: 'text/html', name: 'a.html' }],
  ])('that is %s is refused', async (_, given) => {
    expect(refusedFields(await sendForm(formOf({ phone: newPhone() }, given)))).toEqual(['image']);
  });

  test('that is larger than a form may be is 413, which names the upload', async () => {
    const image = { bytes: Buffer.concat([png, Buffer.alloc(4 * 1_048_576)]), type: 'image/png', name: 'a.png' };
    const answer = await sendForm(formOf({ phone: newPhone() }, image));
    expect([answer.status, problemOf(answer).code, answer.raw]).toEqual([
      413,
      'payload_too_large',
      expect.stringContaining('/media/uploads'),
    ]);
  });

  test('together with an address is refused', async () => {
    expect(refusedFields(await sendForm(formOf({ phone: newPhone(), media_url: `${base}/photo` }, file)))).toEqual(['image']);
  });

  test('an invalid form is 400 invalid_multipart', async () => {
    const answer = await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/messages/text',
      token: company.tokens.member,
      body: Buffer.from('--nothing'),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect([answer.status, problemOf(answer).code]).toEqual([400, 'invalid_multipart']);
  });
});

describe('a file uploaded by itself', () => {
  const announced = z.object({
    data: z.object({ media_id: z.string(), upload_url: z.string(), headers: z.record(z.string(), z.string()), expires_at: z.string() }),
  });
  const announce = (fields: Record<string, unknown>, token = company.tokens.member) =>
    fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/media/uploads',
      token,
      body: { filename: 'book.pdf', content_type: 'application/pdf', size: 14, ...fields },
    });

  test('goes to a signed address, then with a message', async () => {
    const { media_id, upload_url, headers } = announced.parse((await announce({})).body).data;
    expect(refusedFields(await send({ media_id }))).toEqual(['media_id']);
    const { 'content-length': _length, ...rest } = headers;
    expect((await fetch(upload_url, { method: 'PUT', headers: rest, body: '%PDF-1.7 hello' })).status).toBe(200);
    const phone = newPhone();
    expect((await send({ phone, media_id, message: 'Read' })).status).toBe(200);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({
      document: { id: expect.stringMatching(/^\d+$/), filename: 'book.pdf', caption: 'Read' },
    });
  });

  /** The emulator takes no more than 11 MB at once, which S3 does: the object is put there in parts. */
  const putInParts = async (path: string, file: Buffer): Promise<void> => {
    const [, Bucket = '', ...key] = path.split('/');
    const at = { Bucket, Key: key.join('/') };
    const s3 = new S3Client({ forcePathStyle: true });
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...at, ContentType: 'application/pdf' }));
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let from = 0, PartNumber = 1; from < file.length; from += 10_000_000, PartNumber++) {
      const part = { ...at, UploadId, PartNumber, Body: file.subarray(from, from + 10_000_000) };
      Parts.push({ PartNumber, ETag: (await s3.send(new UploadPartCommand(part))).ETag });
    }
    await s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
    s3.destroy();
  };

  /** `MEDIA_MB=100`: the largest document there is, which takes the emulator some seconds. */
  const megabytes = runSize(15, 100);

  test(`of ${megabytes} MB reaches the provider whole`, async () => {
    const size = megabytes * 1_048_576;
    const { media_id, upload_url } = announced.parse((await announce({ size })).body).data;
    const file = Buffer.alloc(size, 'switchboard ');
    file.write('%PDF-1.7');
    await putInParts(new URL(upload_url).pathname, file);
    const phone = newPhone();
    const answer = await send({ phone, media_id });
    expect(answer.status, answer.raw).toBe(200);
    const { document } = z.object({ document: z.object({ id: z.string() }) }).parse(only(await fixture.ledger(phone)).payload);
    const stored = await fetch(`${fixture.provider.url}/v19.0/${document.id}`, {
      headers: { authorization: `Bearer token-of-company-${company.id}` },
    });
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(await stored.json()).toMatchObject({ file_size: size, sha256 });
  });

  const uploaded = async (fields: Record<string, unknown>, bytes: Buffer): Promise<string> => {
    const { media_id, upload_url, headers } = announced.parse((await announce({ size: bytes.length, ...fields })).body).data;
    const { 'content-length': _length, ...rest } = headers;
    expect((await fetch(upload_url, { method: 'PUT', headers: rest, body: new Uint8Array(bytes) })).status).toBe(200);
    return media_id;
  };
  const callApi = (path: string, body: Record<string, unknown>): Promise<Answer> =>
    fixture.testApp.call({ method: 'POST', path: `/api/v1/${path}`, token: company.tokens.member, body });

  test('is the header of a template, now and later; one of another kind, or beside another header, is refused', async () => {
    const header = { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['4::x'] } };
    const components = [header, { type: 'BODY', text: 'Your invoice.' }];
    await fixture.templates(company, [{ name: 'invoice', language: 'en', category: 'UTILITY', status: 'APPROVED', components }]);
    const media_id = await uploaded({}, Buffer.from('%PDF-1.7 hello'));
    const [now, later] = [newPhone(), newPhone()];
    const scheduled_at = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
    const send = { template_name: 'invoice', media_id };
    expect((await callApi('messages/template', { phone: now, ...send })).status).toBe(200);
    expect((await callApi('messages/template', { phone: later, ...send, scheduled_at })).status).toBe(200);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(70);
    for (const phone of [now, later])
      expect(only(await fixture.ledger(phone)).payload).toMatchObject({
        template: {
          components: [
            { type: 'header', parameters: [{ type: 'document', document: { id: expect.stringMatching(/^\d+$/), filename: 'book.pdf' } }] },
          ],
        },
      });
    const picture = await uploaded({ filename: 'a.png', content_type: 'image/png' }, png);
    expect(refusedFields(await callApi('messages/template', { phone: now, ...send, media_id: picture }))).toEqual(['components']);
    const both = { ...send, components: [{ type: 'header', parameters: [{ type: 'document', document: { id: '1' } }] }] };
    expect(refusedFields(await callApi('messages/template', { phone: now, ...both }))).toContain('media_id');
  });

  test("is the sample of a template's header: the provider gets the file, and the template its handle", async () => {
    const media_id = await uploaded({ filename: 'a.png', content_type: 'image/png' }, png);
    const draft = (format: string, sample: object) => ({
      name: `sample_${format.toLowerCase()}`,
      language: 'en',
      category: 'MARKETING',
      components: [
        { type: 'HEADER', format, ...sample },
        { type: 'BODY', text: 'Look at this.' },
      ],
    });
    const made = await callApi('templates', draft('IMAGE', { media_id }));
    expect(made.status, made.raw).toBe(200);
    const handle = expect.stringMatching(/^4::\S+:ARZ/) as string;
    expect(made.body).toMatchObject({ data: { components: [{ format: 'IMAGE', example: { header_handle: [handle] } }, {}] } });
    expect(refusedFields(await callApi('templates', draft('VIDEO', { media_id })))).toEqual(['components.0.media_id']);
    expect(refusedFields(await callApi('templates', draft('IMAGE', { media_id: 'none' })))).toEqual(['components.0.media_id']);
    expect(refusedFields(await callApi('templates', draft('IMAGE', {})))).toEqual(['components.0.example.header_handle']);
  });

  test('cannot be used by another company', async () => {
    const { media_id } = announced.parse((await announce({})).body).data;
    const stranger = await fixture.company();
    const answer = await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/messages/text',
      token: stranger.tokens.member,
      body: { phone: newPhone(), media_id },
    });
    expect(refusedFields(answer)).toEqual(['media_id']);
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{ size: 100 * 1_048_576 + 1 }, ['size']],
    [{ size: 0 }, ['size']],
    [{ filename: 'a.png', content_type: 'image/png', size: 5 * 1_048_576 + 1 }, ['size']],
    [{ filename: 'a.exe', content_type: 'application/x-msdownload' }, ['content_type']],
    [{ filename: '' }, ['filename']],
  ])('%j is refused', async (fields, errors) => expect(refusedFields(await announce(fields))).toEqual(errors));

  test('its upload URL is signed for this type and size alone', async () => {
    const { upload_url } = announced.parse((await announce({})).body).data;
    expect(new URL(upload_url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host;if-none-match');
    expect(new URL(upload_url).searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
  });
});
