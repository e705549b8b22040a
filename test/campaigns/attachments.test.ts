import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestCompany } from '../support/company.ts';
import { type CampaignFixture, detailsOf, refusal, startFixture } from './fixture.ts';

let stage: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  stage = await startFixture();
  company = await stage.campaigner();
});
afterAll(() => stage.stop());

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
  return stage.world.call({
    method: 'POST',
    path: '/api/v1/campaigns',
    token: company.tokens.member,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat(parts),
  });
};

describe('a form', () => {
  test('carries the picture of the template: given to the provider once, sent to everybody', async () => {
    await stage.people(company, 4);
    const fields = { name: 'Look', template_id: String(stage.templateId(company, 'picture')), send_now: '1' };
    const answer = await form(fields, { imageupload: { name: 'a.png', type: 'image/png', bytes: png } });
    expect(answer.status, answer.raw).toBe(200);
    const { id } = (answer.body as { data: { id: number } }).data;
    await stage.world.drain();
    expect(detailsOf(await stage.api(company, 'GET', `/${id}`))).toMatchObject({
      status: 'completed',
      statistics: { total: 4, failed: 0 },
    });
    const ids = new Set((await stage.ledger()).map(({ payload }) => /"image":\{"id":"(\d+)"/.exec(JSON.stringify(payload))?.[1]));
    expect([...ids].filter((each) => each !== undefined)).toHaveLength(1);
  });

  test('takes parameters as JSON text', async () => {
    const [person] = await stage.people(company, 1);
    const answer = await form({
      name: 'Order',
      template_id: String(stage.templateId(company, 'order')),
      audience_type: 'contact',
      contact_id: String(person?.id),
      paramvalues: '{"body":{"1":"Ana","2":"A-1"}}',
    });
    expect(answer.status, answer.raw).toBe(200);
    await stage.world.drain();
    expect(await stage.ledger(person?.phone)).toHaveLength(1);
  });

  test('is refused with a file of another kind, two files, or a file beside an address', async () => {
    const fields = { name: 'Look', template_id: String(stage.templateId(company, 'picture')) };
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
