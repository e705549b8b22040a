import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import * as z from 'zod';
import { contactImport, maxWaitingImports, waitingImportHours } from '../../functions/contacts/contract/import.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  company = await newCompany({ roles: ['viewer', 'member', 'owner'] });
});
afterAll(() => testApp.stop());

const one = z.object({ data: contactImport });
const many = z.object({ data: z.array(contactImport) });
const call = (method: string, path: string, token: string, body?: unknown): Promise<Answer> =>
  testApp.call({ method, path: `/api/v1/contacts/imports${path}`, token, ...(body === undefined ? {} : { body }) });
const create = (size = 10): Promise<Answer> => call('POST', '', company.tokens.member, { filename: 'people.csv', size });

/** The upload URLs that a caller sees for an import that waits for its file. */
const uploadsSeenBy = async (token: string): Promise<unknown[]> => {
  const { id } = one.parse((await create()).body).data;
  const [single, list] = [await call('GET', `/${id}`, token), await call('GET', '', token)];
  return [one.parse(single.body).data.upload, ...many.parse(list.body).data.map(({ upload }) => upload)];
};

const service = 'functions/contacts/service/imports/imports.ts';

attack(
  'a reader who looks for the upload URL of another caller’s import sees the import without it, while a member sees it',
  [{ in: service, replace: "job.status === 'awaiting_upload' && isUploader", by: "job.status === 'awaiting_upload'" }],
  async () => {
    expect(await uploadsSeenBy(company.tokens.viewer)).toEqual([null, null]);
    expect(await uploadsSeenBy(company.tokens.member)).not.toContain(null);
  },
);

attack(
  'a holder of the upload URL uploads one file of the announced type and size, and none after it: all of that is signed',
  [
    { in: service, replace: '{ seconds: uploadSeconds, headers }', by: '{ seconds: uploadSeconds }' },
    { in: service, replace: '...onlyOnce,', by: '' },
  ],
  async () => {
    const { upload } = one.parse((await create(1_234)).body).data;
    expect(new URL(upload?.url ?? '').searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host;if-none-match');
    expect(upload?.headers).toEqual({ 'content-type': 'text/csv', 'content-length': '1234', 'if-none-match': '*' });
    expect((await call('POST', '', company.tokens.member, { filename: 'people.csv' })).status).toBe(422);
  },
);

attack(
  'a file of another size than announced is not imported',
  [{ in: service, replace: 'if (file.bytes !== job.size)', by: 'if (false as boolean)' }],
  async () => {
    const { id, upload } = one.parse((await create(10)).body).data;
    await fetch(upload?.url ?? '', { method: 'PUT', headers: { 'if-none-match': '*' }, body: 'phone\n4915112345678\n' });
    const started = await call('POST', `/${id}/start`, company.tokens.member);
    expect([started.status, started.body]).toMatchObject([409, { code: 'upload_missing' }]);
  },
);

attack(
  `a caller who creates imports without end has ${maxWaitingImports} of them waiting, however many come at once; a started one makes place for another`,
  [{ in: service, replace: 'if (open.length >= maxWaitingImports &&', by: 'if ((false as boolean) &&' }],
  async () => {
    const file = 'phone\n4915112345678\n';
    const answers = await Promise.all(Array.from({ length: maxWaitingImports + 4 }, () => create(file.length)));
    const created = answers.filter(({ status }) => status === 200);
    expect(created).toHaveLength(maxWaitingImports);
    for (const refused of answers.filter(({ status }) => status !== 200))
      expect([refused.status, refused.body]).toMatchObject([403, { code: 'plan_limit_reached', details: { resource: 'waiting_imports' } }]);
    const { id, upload } = one.parse(created[0]?.body).data;
    await fetch(upload?.url ?? '', { method: 'PUT', headers: upload?.headers ?? {}, body: file });
    expect((await call('POST', `/${id}/start`, company.tokens.member)).status).toBe(200);
    expect([(await create()).status, (await create()).status]).toEqual([200, 403]);
  },
);

attack(
  `imports that wait for ${waitingImportHours} hours are gone`,
  [{ in: 'functions/contacts/store/import.ts', replace: "status === 'awaiting_upload' ?", by: '(false as boolean) ?' }],
  async () => {
    const first = one.parse((await create()).body).data;
    for (let nth = 1; nth < maxWaitingImports; nth++) await create();
    testApp.clock.advance(waitingImportHours * 3_600_000 + 1_000);
    expect((await call('GET', `/${first.id}`, company.tokens.member)).status).toBe(404);
    expect((await create()).status).toBe(200);
  },
);
