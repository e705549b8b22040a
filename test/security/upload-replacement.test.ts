import { afterAll, beforeAll, expect } from 'vitest';
import * as z from 'zod';
import { uploadHeaders } from '../../shared/objects/upload-headers.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The holder of an upload URL, who wants the file that an admin approved to be another one. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany();
});
afterAll(() => testApp.stop());

const announced = z.object({ data: z.object({ upload_url: z.string(), headers: z.record(z.string(), z.string()) }) });
const first = '%PDF-1.7 our prices';
const second = '%PDF-1.7 evil price';
const stored = async (url: string): Promise<string> => (await fetch(url.split('?')[0] ?? '')).text();
const announce = async () => {
  const body = { filename: 'prices.pdf', content_type: 'application/pdf', size: first.length };
  const answer = await testApp.call({ method: 'POST', path: '/api/v1/media/uploads', token: company.tokens.owner, body });
  return announced.parse(answer.body).data;
};

attack(
  'a file that was uploaded once is not replaced by its upload URL, within the hour in which the URL is valid',
  [{ in: 'functions/media/service/uploads.ts', replace: ', ...onlyOnce };', by: ' };' }],
  async () => {
    const { upload_url, headers } = await announce();
    const put = async (body: string, more: Record<string, string>) =>
      (await fetch(upload_url, { method: 'PUT', headers: more, body })).status;
    expect(await put(first, headers)).toBe(200);
    expect(await put(second, headers)).toBe(412);
    const { 'if-none-match': _, ...without } = headers;
    expect(await put(second, without)).toBe(403);
    expect(await put(second, { ...headers, 'if-none-match': '"another"' })).toBe(403);
    expect(await stored(upload_url)).toBe(first);
  },
);

attack(
  'pages may send every header that an upload URL signs, so that none is left out for them',
  [{ in: 'shared/objects/upload-headers.ts', replace: "'if-none-match', ", by: '' }],
  async () => {
    const { headers } = await announce();
    // the browser itself sends the length
    const { 'content-length': _, ...sent } = headers;
    expect(uploadHeaders).toEqual(expect.arrayContaining(Object.keys(sent)));
  },
);
