import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestCompany } from '../support/company.ts';
import { type CampaignFixture, detailsOf, refusal, startFixture } from './fixture.ts';

let fixture: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const form = (fields: Record<string, string>, files: Record<string, { name: string; type: string; bytes: Buffer }> = {}) => {
  const boundary = 'a-boundary-of-the-test';
  const parts = [
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    ...Object.entries(files).map(([name, { name: filename, type, bytes }]) =>
      Buffer.concat([
        Buffer.from(
          `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\ncontent-type: ${type}\r\n\r\n`,
        ),
        bytes,
        Buffer.from('\r\n'),
      ]),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/campaigns',
    token: company.tokens.member,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat(parts),
  });
};

describe('a form', () => {
  test('carries the picture of the template: given to the provider once, sent to everybody', async () => {
    await fixture.people(company, 4);
    const fields = { name: 'Look', template_id: String(fixture.templateId(company, 'picture')), send_now: '1' };
    const answer = await form(fields, { imageupload: { name: 'a.png', type: 'image/png', bytes: png } });
    expect(answer.status, answer.raw).toBe(200);
    const { id } = (answer.body as { data: { id: number } }).data;
    await fixture.testApp.drain();
    expect(detailsOf(await fixture.api(company, 'GET', `/${id}`))).toMatchObject({
      status: 'completed',
      statistics: { total: 4, failed: 0 },
    });
    const ids = new Set((await fixture.ledger()).map(({ payload }) => /"image":\{"id":"(\d+)"/.exec(JSON.stringify(payload))?.[1]));
    expect([...ids].filter((each) => each !== undefined)).toHaveLength(1);
  });

  test('or an upload carries it; a place stands in a location header', async () => {
    const people = await fixture.people(company, 4);
    const headers = { type: 'image/png', filename: 'a.png' };
    const announced = await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/media/uploads',
      token: company.tokens.member,
      body: { filename: headers.filename, content_type: headers.type, size: png.length },
    });
    const upload = (announced.body as { data: { media_id: string; upload_url: string; headers: Record<string, string> } }).data;
    await fetch(upload.upload_url, { method: 'PUT', headers: upload.headers, body: new Uint8Array(png) });
    const place = { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main street 1' };
    const bodyOf = (template: string, recipient: number, more: object) => ({
      name: template,
      template_id: fixture.templateId(company, template),
      audience_type: 'contact',
      contact_id: people[recipient]?.id,
      ...more,
    });
    expect(refusal(await fixture.api(company, 'POST', '', bodyOf('place', 1, {})))).toEqual([422, 'validation_failed', 'location']);
    expect(refusal(await fixture.api(company, 'POST', '', bodyOf('picture', 0, { media_id: 'none' })))).toEqual([
      422,
      'validation_failed',
      'media_id',
    ]);
    expect((await fixture.api(company, 'POST', '', bodyOf('picture', 0, { media_id: upload.media_id }))).status).toBe(200);
    expect((await fixture.api(company, 'POST', '', bodyOf('place', 1, { location: place }))).status).toBe(200);
    await fixture.testApp.drain();
    const headerOf = async (recipient: number) =>
      JSON.stringify((await fixture.ledger(people[recipient]?.phone)).map(({ payload }) => payload['template']));
    expect(await headerOf(0)).toMatch(/"image":\{"id":"\d+"/);
    expect(await headerOf(1)).toContain(`"location":${JSON.stringify(place)}`);
    const testOf = (template: string, recipient: number, more: object) =>
      fixture.api(company, 'POST', '/test', {
        template_id: fixture.templateId(company, template),
        contact_id: people[recipient]?.id,
        ...more,
      });
    expect((await testOf('picture', 2, { media_id: upload.media_id })).status).toBe(200);
    expect((await testOf('place', 3, { location: place })).status).toBe(200);
    expect((await testOf('picture', 1, { media_url: 'https://files.example/a.png' })).status).toBe(200);
    expect(refusal(await testOf('picture', 2, { media_id: 'none' }))).toEqual([422, 'validation_failed', 'media_id']);
    await fixture.testApp.passTime(5);
    expect(await headerOf(2)).toMatch(/"image":\{"id":"\d+"/);
    expect(await headerOf(3)).toContain(`"location":${JSON.stringify(place)}`);
    expect(await headerOf(1)).toContain('"link":"https://files.example/a.png"');
  });

  test('takes parameters as JSON text', async () => {
    const [recipient] = await fixture.people(company, 1);
    const answer = await form({
      name: 'Order',
      template_id: String(fixture.templateId(company, 'order')),
      audience_type: 'contact',
      contact_id: String(recipient?.id),
      paramvalues: '{"body":{"1":"Ana","2":"A-1"}}',
    });
    expect(answer.status, answer.raw).toBe(200);
    await fixture.testApp.drain();
    expect(await fixture.ledger(recipient?.phone)).toHaveLength(1);
  });

  test('is refused with a file of another kind, two files, or a file beside an address', async () => {
    const fields = { name: 'Look', template_id: String(fixture.templateId(company, 'picture')) };
    const image = { name: 'a.png', type: 'image/png', bytes: png };
    expect(refusal(await form(fields, { pdf: image }))).toEqual([422, 'validation_failed', 'pdf']);
    expect(refusal(await form(fields, { pdf: image, imageupload: image }))).toEqual([422, 'validation_failed', 'imageupload']);
    expect(refusal(await form({ ...fields, media_url: 'https://example.com/a.png' }, { imageupload: image }))).toEqual([
      422,
      'validation_failed',
      'media_url',
    ]);
    expect(refusal(await form(fields, { imageupload: { ...image, bytes: Buffer.alloc(0) } }))).toEqual([
      422,
      'validation_failed',
      'imageupload',
    ]);
  });
});
